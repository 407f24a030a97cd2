#include "tessera/cost/memory/boundary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using layout::Shape;

absl::StatusOr<int64_t> ValueOf(Checked sum) {
  if (!sum.ok()) return projection::OverflowError("the memory of a device");
  return sum.value();
}

absl::StatusOr<int64_t> BytesOf(const Shape& shape) {
  TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
  return sizes.alloc_bytes;
}

template <typename Visit>  // (leaf, its number, how many there are)
absl::Status ForEachArray(const Shape& shape, Visit&& visit) {
  std::vector<const Shape*> leaves;
  layout::ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(&leaf); });
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (leaves[k]->is_array()) TESSERA_RETURN_IF_ERROR(visit(*leaves[k], k, leaves.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DeviceBuffer> BufferOf(std::string name, const Shape& array, InstructionId id) {
  DeviceBuffer buffer;
  buffer.name = std::move(name);
  buffer.instruction = buffer.source = id;
  buffer.shape = layout::ShapeToString(IsTiled(array) ? array : array.WithoutLayout());
  TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(array));
  buffer.bytes = sizes.alloc_bytes;
  buffer.padding = sizes.padded_bytes - sizes.data_bytes;
  return buffer;
}

void SortBySize(std::vector<DeviceBuffer>* buffers) {
  std::stable_sort(buffers->begin(), buffers->end(),
                   [](const DeviceBuffer& a, const DeviceBuffer& b) { return a.bytes > b.bytes; });
}

absl::Status AddArguments(const hlo::Module& device, DeviceMemory* memory) {
  Checked sum = 0;
  for (const InstructionId id : device.entry().parameters) {
    const std::string name(device.instruction(id).name);
    TESSERA_RETURN_IF_ERROR(
        ForEachArray(device.shape(id), [&](const Shape& leaf, size_t k, size_t count) {
          auto buffer = BufferOf(count == 1 ? name : absl::StrCat(name, "{", k, "}"), leaf, id);
          if (!buffer.ok()) return buffer.status();
          buffer->leaf = k;
          sum += buffer->bytes;
          memory->argument_list.push_back(*std::move(buffer));
          return absl::OkStatus();
        }));
  }
  TESSERA_ASSIGN_OR_RETURN(memory->arguments, ValueOf(sum));
  SortBySize(&memory->argument_list);
  return absl::OkStatus();
}

absl::Status AddResults(const hlo::Module& device, DeviceMemory* memory) {
  const Shape& shape = device.shape(device.entry().root);
  Checked results = 0, aliased = 0;
  std::vector<int64_t> sizes;  // of the arrays
  TESSERA_RETURN_IF_ERROR(ForEachArray(shape, [&](const Shape& leaf, size_t, size_t) {
    const auto bytes = BytesOf(leaf);
    if (!bytes.ok()) return bytes.status();
    results += *bytes;
    sizes.push_back(*bytes);
    return absl::OkStatus();
  }));
  if (shape.is_tuple()) {
    results += kPointerBytes * static_cast<int64_t>(shape.tuple_elements().size());
  }
  TESSERA_ASSIGN_OR_RETURN(const auto pairs, projection::EntryAliases(device, BytesOf));
  for (const auto& [result, parameter] : pairs) aliased += sizes[static_cast<size_t>(result)];
  TESSERA_ASSIGN_OR_RETURN(memory->results, ValueOf(results));
  TESSERA_ASSIGN_OR_RETURN(memory->aliased, ValueOf(aliased));
  return absl::OkStatus();
}

}  // namespace tessera::cost
