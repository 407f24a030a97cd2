// Annotations that make a program better, each tried.
//
//   CostFixes fixes;
//   fixes.of.resize(reshards.size());
//   TryAll(input, options, {{0, candidate}, ..}, outcome_of, is_better, &fixes);
//   fixes.of[0].front().annotations        // {"constrain dot.7: P('data', None)"}
//   fixes.of[0].front().after.sent         // of the whole program with it
//
// Each candidate is propagated and partitioned from the start; `outcome_of` looks at what it makes.
// Who makes the candidates: memory_fixes.h, reshard_fixes.h. Cost: a propagation and a partitioning
// each, on all cores. Tested by memory_fixes_test.cc and reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_FIXES_COST_FIXES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_FIXES_COST_FIXES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/fixes/fix_candidates.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/explain/event_log.h"

namespace tessera::pipeline {

struct CostFix {
  std::vector<std::string> annotations;  // in words, needed together
  cost::StepCost after;                  // of the whole program with it
};

struct CostFixes {
  cost::StepCost before;                 // of the whole program as it is
  std::vector<std::vector<CostFix>> of;  // of each thing to fix, three at most, best first
  int64_t tried = 0;                     // candidates
};

struct Try {
  size_t of = 0;  // what it is made for: a place in CostFixes::of
  FixCandidate candidate;
};

// What a try makes of the program.
struct TryOutcome {
  std::vector<size_t> fixed;  // places in CostFixes::of
  cost::StepCost after;
};

// Of the program with the annotations of a try; none if it is not better or nothing is fixed.
using OutcomeOf =
    std::function<std::optional<TryOutcome>(const Try& tried, const PartitionerInput& edited)>;
using IsBetter = bool (*)(const CostFix&, const CostFix&);

// Adds the fixes among the tries to `fixes`. `input` has been propagated with these options. What
// the pass refuses is no fix.
void TryAll(const PartitionerInput& input, const ShardOptions& options,
            const std::vector<Try>& tries, const OutcomeOf& outcome_of, IsBetter is_better,
            CostFixes* fixes);

// Memory and bytes of a program; none where the partitioner refuses it.
std::optional<cost::StepCost> CostOfInput(const PartitionerInput& input,
                                          const layout::TileRules* tiles = nullptr);

// `input` propagated once more with a recorder, to ask why. Errors as of RunExplained().
absl::StatusOr<Explained> ExplainInput(const PartitionerInput& input, ShardOptions options);

// The value that an array of an instruction of `explained.sharded->module` is; none for kNoId and
// for what is no value of the program.
std::optional<sharding::explain::SlotId> SlotOf(const Explained& explained, hlo::InstructionId id,
                                                int leaf = 0);

// "fix: annotate w: P('data', None) and 2 alike"
std::string FixText(const CostFix& fix);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_FIXES_COST_FIXES_H_
