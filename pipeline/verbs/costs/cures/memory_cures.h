// Annotations that lower what a device needs, each tried.
//
//   TESSERA_ASSIGN_OR_RETURN(const CostCures cures,
//                            FindMemoryCures(input, found, options, tiles, memory.at_peak));
//   cures.of[0].front().annotations       // {"annotate w: P(None, None) -> P('data', None)"}
//   cures.of[0].front().after.memory      // of the whole program with it
//
// The worst buffers are looked into. One that lies whole along an axis of the mesh might be cut
// along it: on the dimension where a neighbour is (pipeline/explain/cures/neighbour_offers.h), and
// on its longest ones that the axis divides. What does help is found out: the module is propagated
// and partitioned again, memory is measured again, and a cure is what makes the sum less. Buffers
// that look alike (shape, sharding, and line) are annotated at once.
//
// Cost: a propagation with a recorder, and one without and a partitioning for each candidate, on
// all cores. Tested by memory_cures_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_CURES_MEMORY_CURES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_CURES_MEMORY_CURES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/cures/cost_cures.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// `input` has been propagated with these options, `found` are its collectives. A null `tiles`: no
// padding. `buffers`: largest first, of `input.module`; CostCures::of has a list for each.
absl::StatusOr<CostCures> FindMemoryCures(const PartitionerInput& input,
                                          const sharding::partition::Partitioned& found,
                                          const ShardOptions& options,
                                          const layout::TileRules* tiles,
                                          absl::Span<const cost::DeviceBuffer> buffers);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_CURES_MEMORY_CURES_H_
