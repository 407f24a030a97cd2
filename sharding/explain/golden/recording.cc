#include "tessera/sharding/explain/golden/recording.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/text/checked.h"

namespace tessera::sharding::golden {
namespace {

// How many parts a dimension has.
int64_t Parts(const DimensionSharding& dim, const Mesh& mesh) {
  int64_t parts = 1;
  for (const AxisRef axis : dim.axes) parts = SaturatingProduct(parts, axis.size(mesh));
  return std::max<int64_t>(parts, 1);
}

}  // namespace

std::vector<MeshId> NamedMeshes(const Recording& recording) {
  std::vector<MeshId> ids;
  for (MeshId id = 0; id < recording.meshes.size(); ++id) {
    if (!recording.meshes.is_inlined(id)) ids.push_back(id);
  }
  return ids;
}

std::optional<int64_t> DeviceOf(const MeshTable& meshes, const TensorSharding& sharding) {
  if (sharding.mesh_id() == kNoMesh) return std::nullopt;
  const Mesh& mesh = meshes.mesh(sharding.mesh_id());
  if (!mesh.is_maximal()) return std::nullopt;
  return mesh.maximal_device_id();
}

void LinkOperands(Recording* recording) {
  absl::flat_hash_map<absl::string_view, int> last, above;
  for (size_t e = 0; e < recording->entries.size(); ++e) {
    last[recording->entries[e].name] = static_cast<int>(e);
  }
  for (size_t e = 0; e < recording->entries.size(); ++e) {
    Entry& entry = recording->entries[e];
    entry.operands.clear();
    for (const std::string& name : entry.operand_names) {
      const auto near = above.find(name);
      const auto any = last.find(name);
      entry.operands.push_back(near != above.end() ? near->second
                               : any != last.end() ? any->second
                                                   : -1);
    }
    above[entry.name] = static_cast<int>(e);
  }
}

int64_t BytesPerDevice(const Recording& recording, const Entry& entry) {
  int64_t elements = 1;
  for (int64_t d = 0; d < entry.shape.rank(); ++d) {
    const int64_t size = std::max<int64_t>(entry.shape.dim(d), 0);  // not of an unbounded one
    int64_t parts = 1;
    if (entry.sharding.has_value() && !entry.sharding->dim(static_cast<int>(d)).axes.empty()) {
      parts = Parts(entry.sharding->dim(static_cast<int>(d)),
                    recording.meshes.mesh(entry.sharding->mesh_id()));
    }
    elements = SaturatingProduct(elements, size / parts + (size % parts != 0 ? 1 : 0));
  }
  return layout::ElementBytes(entry.shape, elements);
}

}  // namespace tessera::sharding::golden
