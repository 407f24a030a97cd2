#include "tessera/pipeline/verbs/search/variants/target_cost.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using Passes = absl::Span<const target::Pass>;

// The program of one device after all passes of its target.
struct FinalProgram {
  cost::PeakRange peak;
  cost::ModelledSchedule schedule;
  hlo::Module module;
};

// The peak of a TPU's program is that of the one in front of its kernels, whose passes are others.
absl::Status MeasureMemory(const target::Context& partitioned, FinalProgram* program) {
  if (partitioned.target.chip->platform == target::Platform::kGpu) return absl::OkStatus();
  target::Context context = partitioned;
  TESSERA_RETURN_IF_ERROR(
      target::RunPasses(target::PassesBeforeKernels(partitioned.target), &context));
  TESSERA_ASSIGN_OR_RETURN(program->peak, cost::PeakRangeOnTarget(context));
  return absl::OkStatus();
}

// The order of kernels, and the peak of a GPU.
absl::Status ModelOrder(const target::Context& context, FinalProgram* program) {
  if (context.target.chip->platform != target::Platform::kGpu) {
    program->schedule = cost::ScheduleOf(context);
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(program->schedule, cost::ModelSchedule(context));
  program->peak = cost::PeakRangeOnTarget(context, *program->schedule.peak);
  return absl::OkStatus();
}

absl::StatusOr<FinalProgram> ProgramOf(const PartitionerInput& input, const TargetChoice& choice,
                                       target::FusionMemory* fusions) {
  TESSERA_ASSIGN_OR_RETURN(const Passes passes, target::PassesOf(choice.target));
  TESSERA_ASSIGN_OR_RETURN(const auto context, PartitionOn(input, choice));
  context->fusions = fusions;
  FinalProgram program;
  TESSERA_RETURN_IF_ERROR(MeasureMemory(*context, &program));
  TESSERA_RETURN_IF_ERROR(target::RunPasses(passes, context.get()));
  TESSERA_RETURN_IF_ERROR(ModelOrder(*context, &program));
  program.module = std::move(context->program).Release();
  return program;
}

}  // namespace

std::vector<Flag> TargetFlagsOfSearch() {
  std::vector<Flag> flags = TargetFlags();
  flags[0].placeholder = "CHIP:TOPOLOGY|FILE";
  flags[0].help =
      "the machine: tpu-v5e:4x4, h100:1x1x8, .., priced as by `tessera cost`. For another preset "
      "of docs/reshards.md, or a file of that form, times are sums of links and device: nothing "
      "overlaps";
  return flags;
}

absl::StatusOr<std::optional<TargetChoice>> ReadTargetOfSearch(const Arguments& arguments) {
  const std::string& word = arguments.Get("target");
  const auto target = target::ParseTarget(word);
  const bool is_file = !target.ok() && word.find_first_of("./") != std::string::npos;
  if (is_file) TESSERA_RETURN_IF_ERROR(text::Source::FromFile(word).status());
  const bool is_machine = target.ok() ? !cost::KernelClock::Of(*target).ok()
                                      : is_file || projection::TopologyOf(word).ok();
  if (arguments.Has("target") && !arguments.Has("xla-flags") && is_machine) return std::nullopt;
  return ReadTarget(arguments);
}

cost::StepCost CostOfTargetStep(const cost::TargetStep& step) {
  cost::StepCost cost;
  cost.sent = step.sent;
  cost.collectives = static_cast<int64_t>(step.links.size());
  cost.device_s = step.device_s;
  cost.network_s = step.exposed_s;
  cost.without_time = step.without_time;
  cost.counted_once = step.loops_counted_once;
  cost.unpriced = static_cast<int64_t>(step.unknown.size());
  return cost;
}

absl::StatusOr<cost::StepCost> CostOnTarget(const PartitionerInput& input,
                                            const TargetChoice& choice,
                                            const cost::CallCosts& calls,
                                            target::FusionMemory* fusions) {
  TESSERA_ASSIGN_OR_RETURN(const FinalProgram program, ProgramOf(input, choice, fusions));
  const hlo::Module& module = program.module;
  TESSERA_ASSIGN_OR_RETURN(const auto standing, target::FindStanding(module));
  cost::StepOptions options;
  options.calls = calls;
  options.schedule = &program.schedule;
  TESSERA_ASSIGN_OR_RETURN(const cost::TargetStep step,
                           cost::StepOnTarget(module, standing, choice.target, options));
  cost::StepCost cost = CostOfTargetStep(step);
  cost.memory = program.peak.peak;
  cost.memory_low = program.peak.low;
  cost.memory_high = program.peak.high;
  for (const hlo::InstructionId id : step.unknown) {
    cost.unpriced_names.emplace_back(module.instruction(id).name);
  }
  return cost;
}

}  // namespace tessera::pipeline
