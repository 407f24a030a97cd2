// The buffers in each memory of a device, and the step with most temporaries.
//
// In VMEM each array counts for itself: one that is made in the memory of another counts twice in that
// step, as in the peak that the compiler of a TPU reports. Elsewhere each buffer counts.

#ifndef TESSERA_TARGET_BUFFERS_MEMORY_PEAKS_H_
#define TESSERA_TARGET_BUFFERS_MEMORY_PEAKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/target/buffers/device_buffers.h"
#include "tessera/target/buffers/spans.h"

namespace tessera::target {

// OutOfRange: the bytes of a device exceed 64 bits.
absl::Status TooLarge();

struct VmemArray {
  size_t buffer = 0;
  int64_t bytes = 0;
  Spans spans{};
};

// When everything is needed; all spans are merged.
struct Needs {
  std::vector<Spans> buffers;  // none: it lies in another buffer
  std::vector<VmemArray> vmem;
};

// Fills `found->spaces`. `steps`: the instructions that run. OutOfRange where bytes leave 64 bits.
absl::Status SumSpaces(const std::vector<hlo::InstructionId>& steps, const Needs& needs,
                       DeviceBuffers* found);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_MEMORY_PEAKS_H_
