#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

std::optional<MeshId> CommonMesh(absl::Span<const ShardingId> shardings, const Tables& tables) {
  const auto is_empty = [&](MeshId id) {
    return id == kNoMesh || tables.meshes->mesh(id).is_empty();
  };
  std::optional<MeshId> common;
  for (const ShardingId sharding : shardings) {
    if (sharding == kNoSharding) continue;
    const MeshId id = (*tables.shardings)[sharding].mesh_id();
    if (!common || (is_empty(*common) && !is_empty(id))) {
      common = id;
    } else if (id != *common && !is_empty(id) &&
               tables.meshes->mesh(id) != tables.meshes->mesh(*common)) {
      return std::nullopt;
    }
  }
  if (common && (*common == kNoMesh || tables.meshes->mesh(*common).is_maximal()))
    return std::nullopt;
  return common;
}

}  // namespace tessera::sharding::propagation
