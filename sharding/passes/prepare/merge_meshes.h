// Rewrites all shardings of the program to one mesh for each set of devices (sharding/mesh_merge.h).

#ifndef TESSERA_SHARDING_PASSES_PREPARE_MERGE_MESHES_H_
#define TESSERA_SHARDING_PASSES_PREPARE_MERGE_MESHES_H_

#include <functional>

#include "absl/status/status.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// The error, at the place where the sharding was written.
using LocateError = std::function<absl::Status(ShardingId, const absl::Status&)>;

// InvalidArgument (text::ErrorAt) where a manual axis, or a sub-axis, has no counterpart in the
// main mesh.
absl::Status MergeMeshes(HloProgram* program, const LocateError& locate);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PREPARE_MERGE_MESHES_H_
