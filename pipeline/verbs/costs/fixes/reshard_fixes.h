// The smallest annotations that remove a reshard, each tried.
//
//   TESSERA_ASSIGN_OR_RETURN(const CostFixes fixes,
//                            FindReshardFixes(input, device, options, reshards));
//   fixes.before.sent, fixes.before.memory    // of the whole program as it is
//   fixes.of[0].front().annotations           // {"constrain dot.7: P('data', None)"}
//   fixes.of[0].front().after.sent            // of the whole program with it
//
// Some edits might help: let the value lie from the start as it is needed, let a result stay as its
// operation makes it, take an explicit reshard back, keep the axis that the consumer lost
// (pipeline/explain/fixes/fix_candidates.h), or move one axis at a time where the partitioner knows no
// direct way. Trials find those that do: each is propagated and partitioned from the start, and is a
// fix of every reshard that is gone, if the program sends less. Of those that look alike all are
// annotated at once.
//
// Cost: a propagation with a recorder, and one without and a partitioning for each candidate, on
// all cores. Tested by reshards_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_FIXES_RESHARD_FIXES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_FIXES_RESHARD_FIXES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// `input` has been propagated with these options, `device` is made of it, `reshards` are some of its
// reshards; CostFixes::of has a list for each.
absl::StatusOr<CostFixes> FindReshardFixes(const PartitionerInput& input,
                                           const sharding::partition::PartitionedModule& device,
                                           const ShardOptions& options,
                                           absl::Span<const Reshard> reshards);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_FIXES_RESHARD_FIXES_H_
