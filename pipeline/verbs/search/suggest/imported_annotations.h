// The annotations of a module on a mesh, before any is added.
//
//   const auto imported = ImportAnnotations(module, options);   // null where the import fails
//   imported->said.at(w)                                        // [{"data"}, {}] on mesh imported->id
//
// Axes of size 1 have left the shardings by then. Cost: an import. Tested by variant_key_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_IMPORTED_ANNOTATIONS_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_IMPORTED_ANNOTATIONS_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

using ComputationSet = absl::flat_hash_set<hlo::ComputationId>;

// The only mesh that has axes; kNoMesh if there are several, or none.
sharding::MeshId OnlyMesh(const sharding::MeshTable& meshes);

struct ImportedAnnotations {
  sharding::MeshId id = sharding::kNoMesh;
  sharding::Mesh mesh;
  // Of parameters and of constraints outside shard_maps.
  absl::flat_hash_map<hlo::InstructionId, sharding::TensorSharding> said;
  std::vector<hlo::InstructionId> constraints;  // of these, ascending
  ComputationSet in_shard_maps;
};

std::unique_ptr<const ImportedAnnotations> ImportAnnotations(const hlo::Module& module,
                                                             const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_IMPORTED_ANNOTATIONS_H_
