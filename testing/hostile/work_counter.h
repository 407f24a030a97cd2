// The work of a piece of code: bytes allocated, CPU time of the process, and machine instructions
// where the kernel counts them.
//
//   const WorkCounter counter;
//   Something();
//   const Work work = counter.SoFar();
//
// A program that links this has an operator new that counts.

#ifndef TESSERA_TESTING_HOSTILE_WORK_COUNTER_H_
#define TESSERA_TESTING_HOSTILE_WORK_COUNTER_H_

#include <cstdint>

#include "tessera/pipeline/watch/instruction_counter.h"

namespace tessera::testing::hostile {

struct Work {
  int64_t bytes = 0;
  int64_t instructions = 0;  // 0 where they cannot be counted
  int64_t cpu_time = 0;      // nanoseconds
};

class WorkCounter {
 public:
  WorkCounter();

  Work SoFar() const;

 private:
  Work Now() const;

  pipeline::InstructionCounter instructions_;
  Work start_;
};

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_WORK_COUNTER_H_
