// Temporaries: what liveness says of a device's program, at the step that needs most and in what
// runs there. What crosses the program's border is in boundary.cc.

#include "tessera/cost/memory/device_memory.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/boundary.h"
#include "tessera/cost/memory/fused.h"
#include "tessera/cost/memory/tiled_layouts.h"
#include "tessera/layout/shape_text.h"
#include "tessera/projection/cost/memory/peak_memory.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using layout::Shape;
using projection::Buffer;
using projection::MemoryProfile;
using projection::MemoryReport;
using sharding::partition::PartitionedModule;

// Arguments and results are no temporaries.
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

// The step with the most live bytes, and the instruction that runs then, which makes the last of
// its arrays; none where it makes an earlier one.
struct Peak {
  int64_t step = 0, bytes = 0;
  InstructionId running = hlo::kNoId;
};

Peak PeakIn(const std::vector<int64_t>& bytes, const MemoryReport& report) {
  const auto most = std::max_element(bytes.begin(), bytes.end());
  if (most == bytes.end() || *most <= 0) return {};
  const int64_t step = most - bytes.begin();
  const size_t parameters = report.values.size() - bytes.size();
  const projection::ArrayOf& made = report.values[parameters + static_cast<size_t>(step)];
  return {step, *most, made.leaf + 1 == made.leaves ? made.instruction : hlo::kNoId};
}

absl::StatusOr<Peak> AddPeak(const hlo::Module& device, const MemoryReport& report,
                             DeviceMemory* memory) {
  const MemoryProfile& profile = report.profile;
  const Peak peak = PeakIn(TemporariesOf(profile), report);
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
  while (caller != hlo::kNoId) {
    TESSERA_ASSIGN_OR_RETURN(const auto inside,
                             projection::PeakMemoryInside(device, caller, options));
    if (!inside.has_value()) break;
    const Peak peak = PeakIn(inside->profile.live, *inside);
    for (const Buffer& buffer : inside->profile.buffers) {
      if (buffer.bytes == 0 || buffer.first > peak.step || buffer.last < peak.step) continue;
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer alive, AliveBuffer(device, *inside, buffer));
      alive.inside = std::string(device.instruction(caller).name);
      memory->at_peak.push_back(std::move(alive));
    }
    caller = peak.running;
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

// The parts of a module on a device; the list of what is alive inside of what runs at the peak is
// left out, which begins there.
absl::StatusOr<DeviceMemory> Measure(const hlo::Module& device,
                                     const projection::MemoryOptions& options,
                                     MemoryTimeline* timeline, InstructionId* running) {
  DeviceMemory memory;
  TESSERA_RETURN_IF_ERROR(AddArguments(device, &memory));
  TESSERA_RETURN_IF_ERROR(AddResults(device, &memory));
  TESSERA_ASSIGN_OR_RETURN(const MemoryReport report, projection::PeakMemory(device, options));
  memory.constants = report.constants;
  TESSERA_ASSIGN_OR_RETURN(const Peak peak, AddPeak(device, report, &memory));
  *running = peak.running;
  if (timeline != nullptr) *timeline = TimelineOf(device, report);
  return memory;
}

}  // namespace

absl::StatusOr<DeviceMemory> MemoryOf(const PartitionedModule& program, MemoryTimeline* timeline,
                                      const layout::TileRules* tiles) {
  std::optional<hlo::Module> tiled;
  if (tiles != nullptr) TileForHardware(*tiles, &tiled.emplace(program.module));
  const hlo::Module& device = tiled.has_value() ? *tiled : program.module;
  projection::MemoryOptions options;
  options.fused = FusedInstructions(device);
  InstructionId running = hlo::kNoId;
  TESSERA_ASSIGN_OR_RETURN(DeviceMemory memory, Measure(device, options, timeline, &running));
  TESSERA_RETURN_IF_ERROR(AddInside(device, options, running, &memory));
  for (std::vector<DeviceBuffer>* const list : {&memory.at_peak, &memory.argument_list}) {
    for (DeviceBuffer& buffer : *list) buffer.source = program.sources[buffer.instruction];
    if (tiles != nullptr) AddAdvice(device, *tiles, list);
  }
  return memory;
}

absl::StatusOr<int64_t> TotalMemoryOf(const hlo::Module& device, Fused fused) {
  projection::MemoryOptions options;
  options.fused = std::move(fused);
  InstructionId running = hlo::kNoId;
  TESSERA_ASSIGN_OR_RETURN(const DeviceMemory memory,
                           Measure(device, options, /*timeline=*/nullptr, &running));
  return memory.total();
}

}  // namespace tessera::cost
