#include "tessera/cost/memory/target_memory.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/boundary.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_wishes.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/live_memory.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using target::ArraySizes;
using target::Dataflow;
using target::ValueId;

class Prediction {
 public:
  Prediction(const Dataflow& flow, const target::Chip& chip)
      : flow_(flow), chip_(chip), sizes_(chip), wishes_(flow) {
    for (const target::Value& value : flow.values)
      bytes_.push_back(sizes_.BytesOf(*value.shape, ChoiceOf(value)));
  }

  absl::StatusOr<TargetMemory> Run() {
    TESSERA_ASSIGN_OR_RETURN(const auto aliases, projection::EntryAliases(*flow_.module));
    TESSERA_RETURN_IF_ERROR(AddBorders(aliases));
    const target::KeptValues kept =
        target::FindKeptValues(flow_, bytes_, target::FusionRulesOf(chip_.platform));
    const target::Homes homes = target::FindHomes(flow_, kept, aliases);
    const target::LiveMemory live = target::FindLiveMemory(
        flow_, kept, homes, bytes_, chip_.platform == target::Platform::kTpu);
    const Checked peak = Checked(memory_.arguments) + memory_.results - memory_.aliased + live.peak;
    if (!peak.ok()) return projection::OverflowError("the memory of a device");
    memory_.peak = peak.value();
    for (const target::NodeId n : live.path) memory_.peak_at.push_back(flow_.nodes[n].instruction);
    for (const target::CurvePoint& point : live.curve) {
      memory_.curve.push_back({flow_.nodes[point.node].instruction,
                               memory_.peak - live.peak + point.bytes, point.kernels});
    }
    for (const ValueId v : live.at_peak) {
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer, BufferOf(v));
      memory_.at_peak.push_back(std::move(buffer));
    }
    absl::c_sort(memory_.at_peak, [](const DeviceBuffer& a, const DeviceBuffer& b) {
      return std::tie(b.bytes, a.name, a.leaf) < std::tie(a.bytes, b.name, b.leaf);
    });
    return std::move(memory_);
  }

 private:
  // What crosses the border has the layout that pads least.
  target::MinorChoice ChoiceOf(const target::Value& value) const {
    if (value.node != target::kNone && flow_.nodes[value.node].opcode == hlo::Opcode::kParameter)
      return {};
    return wishes_.Of(*value.shape);
  }

  absl::Status AddBorders(const std::vector<std::pair<int, int>>& aliases) {
    Checked arguments = 0, results = 0, aliased = 0;
    for (const ValueId v : flow_.arguments) {
      arguments += bytes_[v];
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer, BufferOf(v));
      memory_.argument_list.push_back(std::move(buffer));
    }
    SortBySize(&memory_.argument_list);
    const auto& roots = flow_.scopes[0].roots;
    for (const ValueId v : roots) results += sizes_.BytesOf(*flow_.values[v].shape);
    for (const auto& [result, unused] : aliases)
      aliased += sizes_.BytesOf(*flow_.values[roots[static_cast<size_t>(result)]].shape);
    if (flow_.module->shape(flow_.module->entry().root).is_tuple()) {
      results += sizes_.TableBytes(static_cast<int64_t>(roots.size()));
    }
    if (!arguments.ok() || !results.ok())
      return projection::OverflowError("the memory of a device");
    memory_.arguments = arguments.value();
    memory_.results = results.value();
    memory_.aliased = aliased.value();
    return absl::OkStatus();
  }

  absl::StatusOr<DeviceBuffer> BufferOf(ValueId v) const {
    const target::Value& value = flow_.values[v];
    const target::NodeId loop = flow_.scopes[value.scope].owner;
    const target::Node& node =
        value.node == target::kNone ? flow_.nodes[loop] : flow_.nodes[value.node];
    const hlo::Module& module = *flow_.module;
    DeviceBuffer buffer;
    buffer.instruction = node.instruction;
    buffer.leaf = value.leaf;
    buffer.name = std::string(module.instruction(node.instruction).name);
    if (node.results.size() > 1) absl::StrAppend(&buffer.name, "{", value.leaf, "}");
    if (loop != target::kNone) {
      buffer.inside = std::string(module.instruction(flow_.nodes[loop].instruction).name);
    }
    buffer.shape = layout::ShapeToString(sizes_.Laid(*value.shape, ChoiceOf(value)));
    buffer.bytes = bytes_[v];
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes plain,
                             layout::SizesOf(value.shape->WithoutLayout()));
    buffer.padding = buffer.bytes - plain.data_bytes;
    return buffer;
  }

  const Dataflow& flow_;
  const target::Chip& chip_;
  ArraySizes sizes_;
  const target::LayoutWishes wishes_;
  std::vector<int64_t> bytes_;  // by ValueId
  TargetMemory memory_;
};

}  // namespace

absl::StatusOr<TargetMemory> MemoryOnTarget(const hlo::Module& module,
                                            const target::Target& target) {
  if (target.chip->platform == target::Platform::kCpu) {
    return absl::UnimplementedError("the memory of a program on CPUs is not modelled by target");
  }
  TESSERA_ASSIGN_OR_RETURN(const Dataflow flow, target::FindDataflow(module));
  return Prediction(flow, *target.chip).Run();
}

}  // namespace tessera::cost
