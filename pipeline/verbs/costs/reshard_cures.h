// The smallest annotations that remove a reshard, each tried.
//
//   TESSERA_ASSIGN_OR_RETURN(const ReshardCures cures, FindReshardCures(input, options, reshards));
//   cures.before.sent, cures.before.memory    // of the whole program as it is
//   cures.of[0].front().annotations           // {"constrain dot.7: P('data', None)"}
//   cures.of[0].front().after.sent            // of the whole program with it
//
// What might help is known: let the value lie from the start as it is needed, take an explicit
// reshard back, or keep the axis that the consumer lost (pipeline/explain/cures/cure_candidates.h). What
// does help is found out: each is propagated and partitioned from the start, and is a cure if that
// reshard is gone and the program sends less. Of those that look alike all are annotated at once.
//
// Cost: a propagation with a recorder, and one without and a partitioning for each candidate, on
// all cores. Tested by reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_RESHARD_CURES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_RESHARD_CURES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"

namespace tessera::pipeline {

struct ReshardCure {
  std::vector<std::string> annotations;  // in words
  cost::StepCost after;
};

struct ReshardCures {
  cost::StepCost before;
  std::vector<std::vector<ReshardCure>> of;  // of each reshard, three at most, best first
};

// `input` has been propagated with these options, and has these reshards.
absl::StatusOr<ReshardCures> FindReshardCures(const PartitionerInput& input, ShardOptions options,
                                              absl::Span<const Reshard> reshards);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_RESHARD_CURES_H_
