#include "tessera/sharding/mesh/mesh_symbols.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::sharding {
namespace {

// Symbols as they are taken one after the other.
class Symbols {
 public:
  std::vector<NamedMesh> Take() { return std::move(all_); }

  // Index of the symbol of an equal mesh.
  std::optional<size_t> Find(const Mesh& mesh) const {
    for (size_t i = 0; i < all_.size(); ++i) {
      if (*all_[i].mesh == mesh) return i;
    }
    return std::nullopt;
  }
  void Reserve(const std::string& name) { taken_.push_back(name); }
  size_t Add(std::string name, const Mesh& mesh) {
    all_.push_back({std::move(name), &mesh});
    return all_.size() - 1;
  }
  size_t AddInlined(const Mesh& mesh) {
    std::string base = mesh.is_empty() ? "empty_mesh" : "mesh";
    if (mesh.is_maximal()) base = absl::StrCat("maximal_mesh_", mesh.maximal_device_id());
    std::string name = base;
    for (int k = 0; IsTaken(name); ++k) name = absl::StrCat(base, "_", k);
    Reserve(name);
    return Add(name, mesh);
  }

 private:
  bool IsTaken(const std::string& name) const {
    return std::find(taken_.begin(), taken_.end(), name) != taken_.end();
  }

  std::vector<NamedMesh> all_;
  std::vector<std::string> taken_;
};

}  // namespace

std::vector<NamedMesh> LiftMeshes(const MeshTable& meshes, absl::Span<const MeshId> inlined,
                                  std::vector<size_t>& symbol_of) {
  Symbols symbols;
  symbol_of.resize(meshes.size());
  std::vector<MeshId> later(inlined.begin(), inlined.end());
  for (MeshId id = 0; id < meshes.size(); ++id) {
    if (meshes.is_inlined(id)) {
      later.push_back(id);
      continue;
    }
    symbols.Reserve(meshes.name(id));
    const std::optional<size_t> equal = symbols.Find(meshes.mesh(id));
    symbol_of[id] = equal ? *equal : symbols.Add(meshes.name(id), meshes.mesh(id));
  }
  for (MeshId id : later) {
    const std::optional<size_t> equal = symbols.Find(meshes.mesh(id));
    symbol_of[id] = equal ? *equal : symbols.AddInlined(meshes.mesh(id));
  }
  return symbols.Take();
}

}  // namespace tessera::sharding
