// The buffers of a finished program in the memories of a device, by live ranges.
//
//   absl::StatusOr<DeviceBuffers> b = FindDeviceBuffers(module);      // a module of stage final
//   b->spaces[0].space;              // 0: the main memory of the device
//   b->spaces[0].peak;               // bytes of temporaries where they are most
//   b->buffers[b->spaces[0].at_peak[0]]          // the largest of them
//
// One buffer holds all arrays that are one in memory (live_values.h); its size is that of the
// largest, with tiles and padding as the layouts say. Arguments, results that are in no argument and
// constants stay for the whole program; all else for its spans. Layouts with tiles are those of a
// TPU, which has memories of its own by number; without tiles only the host's memory is another one.
//
// On CPUs and GPUs a temporary may lie in the memory of a result, or of an argument that becomes
// one, while that is free. It is counted with them then (shared_memory.h).
//
// The peak is the sum of living buffers, as if no byte between them were lost. Compilers of GPUs and TPUs
// report that; the one of CPUs reports its heap, which has holes (cpu_heap.h). Cost: as FindLiveValues(),
// sorting, and the heap. Tested by device_buffers_test.cc, and against the compilers by testing/compiled.

#ifndef TESSERA_TARGET_BUFFERS_DEVICE_BUFFERS_H_
#define TESSERA_TARGET_BUFFERS_DEVICE_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

enum class BufferKind : uint8_t { kTemporary, kConstant, kResult, kArgument };

struct LiveBuffer {
  BufferKind kind = BufferKind::kTemporary;
  hlo::InstructionId instruction = hlo::kNoId;  // that makes its largest array
  size_t leaf = 0;                              // of the result of that instruction
  hlo::InstructionId caller = hlo::kNoId;       // of its computation; kNoId: it is in the entry
  int64_t space = 0;
  int64_t bytes = 0;
};

// One memory. Sums are of bytes.
struct MemorySpace {
  int64_t space = 0;
  int64_t arguments = 0, results = 0, constants = 0;
  int64_t peak = 0;                         // of temporaries
  int64_t set_aside = 0;                    // for temporaries: the peak, or the heap of a CPU
  hlo::InstructionId peak_at = hlo::kNoId;  // none without temporaries
  std::vector<size_t> at_peak;              // temporaries alive there, the largest first
};

struct DeviceBuffers {
  std::vector<LiveBuffer> buffers;
  std::vector<MemorySpace> spaces;  // by number; space 0 is always there
  int64_t aliased = 0;  // bytes of results in arguments of space 0, by input_output_alias
  bool has_tiles = false;
};

// InvalidArgument for calls without end; OutOfRange where bytes leave 64 bits.
absl::StatusOr<DeviceBuffers> FindDeviceBuffers(const hlo::Module& module);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_BUFFERS_DEVICE_BUFFERS_H_
