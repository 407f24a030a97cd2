#include "tessera/cost/memory/compiled_memory.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/boundary.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/target/buffers/device_buffers.h"
#include "tessera/target/memory_spaces.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using target::DeviceBuffers;
using target::LiveBuffer;
using target::MemorySpace;

// An entry of the table of a tuple; AddResults() counts those of a CPU or GPU.
constexpr int64_t kTpuPointerBytes = 4;

std::string NameOf(const hlo::Module& module, hlo::InstructionId id) {
  return id == hlo::kNoId ? "" : std::string(module.instruction(id).name);
}

absl::StatusOr<DeviceBuffer> ListedBuffer(const hlo::Module& module, const LiveBuffer& live) {
  const auto leaves = layout::LeafShapes(module.shape(live.instruction));
  std::string name = NameOf(module, live.instruction);
  if (leaves.size() > 1) absl::StrAppend(&name, "{", live.leaf, "}");
  TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer,
                           BufferOf(std::move(name), *leaves[live.leaf], live.instruction));
  buffer.leaf = live.leaf;
  buffer.inside = NameOf(module, live.caller);
  return buffer;
}

absl::Status AddTemporaries(const hlo::Module& module, const DeviceBuffers& found,
                            DeviceMemory* memory) {
  const MemorySpace& main = found.spaces[0];
  memory->constants = main.constants;
  memory->temporaries = main.set_aside;
  memory->peak_at = NameOf(module, main.peak_at);
  for (const size_t k : main.at_peak) {
    TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer, ListedBuffer(module, found.buffers[k]));
    memory->at_peak.push_back(std::move(buffer));
  }
  return absl::OkStatus();
}

// Of the arrays of a shape that lie in the memory of the host.
absl::StatusOr<int64_t> HostBytes(const layout::Shape& shape) {
  Checked sum = 0;
  for (const layout::Shape* leaf : layout::LeafShapes(shape)) {
    if (!leaf->is_array() || !leaf->has_layout()) continue;
    if (leaf->layout().memory_space != target::kHost) continue;
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(*leaf));
    sum += sizes.alloc_bytes;
  }
  if (!sum.ok()) return projection::OverflowError("the memory of the host");
  return sum.value();
}

// Takes what lies on the host out of what the device holds.
absl::Status TakeOutHost(const hlo::Module& module, DeviceMemory* memory) {
  for (const hlo::InstructionId id : module.entry().parameters) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, HostBytes(module.shape(id)));
    memory->arguments -= bytes;
  }
  TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, HostBytes(module.shape(module.entry().root)));
  memory->results -= bytes;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CompiledMemory> MemoryOfCompiled(const hlo::Module& module) {
  TESSERA_ASSIGN_OR_RETURN(const DeviceBuffers found, target::FindDeviceBuffers(module));
  CompiledMemory memory;
  TESSERA_RETURN_IF_ERROR(AddArguments(module, &memory.device));
  TESSERA_RETURN_IF_ERROR(AddResults(module, &memory.device));
  const layout::Shape& result = module.shape(module.entry().root);
  if (found.has_tiles && result.is_tuple()) {
    memory.device.results -=
        (kPointerBytes - kTpuPointerBytes) * static_cast<int64_t>(result.tuple_elements().size());
  }
  TESSERA_RETURN_IF_ERROR(TakeOutHost(module, &memory.device));
  // A donor that the compiler did not use stays in the header, and has no result.
  memory.device.aliased = found.aliased;
  TESSERA_RETURN_IF_ERROR(AddTemporaries(module, found, &memory.device));
  for (size_t k = 1; k < found.spaces.size(); ++k) {
    const MemorySpace& s = found.spaces[k];
    memory.others.push_back({s.space, target::MemorySpaceName(s.space),
                             s.arguments + s.results + s.constants + s.peak, s.peak,
                             NameOf(module, s.peak_at)});
  }
  return memory;
}

int64_t ReportedPeak(const CompiledMemory& memory) {
  int64_t temporaries = memory.device.temporaries;
  int64_t stays = memory.device.total() - temporaries;
  for (const OtherMemory& other : memory.others) {
    temporaries = std::max(temporaries, other.temporaries);
    stays += other.bytes - other.temporaries;
  }
  return stays + temporaries;
}

}  // namespace tessera::cost
