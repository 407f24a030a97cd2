#include "tessera/pipeline/verbs/search/target_cost.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<hlo::Module> ProgramOf(hlo::Module module, const TargetChoice& choice,
                                      target::FusionMemory* fusions) {
  TESSERA_RETURN_IF_ERROR(CheckDevices(module, choice.target));
  TESSERA_ASSIGN_OR_RETURN(const auto passes, target::PassesOf(choice.target));
  target::Context context(std::move(module), choice.target, choice.flags);
  context.fusions = fusions;
  TESSERA_RETURN_IF_ERROR(target::RunPasses(target::PassesOfPartitioner(choice.target), &context));
  TESSERA_RETURN_IF_ERROR(target::RunPasses(passes, &context));
  return std::move(context.program).Release();
}

}  // namespace

std::vector<Flag> TargetFlagsOfSearch() {
  std::vector<Flag> flags = TargetFlags();
  flags[0].value = "CHIP:TOPOLOGY|FILE";
  flags[0].help =
      "the machine: tpu-v5e:4x4, h100:1x1x8, .., priced as by `tessera cost`. For another preset "
      "of "
      "docs/reshards.md, or a file of that form, times are sums of links and device: nothing overlaps";
  return flags;
}

absl::StatusOr<std::optional<TargetChoice>> ReadTargetOfSearch(const Arguments& arguments) {
  const auto target = target::ParseTarget(arguments.Get("target"));
  const bool has_times = target.ok() && cost::KernelClock::Of(*target).ok();
  if (arguments.Has("target") && !arguments.Has("xla-flags") && !has_times) return std::nullopt;
  return ReadTarget(arguments);
}

absl::StatusOr<cost::StepCost> CostOnTarget(const PartitionerInput& input,
                                            const TargetChoice& choice,
                                            target::FusionMemory* fusions) {
  TESSERA_ASSIGN_OR_RETURN(
      auto made, MakeDeviceModule(input, target::PartitionerOptions(choice.target, choice.flags)));
  TESSERA_ASSIGN_OR_RETURN(const int64_t peak,
                           PeakOnTarget(made.module, /*is_made=*/true, choice, fusions));
  TESSERA_ASSIGN_OR_RETURN(const hlo::Module module,
                           ProgramOf(std::move(made.module), choice, fusions));
  TESSERA_ASSIGN_OR_RETURN(const auto standing, target::FindStanding(module));
  TESSERA_ASSIGN_OR_RETURN(const cost::TargetStep step,
                           cost::StepOnTarget(module, standing, choice.target, {}));
  cost::StepCost cost;
  cost.memory = peak;
  cost.sent = step.sent;
  cost.collectives = static_cast<int64_t>(step.links.size());
  cost.device_s = step.device_s;
  cost.network_s = step.exposed_s;
  cost.without_time = step.without_time;
  cost.counted_once = step.loops_counted_once;
  cost.unpriced = static_cast<int64_t>(step.unknown.size());
  for (const hlo::InstructionId id : step.unknown) {
    cost.unpriced_names.emplace_back(module.instruction(id).name);
  }
  return cost;
}

}  // namespace tessera::pipeline
