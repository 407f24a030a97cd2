// The per-device module of a walk: what is live of its graph, as instructions.
//
//   EmitModule(walk.graph(), walk.bodies(), live, &module);
//
// `module`, which was partitioned, becomes what one device runs: its computations are written anew,
// the reducers and comparators that these call stay. Each body of the walk is a computation
// (`NAME_spmd`), each node an instruction or a few (expander.h). Linear in the live nodes.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
#define TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/bodies.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/reshard/graph.h"

namespace tessera::sharding::partition {

// Unimplemented, at its instruction, for a node whose recipe says nothing; the module is then of no
// use.
absl::Status EmitModule(const Graph& graph, const Bodies& bodies, const LiveNodes& live,
                        hlo::Module* module);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
