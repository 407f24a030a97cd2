// What both sides of a `diff` cost, in a note.
//
//   NoteOnCosts(before, options_a, after, options_b, target)
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

// Empty where one side is no module, and without a target where one is refused.
std::string NoteOnCosts(const GoldenRun& before, const ShardOptions& options_a,
                        const GoldenRun& after, const ShardOptions& options_b,
                        const std::optional<TargetChoice>& target);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_DIFF_COSTS_H_
