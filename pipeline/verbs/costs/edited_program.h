// A program with other annotations, propagated and partitioned from the start: how cures are tried.
//
//   auto edited = PartitionEdited(input, options, candidate.edits);
//   edited->found                                            // its collectives
//   CostOfPartitioned(edited->input, edited->found, tiles)   // what a device needs and sends
//
//   TryAll(input, tries.size(), [&](size_t k) { .. });     // on all cores
//
// Cost: a propagation and a partitioning.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_EDITED_PROGRAM_H_
#define TESSERA_PIPELINE_VERBS_COSTS_EDITED_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/partitioner_input.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/graph/import/annotations/annotation_edits.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// What the memory and the traffic of a partitioned module are. A null `tiles`: no padding.
absl::StatusOr<cost::StepCost> CostOfPartitioned(const PartitionerInput& input,
                                                 const sharding::partition::Partitioned& found,
                                                 const layout::TileRules* tiles);

struct EditedProgram {
  PartitionerInput input;
  sharding::partition::Partitioned found;
};

// `input` has been propagated with these options. Errors as of PreparePartitionerInput() and
// FindCollectivesOf().
absl::StatusOr<EditedProgram> PartitionEdited(
    const PartitionerInput& input, ShardOptions options,
    const std::vector<sharding::graph::AnnotationEdit>& edits);

// Calls `one` with each number below `count`, many at a time.
void TryAll(const PartitionerInput& input, size_t count, const std::function<void(size_t)>& one);

// The value that an array of an instruction of `explained.sharded->module` is; none for kNoId and
// for what is no value of the program.
std::optional<sharding::explain::SlotId> SlotOf(const Explained& explained, hlo::InstructionId id,
                                                int leaf = 0);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_EDITED_PROGRAM_H_
