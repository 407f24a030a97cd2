#include "tessera/cost/memory/target_memory.h"

#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/boundary.h"
#include "tessera/cost/memory/peak_findings.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_by_kernels.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/target/schedule/live_memory.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using target::Dataflow;
using target::ValueId;

class Prediction {
 public:
  Prediction(const Dataflow& flow, const target::Target& target, target::FusionMemory* fusions,
             const target::FusedBefore* before)
      : flow_(flow), model_(flow, target, fusions, before) {}

  absl::StatusOr<TargetMemory> Run(bool tries_changes) {
    TESSERA_ASSIGN_OR_RETURN(const ModelledPeak found, model_.Find({}));
    static_cast<PeakSize&>(memory_) = found;
    memory_.in_hbm = memory_.temporaries() - (found.live.Counted() - found.live.peak);
    TESSERA_RETURN_IF_ERROR(AddBuffers(found.live));
    if (tries_changes) {
      TESSERA_ASSIGN_OR_RETURN(memory_.findings, FindPeakFindings(flow_, model_, found));
    }
    return std::move(memory_);
  }

  absl::StatusOr<PeakSize> Peak() const {
    TESSERA_ASSIGN_OR_RETURN(const ModelledPeak found, model_.Find({}));
    for (const auto* values : {&flow_.arguments, &found.live.at_peak}) {
      for (const ValueId v : *values) TESSERA_RETURN_IF_ERROR(PlainSizes(v).status());
    }
    return static_cast<const PeakSize&>(found);
  }

 private:
  absl::StatusOr<layout::MemorySizes> PlainSizes(ValueId v) const {
    return layout::SizesOf(flow_.values[v].shape->WithoutLayout());
  }

  absl::Status AddBuffers(const target::LiveMemory& live) {
    for (const target::NodeId n : live.path) memory_.peak_at.push_back(flow_.nodes[n].instruction);
    for (const target::CurvePoint& point : live.curve) {
      memory_.curve.push_back({flow_.nodes[point.node].instruction,
                               memory_.peak - live.Counted() + point.bytes, point.kernels});
    }
    for (const ValueId v : flow_.arguments) {
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer, BufferOf(v));
      memory_.argument_list.push_back(std::move(buffer));
    }
    SortBySize(&memory_.argument_list);
    TESSERA_ASSIGN_OR_RETURN(memory_.at_peak, Sorted(live.at_peak));
    if (!memory_.counts_vmem()) return absl::OkStatus();
    TESSERA_ASSIGN_OR_RETURN(memory_.in_vmem, Sorted(live.fast.values));
    memory_.copied_to_vmem = live.fast.copied_ahead;
    return absl::OkStatus();
  }

  // The largest first.
  absl::StatusOr<std::vector<DeviceBuffer>> Sorted(const std::vector<ValueId>& values) const {
    std::vector<DeviceBuffer> buffers;
    for (const ValueId v : values) {
      TESSERA_ASSIGN_OR_RETURN(DeviceBuffer buffer, BufferOf(v));
      buffers.push_back(std::move(buffer));
    }
    absl::c_sort(buffers, [](const DeviceBuffer& a, const DeviceBuffer& b) {
      return std::tie(b.bytes, a.name, a.leaf) < std::tie(a.bytes, b.name, b.leaf);
    });
    return buffers;
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
    buffer.shape = layout::ShapeToString(model_.Laid(v));
    buffer.bytes = model_.BytesOf(v);
    TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes plain, PlainSizes(v));
    buffer.padding = buffer.bytes - plain.data_bytes;
    return buffer;
  }

  const Dataflow& flow_;
  const PeakModel model_;
  TargetMemory memory_;
};

}  // namespace

absl::StatusOr<TargetMemory> MemoryOnTarget(const hlo::Module& module, const target::Target& target,
                                            bool tries_changes) {
  TESSERA_ASSIGN_OR_RETURN(const Dataflow flow, FlowForPeak(module, target));
  return Prediction(flow, target, nullptr, nullptr).Run(tries_changes);
}

absl::StatusOr<TargetMemory> MemoryOnTarget(const target::Context& context, bool tries_changes) {
  TESSERA_ASSIGN_OR_RETURN(const Dataflow flow,
                           FlowForPeak(context.program.module(), context.target));
  const target::FusedBefore before = KernelsBefore(context);
  return Prediction(flow, context.target, context.fusions, &before).Run(tries_changes);
}

absl::StatusOr<PeakSize> PeakOnTarget(const target::Context& context) {
  TESSERA_ASSIGN_OR_RETURN(const Dataflow flow,
                           FlowForPeak(context.program.module(), context.target));
  const target::FusedBefore before = KernelsBefore(context);
  return Prediction(flow, context.target, context.fusions, &before).Peak();
}

}  // namespace tessera::cost
