// Writes the per-device module from the live nodes of a walk.
//
//   TESSERA_ASSIGN_OR_RETURN(Emitted emitted, EmitModule(module, walk.graph(), walk.bodies(), live,
//                                                        /*lists_causes=*/false));
//   emitted.module;
//
// `input` is the partitioned module; its source is that of the new one. Reducers and comparators are
// copied.
// Each body becomes a computation (`NAME_spmd`), each node one or several instructions
// (expander.h). XLA: SpmdPartitioner::Run, with the dead code removed. Linear in the live nodes.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
#define TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/bodies.h"
#include "tessera/sharding/partition/report.h"
#include "tessera/sharding/partition/reshard/graph.h"

namespace tessera::sharding::partition {

// Members as of PartitionedModule.
struct Emitted {
  hlo::Module module;
  std::vector<hlo::InstructionId> sources, causes;
  std::vector<std::pair<hlo::InstructionId, hlo::InstructionId>> elements;
};

// Without causes and elements unless `lists_causes`. Unimplemented, at its instruction, for a node
// without a recipe.
absl::StatusOr<Emitted> EmitModule(const hlo::Module& input, const Graph& graph,
                                   const Bodies& bodies, const LiveNodes& live, bool lists_causes);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_EMITTER_H_
