// What both sides of a `diff` cost.
//
//   const auto costs = CostsOfSides({before, options_a, target_a}, {after, options_b, target_b});
//   CostsText(*costs);      // as `tessera cost` says them:
//   // on tpu-v5e:4x4               before          after
//   // a step takes                 109 ms        31.9 ms
//   NoteOnSent(..)          // without a target:
//   // "note: a device sends 108.8 MiB in A, 170.4 MiB in B (tessera collectives)", and below it the
//   // operations of the program whose collectives differ most
//
// Cost: both sides are partitioned; with a target they go through its passes, too. Tested by
// golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/schema/golden_answer.pb.h"
#include "tessera/pipeline/shard.h"

namespace tessera::pipeline {

struct GoldenRun;

// A side of a `diff`. The targets of both are one machine, or none; flags of XLA may differ.
struct PricedSide {
  const GoldenRun& run;
  const ShardOptions& options;
  const std::optional<TargetChoice>& target;
};

// Of both, on a target.
struct DiffCosts {
  absl::StatusOr<cost::StepCost> before, after;
  std::string target;
  bool is_timed = false;  // the target has a model of its time
};

// Nothing without a target, and where one side is no module.
std::optional<DiffCosts> CostsOfSides(const PricedSide& a, const PricedSide& b);

std::string CostsText(const DiffCosts& costs);
void FillCosts(const DiffCosts& costs, answers::ComparisonAnswer* to);

// Empty where one side is no module, or is refused.
std::string NoteOnSent(const PricedSide& a, const PricedSide& b);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
