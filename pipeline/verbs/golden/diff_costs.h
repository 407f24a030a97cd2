// The costs of both sides of a `diff`.
//
//   const auto costs = CostsOfSides({before, options_a, target_a, calls}, {after, options_b, target_b, calls});
//   CostsText(*costs, 5);   // as `tessera cost` says them:
//   // on tpu-v5e:4x4               before          after
//   // a step takes                 109 ms        31.9 ms
//
// Then the operations of the program whose collectives differ most. Without a target all is what `tessera collectives`
// says: the partitioner's.
//
// Cost: both sides are partitioned; with a target twice, and they go through its passes, too. Tested by
// golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
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
  const cost::CallCosts& calls;  // of --kernel-cost
};

// The bytes that collectives of one opcode send for one operation of the program.
struct SentBy {
  std::string op, op_name;
  std::set<std::string> lines_before, lines_after;
  int64_t before = 0, after = 0;

  int64_t difference() const { return before < after ? after - before : before - after; }
};

struct DiffCosts {
  absl::StatusOr<cost::StepCost> before, after;  // without a target only `sent` and `collectives`
  std::string target = "";
  bool is_timed = false;                 // the target has a model of its time
  std::vector<SentBy> differences = {};  // the largest first
};

// Nothing where one side is no module.
std::optional<DiffCosts> CostsOfSides(const PricedSide& a, const PricedSide& b);

// `most`: of the differences at most so many are shown; 0: all.
std::string CostsText(const DiffCosts& costs, size_t most);
void FillCosts(const DiffCosts& costs, answers::ComparisonAnswer* to);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
