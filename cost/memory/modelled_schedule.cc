#include "tessera/cost/memory/modelled_schedule.h"

#include "absl/container/flat_hash_set.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

void AddForms(const target::Dataflow& flow, const target::LiveMemory& live,
              ModelledSchedule* schedule) {
  const absl::flat_hash_set<target::NodeId> waited(live.waited.begin(), live.waited.end());
  for (target::NodeId n = 0; n < flow.nodes.size(); ++n) {
    if (!target::IsMessage(flow.nodes[n].opcode)) continue;
    const auto form = schedule->is_synchronous.try_emplace(flow.nodes[n].instruction, true).first;
    form->second = form->second && waited.contains(n);
  }
}

absl::StatusOr<ModelledSchedule> Model(const hlo::Module& module, const target::Target& target,
                                       target::FusionMemory* fusions,
                                       const target::FusedBefore* before) {
  TESSERA_ASSIGN_OR_RETURN(const target::Dataflow flow, FlowForPeak(module, target));
  const PeakModel model(flow, target, fusions, before);
  TESSERA_ASSIGN_OR_RETURN(const ModelledPeak found, model.Find({}));
  ModelledSchedule schedule;
  if (target.chip->platform == target::Platform::kGpu) {
    schedule.kernels = model.kernels();
    schedule.peak = found;
    AddForms(flow, found.live, &schedule);
  }
  for (const target::NodeStep& step : found.live.order) {
    const hlo::InstructionId id = flow.nodes[step.node].instruction;
    schedule.order[module.instruction(id).computation].push_back({id, step.starts, step.ends});
  }
  return schedule;
}

}  // namespace

absl::StatusOr<ModelledSchedule> ModelSchedule(const hlo::Module& module,
                                               const target::Target& target) {
  return Model(module, target, nullptr, nullptr);
}

absl::StatusOr<ModelledSchedule> ModelSchedule(const target::Context& context) {
  const target::FusedBefore before = KernelsBefore(context);
  return Model(context.program.module(), context.target, context.fusions, &before);
}

ModelledSchedule ScheduleOf(const target::Context& context) {
  if (context.target.chip->platform == target::Platform::kCpu) return {};
  return ModelSchedule(context).value_or(ModelledSchedule());
}

}  // namespace tessera::cost
