#include "tessera/cost/memory/boundary.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using layout::Shape;

constexpr int64_t kPointer = 8;  // of an element in the table of a tuple

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

const Shape* ElementAt(const Shape& shape, absl::Span<const int64_t> path) {
  const Shape* at = &shape;
  for (const int64_t index : path) {
    if (!at->is_tuple() || index < 0 || static_cast<size_t>(index) >= at->tuple_elements().size()) {
      return nullptr;
    }
    at = &at->tuple_elements()[static_cast<size_t>(index)];
  }
  return at;
}

using Sizes = absl::flat_hash_map<int64_t, int64_t>;  // how many arrays have so many bytes

bool HasAlias(const hlo::Module& device, const hlo::BufferDonor& donor) {
  return absl::c_any_of(device.header().input_output_alias, [&](const hlo::AliasEntry& alias) {
    return alias.parameter_number == donor.parameter_number &&
           alias.parameter_index == donor.parameter_index;
  });
}

// Arguments that are given away take results of their size, where no alias says which: XLA finds
// these pairs itself, the largest first, and equal sizes are what counts. An argument has room for
// one result.
absl::Status AddDonated(const hlo::Module& device, Sizes results, Checked* aliased) {
  for (const hlo::BufferDonor& donor : device.header().buffer_donor) {
    const auto& parameters = device.entry().parameters;
    if (static_cast<size_t>(donor.parameter_number) >= parameters.size()) continue;
    if (HasAlias(device, donor)) continue;
    const Shape* given =
        ElementAt(device.shape(parameters[static_cast<size_t>(donor.parameter_number)]),
                  donor.parameter_index);
    if (given == nullptr) continue;
    TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(*given));
    if (results[bytes]-- > 0) *aliased += bytes;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DeviceBuffer> BufferOf(std::string name, const Shape& array, InstructionId id) {
  DeviceBuffer buffer;
  buffer.name = std::move(name);
  buffer.instruction = id;
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
  Sizes free;  // of results that no alias names
  TESSERA_RETURN_IF_ERROR(ForEachArray(shape, [&](const Shape& leaf, size_t, size_t) {
    const auto bytes = BytesOf(leaf);
    if (!bytes.ok()) return bytes.status();
    results += *bytes;
    ++free[*bytes];
    return absl::OkStatus();
  }));
  if (shape.is_tuple()) {
    results += kPointer * static_cast<int64_t>(shape.tuple_elements().size());
  }
  for (const hlo::AliasEntry& alias : device.header().input_output_alias) {
    const Shape* element = ElementAt(shape, alias.output_index);
    if (element == nullptr) continue;
    TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(*element));
    aliased += bytes;
    --free[bytes];
  }
  TESSERA_RETURN_IF_ERROR(AddDonated(device, std::move(free), &aliased));
  TESSERA_ASSIGN_OR_RETURN(memory->results, ValueOf(results));
  TESSERA_ASSIGN_OR_RETURN(memory->aliased, ValueOf(aliased));
  return absl::OkStatus();
}

}  // namespace tessera::cost
