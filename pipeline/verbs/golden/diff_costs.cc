#include "tessera/pipeline/verbs/golden/diff_costs.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/sent_bytes.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

ShardOptions OfCleaned(ShardOptions options) {
  options.stage = Stage::kPass;
  return options;
}

absl::StatusOr<cost::StepCost> CostOf(const hlo::Module& module, const ShardOptions& options,
                                      const TargetChoice& target) {
  TESSERA_ASSIGN_OR_RETURN(
      PartitionerInput input,
      PreparePartitionerInput(module, OfCleaned(options), ShardingState::kToPropagate));
  TESSERA_RETURN_IF_ERROR(LetCallsDecide(&input));
  target::FusionMemory fusions;
  return CostOnTarget(input, target, &fusions);
}

std::string NoteOnSent(const hlo::Module& a, const ShardOptions& options_a, const hlo::Module& b,
                       const ShardOptions& options_b) {
  const auto sent_a = SentBytesOf(a, OfCleaned(options_a));
  const auto sent_b = SentBytesOf(b, OfCleaned(options_b));
  if (!sent_a.has_value() || !sent_b.has_value()) return "";
  return absl::StrCat("note: a device sends ", FormatBytes(*sent_a), " in A, ",
                      FormatBytes(*sent_b), " in B (tessera collectives)\n");
}

}  // namespace

std::string NoteOnCosts(const GoldenRun& before, const ShardOptions& options_a,
                        const GoldenRun& after, const ShardOptions& options_b,
                        const std::optional<TargetChoice>& target) {
  if (!before.module.has_value() || !after.module.has_value()) return "";
  if (!target.has_value()) return NoteOnSent(*before.module, options_a, *after.module, options_b);
  const auto a = CostOf(*before.module, options_a, *target);
  const auto b = CostOf(*after.module, options_b, *target);
  for (const auto* cost : {&a, &b}) {
    if (cost->ok()) continue;
    return absl::StrCat("note: the costs are not known: ", cost->status().message(), "\n");
  }
  const bool has_times = cost::KernelClock::Of(target->target).ok();
  const std::string time = has_times
                               ? absl::StrCat("a step takes ", FormatSeconds(a->seconds()),
                                              " in A, ", FormatSeconds(b->seconds()), " in B; ")
                               : "";
  return absl::StrCat("note: on ", target->target.ToString(), ", ", time, "memory peaks at ",
                      FormatBytes(a->memory), " and ", FormatBytes(b->memory), "; a device sends ",
                      FormatBytes(a->sent), " and ", FormatBytes(b->sent), " (tessera cost)\n");
}

}  // namespace tessera::pipeline
