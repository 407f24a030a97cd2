// Annotations that lower the memory of a device, each tried.
//
//   TESSERA_ASSIGN_OR_RETURN(const CostFixes fixes,
//                            FindMemoryFixes(input, device, options, tiles, memory.at_peak));
//   fixes.of[0].front().annotations       // {"annotate w: P(None, None) -> P('data', None)"}
//   fixes.of[0].front().after.memory      // of the whole program with it
//
// The largest buffers are candidates. A buffer that is replicated along a mesh axis could be sharded
// over it: on the dimension of a neighbour (pipeline/explain/neighbour_offers.h), or on its
// longest dimensions that the axis divides. Each try propagates and partitions the module again and
// measures memory; a fix lowers the sum. Equal buffers (shape, sharding, line) are annotated together.
//
// Cost: a propagation with a recorder, and one without and a partitioning for each candidate, on
// all cores. Tested by memory_fixes_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_FIXES_MEMORY_FIXES_H_
#define TESSERA_PIPELINE_VERBS_COSTS_FIXES_MEMORY_FIXES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/fixes/cost_fixes.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::pipeline {

// `input` has been propagated with these options, `device` is made of it. A null `tiles`: no padding.
// `buffers`: of the device, largest first; CostFixes::of has a list for each.
absl::StatusOr<CostFixes> FindMemoryFixes(const PartitionerInput& input,
                                          const sharding::partition::PartitionedModule& device,
                                          const ShardOptions& options,
                                          const layout::TileRules* tiles,
                                          absl::Span<const cost::DeviceBuffer> buffers);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_FIXES_MEMORY_FIXES_H_
