// What a piece of code takes: bytes allocated, and instructions of the CPU where the kernel counts
// them.
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

// Four times the work is linear; n log n and tables that double take a little more.
constexpr double kMaxGrowth = 5.5;

struct Work {
  int64_t bytes = 0;
  int64_t instructions = 0;  // 0 where they cannot be counted
};

// `to` in units of `of`; 0 if there is nothing to compare with.
double Growth(int64_t of, int64_t to);

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
