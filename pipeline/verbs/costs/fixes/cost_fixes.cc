#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/pipeline/verbs/costs/input/device_module.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxFixes = 3;  // of one thing

absl::StatusOr<PartitionerInput> Edited(
    const PartitionerInput& input, const ShardOptions& options,
    const std::vector<sharding::passes::AnnotationEdit>& edits) {
  ShardOptions edited_options = OptionsAfterCleanUps(options);
  edited_options.edits = edits;
  return PropagatedInput(input.sharded->module, edited_options);
}

// Two things may ask for the same annotations.
void AddOnce(const CostFix& fix, std::vector<CostFix>* fixes) {
  const auto is_same = [&](const CostFix& other) { return other.annotations == fix.annotations; };
  if (absl::c_none_of(*fixes, is_same)) fixes->push_back(fix);
}

}  // namespace

void TryAll(const PartitionerInput& input, const ShardOptions& options,
            const std::vector<Try>& tries, const OutcomeOf& outcome_of, IsBetter is_better,
            CostFixes* fixes) {
  std::vector<std::optional<TryOutcome>> outcomes(tries.size());
  cost::ForEachIndex(tries.size(), cost::NumThreads(options.jobs), [&](size_t k) {
    const auto edited = Edited(input, options, tries[k].candidate.edits);
    if (edited.ok()) outcomes[k] = outcome_of(tries[k], *edited);
  });
  for (size_t k = 0; k < tries.size(); ++k) {
    if (!outcomes[k].has_value()) continue;
    const CostFix fix = {tries[k].candidate.texts, outcomes[k]->after};
    for (const size_t of : outcomes[k]->fixed) AddOnce(fix, &fixes->of[of]);
  }
  for (std::vector<CostFix>& of : fixes->of) {
    absl::c_stable_sort(of, is_better);
    if (of.size() > kMaxFixes) of.resize(kMaxFixes);
  }
  fixes->tried += static_cast<int64_t>(tries.size());
}

std::optional<cost::StepCost> CostOfInput(const PartitionerInput& input,
                                          const layout::TileRules* tiles) {
  const auto device = MakeDeviceModule(input, sharding::partition::OptionsOfCosts());
  if (!device.ok()) return std::nullopt;
  const auto cost = cost::CostOfStep(input.module, *device, /*machine=*/nullptr, tiles);
  return cost.ok() ? std::make_optional(*cost) : std::nullopt;
}

absl::StatusOr<Explained> ExplainInput(const PartitionerInput& input, ShardOptions options) {
  return RunExplained(input.sharded->module, OptionsAfterCleanUps(std::move(options)));
}

std::optional<sharding::explain::SlotId> SlotOf(const Explained& explained, hlo::InstructionId id,
                                                int leaf) {
  if (id == hlo::kNoId) return std::nullopt;
  const auto value = explained.names->ValueOf(id, leaf);
  if (value == sharding::propagation::kNone) return std::nullopt;
  return explained.log->SlotOf(value);
}

std::string FixText(const CostFix& fix) {
  std::string text = absl::StrCat("fix: ", fix.annotations.front());
  if (fix.annotations.size() > 1) {
    absl::StrAppend(&text, " and ", fix.annotations.size() - 1, " alike");
  }
  return text;
}

}  // namespace tessera::pipeline
