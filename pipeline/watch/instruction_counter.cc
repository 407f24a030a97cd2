#include "tessera/pipeline/watch/instruction_counter.h"

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tessera::pipeline {

#ifdef __linux__

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes = {};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  constexpr int kThisThread = 0, kAnyCpu = -1, kNoGroup = -1;
  file_ = static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyCpu, kNoGroup, 0UL));
}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) close(file_);
}

int64_t InstructionCounter::Read() const {
  int64_t count = 0;
  const bool is_read = file_ >= 0 && read(file_, &count, sizeof(count)) == sizeof(count);
  return is_read ? count : 0;
}

#else

InstructionCounter::InstructionCounter() = default;
InstructionCounter::~InstructionCounter() = default;
int64_t InstructionCounter::Read() const { return 0; }

#endif

}  // namespace tessera::pipeline
