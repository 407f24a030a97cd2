#include "tessera/pipeline/placement.h"

#include <utility>

#include "tessera/sharding/graph/sharding_access.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

absl::StatusOr<Placement> Placement::Create(const hlo::Module& module,
                                            const ShardOptions& options) {
  Placement placement;
  TESSERA_ASSIGN_OR_RETURN(placement.sharded_, Propagate(module, options));
  if (placement.mesh() != nullptr || options.import != sharding::graph::Encoding::kAuto)
    return placement;
  ShardOptions by_attributes = options;
  by_attributes.import = sharding::graph::Encoding::kPlain;
  TESSERA_ASSIGN_OR_RETURN(placement.sharded_, Propagate(module, by_attributes));
  return placement;
}

const sharding::TensorSharding* Placement::Of(absl::string_view name, int leaf) const {
  const hlo::InstructionId id = sharded_->module.FindInstruction(name);
  if (id == hlo::kNoId) return nullptr;
  sharding::graph::Graph& graph = *sharded_->graph;
  for (sharding::graph::LeafTable& table : graph.leaf_tables()) {
    if (table.block()->source != sharded_->module.instruction(id).computation) continue;
    const auto leaves = table.Get(id);
    if (static_cast<size_t>(leaf) >= leaves.size()) continue;
    const sharding::graph::Value* value = leaves[static_cast<size_t>(leaf)]->Resolve();
    if (value != nullptr) return graph.Find(sharding::graph::EffectiveSharding(graph, value));
  }
  return nullptr;
}

const sharding::Mesh* Placement::mesh() const {
  const sharding::MeshTable& meshes = sharded_->graph->meshes();
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.mesh(id).num_axes() > 0) return &meshes.mesh(id);
  }
  return nullptr;
}

}  // namespace tessera::pipeline
