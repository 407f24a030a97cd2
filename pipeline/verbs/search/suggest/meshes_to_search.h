// The meshes that a search for annotations tries.
//
//   --devices=8, a module without mesh           // data=8; data=4,model=2; data=2,model=4
//   --devices=8, a module with axes x and y      // x=8,y=1; x=4,y=2; x=2,y=4; x=1,y=8
//
// Tested by suggest_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MESHES_TO_SEARCH_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MESHES_TO_SEARCH_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct MeshesToSearch {
  std::vector<sharding::Mesh> meshes;
  std::optional<sharding::Mesh> own;  // of the module, where it is one of several
};

// Of --mesh or --devices, or the module's own. InvalidArgument where both flags are given, where there are
// more than a hundred meshes, or none.
absl::StatusOr<MeshesToSearch> ReadMeshes(const Arguments& arguments, const ShardOptions& options,
                                          const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_MESHES_TO_SEARCH_H_
