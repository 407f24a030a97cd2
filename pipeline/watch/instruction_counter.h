// Machine instructions that this thread has executed in user mode: a measure of work that other
// processes do not disturb.
//
//   InstructionCounter counter;
//   const int64_t before = counter.Read();
//   Work();
//   counter.Read() - before;
//
// Where the kernel does not lend a counter (not Linux, a container, perf_event_paranoid above 2),
// Read() gives 0.

#ifndef TESSERA_PIPELINE_WATCH_INSTRUCTION_COUNTER_H_
#define TESSERA_PIPELINE_WATCH_INSTRUCTION_COUNTER_H_

#include <cstdint>

namespace tessera::pipeline {

class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  int64_t Read() const;

 private:
  [[maybe_unused]] int file_ = -1;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_WATCH_INSTRUCTION_COUNTER_H_
