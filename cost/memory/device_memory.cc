#include "tessera/cost/memory/device_memory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/device_module.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/cost/memory/received.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/memory/peak_memory.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using layout::Shape;
using projection::Buffer;
using projection::MemoryProfile;
using projection::MemoryReport;

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

// Arguments, results and constants are no temporaries.
bool IsTemporary(const Buffer& buffer, const MemoryProfile& profile) {
  return buffer.first >= 0 && buffer.last < static_cast<int64_t>(profile.live.size());
}

// Bytes of temporaries at each step: all that is alive, less what is none.
std::vector<int64_t> TemporariesOf(const MemoryProfile& profile) {
  const size_t steps = profile.live.size();
  std::vector<int64_t> change(steps + 1, 0);
  for (const Buffer& buffer : profile.buffers) {
    if (IsTemporary(buffer, profile)) continue;
    const auto first = static_cast<size_t>(std::max<int64_t>(buffer.first, 0));
    const auto last = static_cast<size_t>(std::min(buffer.last + 1, static_cast<int64_t>(steps)));
    if (first >= last) continue;
    change[first] -= buffer.bytes;
    change[last] += buffer.bytes;
  }
  std::vector<int64_t> bytes = profile.live;
  int64_t offset = 0;
  for (size_t s = 0; s < steps; ++s) bytes[s] += offset += change[s];
  return bytes;
}

std::string NameOf(const hlo::Module& device, const MemoryReport& report, const Buffer& buffer) {
  return projection::NameOf(device, report.values[static_cast<size_t>(buffer.values.front())]);
}

absl::StatusOr<DeviceBuffer> AliveBuffer(const hlo::Module& device, const MemoryReport& report,
                                         const Buffer& buffer) {
  const projection::ArrayOf& array = report.values[static_cast<size_t>(buffer.values.front())];
  const Shape* shape = projection::ArrayLeaves(device.shape(array.instruction))[array.leaf];
  TESSERA_ASSIGN_OR_RETURN(DeviceBuffer alive,
                           BufferOf(NameOf(device, report, buffer), *shape, array.instruction));
  alive.leaf = array.leaf;
  alive.bytes = buffer.bytes;  // of all that share it
  return alive;
}

// Of the most that is alive at once: the step, and the instruction that runs then.
struct Peak {
  int64_t step = 0, bytes = 0;
  InstructionId at = hlo::kNoId;
};

Peak PeakOf(const std::vector<int64_t>& bytes, const MemoryReport& report) {
  const auto most = std::max_element(bytes.begin(), bytes.end());
  if (most == bytes.end() || *most <= 0) return {};
  const int64_t step = most - bytes.begin();
  const size_t parameters = report.values.size() - bytes.size();
  return {step, *most, report.values[parameters + static_cast<size_t>(step)].instruction};
}

absl::StatusOr<Peak> AddPeak(const hlo::Module& device, const MemoryReport& report,
                             DeviceMemory* memory) {
  const MemoryProfile& profile = report.profile;
  const Peak peak = PeakOf(TemporariesOf(profile), report);
  memory->temporaries = peak.bytes;
  if (peak.bytes == 0) return peak;
  for (const Buffer& buffer : profile.buffers) {
    if (buffer.first == peak.step) memory->peak_at = NameOf(device, report, buffer);
    if (!IsTemporary(buffer, profile) || buffer.first > peak.step || buffer.last < peak.step)
      continue;
    if (buffer.bytes == 0) continue;
    TESSERA_ASSIGN_OR_RETURN(DeviceBuffer alive, AliveBuffer(device, report, buffer));
    memory->at_peak.push_back(std::move(alive));
  }
  SortBySize(&memory->at_peak);
  return peak;
}

// What the computation that needs most of those that `caller` runs holds at its own peak; the same
// of what runs there.
absl::Status AddInside(const hlo::Module& device, const projection::MemoryOptions& options,
                       InstructionId caller, DeviceMemory* memory) {
  constexpr hlo::Opcode kRunning[] = {hlo::Opcode::kWhile, hlo::Opcode::kCall,
                                      hlo::Opcode::kConditional, hlo::Opcode::kAsyncStart};
  while (caller != hlo::kNoId &&
         absl::c_linear_search(kRunning, device.instruction(caller).opcode)) {
    MemoryReport worst;
    Peak peak;
    for (const hlo::ComputationId called : device.called(caller)) {
      TESSERA_ASSIGN_OR_RETURN(MemoryReport report,
                               projection::PeakMemoryOf(device, called, options));
      const Peak its = PeakOf(report.profile.live, report);
      if (its.bytes <= peak.bytes) continue;
      peak = its;
      worst = std::move(report);
    }
    for (const Buffer& buffer : worst.profile.buffers) {
      if (buffer.first < 0 || buffer.first > peak.step || buffer.last < peak.step) continue;
      if (buffer.bytes == 0) continue;
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer alive, AliveBuffer(device, worst, buffer));
      alive.inside = std::string(device.instruction(caller).name);
      memory->at_peak.push_back(std::move(alive));
    }
    caller = peak.at;
  }
  SortBySize(&memory->at_peak);
  return absl::OkStatus();
}

// Better layouts for the buffers in `list`, whose shapes are those of `device`.
void AddAdvice(const hlo::Module& device, const layout::TileRules& rules,
               std::vector<DeviceBuffer>* list) {
  for (DeviceBuffer& buffer : *list) {
    const Shape& shape = device.shape(buffer.instruction);
    if (!shape.is_array() || buffer.padding == 0) continue;
    const std::optional<LayoutAdvice> better = BetterLayout(shape, rules);
    if (!better.has_value()) continue;
    buffer.better_shape = layout::ShapeToString(better->shape);
    buffer.better_bytes = better->bytes;
  }
}

MemoryTimeline TimelineOf(const hlo::Module& device, const MemoryReport& report) {
  const MemoryProfile& profile = report.profile;
  MemoryTimeline timeline;
  timeline.steps = TemporariesOf(profile);
  for (const Buffer& buffer : profile.buffers) {
    if (!IsTemporary(buffer, profile) || buffer.bytes == 0) continue;
    timeline.lifetimes.push_back(
        {NameOf(device, report, buffer), buffer.first, buffer.last, buffer.bytes});
  }
  std::stable_sort(timeline.lifetimes.begin(), timeline.lifetimes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return timeline;
}

// The parts of a module on a device.
absl::StatusOr<DeviceMemory> Measure(const hlo::Module& device,
                                     const projection::MemoryOptions& options, bool with_inside,
                                     MemoryTimeline* timeline) {
  DeviceMemory memory;
  TESSERA_RETURN_IF_ERROR(AddArguments(device, &memory));
  TESSERA_RETURN_IF_ERROR(AddResults(device, &memory));
  TESSERA_ASSIGN_OR_RETURN(const MemoryReport report, projection::PeakMemory(device, options));
  TESSERA_ASSIGN_OR_RETURN(const Peak peak, AddPeak(device, report, &memory));
  if (with_inside) TESSERA_RETURN_IF_ERROR(AddInside(device, options, peak.at, &memory));
  if (timeline != nullptr) *timeline = TimelineOf(device, report);
  return memory;
}

}  // namespace

absl::StatusOr<DeviceMemory> MemoryOf(hlo::Module module,
                                      const sharding::partition::Partitioned& found,
                                      MemoryTimeline* timeline, const layout::TileRules* tiles) {
  projection::MemoryOptions options;
  TESSERA_ASSIGN_OR_RETURN(options.scratch, ReceivedIn(module, found));
  TESSERA_RETURN_IF_ERROR(ShrinkToDevice(&module));
  options.fused = FusedInstructions(module, options.scratch);
  if (tiles != nullptr) TileForHardware(*tiles, &module);
  TESSERA_ASSIGN_OR_RETURN(DeviceMemory memory,
                           Measure(module, options, /*with_inside=*/true, timeline));
  if (tiles == nullptr) return memory;
  AddAdvice(module, *tiles, &memory.at_peak);
  AddAdvice(module, *tiles, &memory.argument_list);
  return memory;
}

absl::StatusOr<DeviceMemory> MemoryOf(const hlo::Module& device, Received received, Fused fused) {
  projection::MemoryOptions options;
  options.scratch = std::move(received);
  options.fused = std::move(fused);
  return Measure(device, options, /*with_inside=*/false, /*timeline=*/nullptr);
}

}  // namespace tessera::cost
