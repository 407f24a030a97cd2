// Writes the per-device module from the live nodes of a walk.
//
//   EmitModule(walk.graph(), walk.bodies(), live, &module);
//
// `module` is the partitioned module. Its computations are replaced; reducers and comparators stay.
// Each body becomes a computation (`NAME_spmd`), each node one or several instructions
// (expander.h). XLA: SpmdPartitioner::Run, with the dead code removed. Linear in the live nodes.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
#define TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/bodies.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/reshard/graph.h"

namespace tessera::sharding::partition {

// Unimplemented, at its instruction, for a node without a recipe; `module` is then invalid.
absl::Status EmitModule(const Graph& graph, const Bodies& bodies, const LiveNodes& live,
                        hlo::Module* module);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
