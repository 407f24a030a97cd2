// What both sides of a `diff` cost, in a note.
//
//   NoteOnCosts({before, options_a, target_a}, {after, options_b, target_b})
//   // "note: a device sends 108.8 MiB in A, 170.4 MiB in B (tessera collectives)", and below it the
//   // operations of the program whose collectives differ most
//   // with a target also the time of a step and the peak of memory, as `tessera cost` says them
//
// Cost: both sides are partitioned; with a target they go through its passes, too. Tested by
// golden_verbs_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_

#include <optional>
#include <string>

#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"

namespace tessera::pipeline {

// A side of a `diff`. The targets of both are one machine, or none; flags of XLA may differ.
struct PricedSide {
  const GoldenRun& run;
  const ShardOptions& options;
  const std::optional<TargetChoice>& target;
};

// Empty where one side is no module, and without a target where one is refused.
std::string NoteOnCosts(const PricedSide& a, const PricedSide& b);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
