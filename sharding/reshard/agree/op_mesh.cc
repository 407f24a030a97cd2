// The mesh on which an op is computed, when meshes may differ in the order of their devices.

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/sharding/reshard/agree/agree.h"

namespace tessera::sharding::reshard {
namespace {

using Count = std::pair<MeshId, int>;

}  // namespace

std::optional<MeshId> OpMesh(absl::Span<const TensorSharding* const> shardings,
                             const MeshTable& meshes) {
  std::vector<Count> counts;
  std::optional<Count> best;
  for (const TensorSharding* sharding : shardings) {
    if (sharding == nullptr || sharding->mesh_id() == kNoMesh) continue;
    const MeshId id = sharding->mesh_id();
    const Mesh& mesh = meshes.mesh(id);
    if (mesh.is_empty()) continue;
    if (mesh.is_maximal() || (best && !meshes.mesh(best->first).SameAxes(mesh))) {
      return std::nullopt;
    }
    auto count = absl::c_find_if(counts, [&](const Count& c) { return c.first == id; });
    if (count == counts.end()) count = counts.insert(count, {id, 0});
    ++count->second;
    if (!best || count->second > best->second) best = *count;
  }
  return best ? std::optional<MeshId>(best->first) : std::nullopt;
}

}  // namespace tessera::sharding::reshard
