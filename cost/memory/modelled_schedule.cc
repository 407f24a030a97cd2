#include "tessera/cost/memory/modelled_schedule.h"

#include "absl/container/flat_hash_set.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/program/device_program.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::ComputationId;

std::vector<ComputationId> ComputationsOf(const hlo::Module& module) {
  std::vector<ComputationId> out(module.num_instructions(), hlo::kNoId);
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    for (const hlo::InstructionId id : module.computation(c).instructions) out[id] = c;
  }
  return out;
}

// Those in `before`, and of other computations with nodes those that fusion makes.
target::FusedBefore KernelsOf(const target::Dataflow& flow,
                              const std::vector<ComputationId>& computations,
                              target::FusionMemory* fusions, target::FusedBefore before) {
  const target::DeviceProgram program{hlo::Module(*flow.module)};
  for (const target::Node& node : flow.nodes) {
    const ComputationId c = computations[node.instruction];
    if (!before.contains(c)) before.emplace(c, target::ResultsOf(program, c, fusions));
  }
  return before;
}

void AddForms(const target::Dataflow& flow, const target::LiveMemory& live,
              ModelledSchedule* schedule) {
  const absl::flat_hash_set<target::NodeId> waited(live.waited.begin(), live.waited.end());
  for (target::NodeId n = 0; n < flow.nodes.size(); ++n) {
    if (!target::IsMessage(flow.nodes[n].opcode)) continue;
    const auto form = schedule->is_synchronous.try_emplace(flow.nodes[n].instruction, true).first;
    form->second = form->second && waited.contains(n);
  }
}

}  // namespace

absl::StatusOr<ModelledSchedule> ModelSchedule(const hlo::Module& module,
                                               const target::Target& target,
                                               target::FusionMemory* fusions,
                                               const target::FusedBefore& before) {
  TESSERA_ASSIGN_OR_RETURN(const target::Dataflow flow, FlowForPeak(module, target));
  const std::vector<ComputationId> computations = ComputationsOf(module);
  target::FusionMemory own;
  if (fusions == nullptr) fusions = &own;
  ModelledSchedule schedule;
  schedule.kernels = KernelsOf(flow, computations, fusions, before);
  TESSERA_ASSIGN_OR_RETURN(const ModelledPeak found,
                           PeakModel(flow, target, fusions, &schedule.kernels).Find({}));
  schedule.peak = found.peak;
  AddForms(flow, found.live, &schedule);
  for (const target::NodeStep& step : found.live.order) {
    const hlo::InstructionId id = flow.nodes[step.node].instruction;
    schedule.order[computations[id]].push_back({id, step.starts, step.ends});
  }
  return schedule;
}

ModelledSchedule ScheduleOf(const target::Context& context, const hlo::Module& module) {
  if (context.target.chip->platform != target::Platform::kGpu) return {};
  return ModelSchedule(module, context.target, context.fusions, context.results)
      .value_or(ModelledSchedule());
}

}  // namespace tessera::cost
