// A symbol for every mesh, equal meshes the same one.
//
//   table   @a = ["x"=2], @b = ["x"=2], an inlined ["y"=4]
//   LiftMeshes(table, {}, symbol_of);      // a, mesh;  symbol_of = {0, 0, 1}

#ifndef TESSERA_SHARDING_MESH_MESH_SYMBOLS_H_
#define TESSERA_SHARDING_MESH_MESH_SYMBOLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding {

struct NamedMesh {
  std::string name;
  const Mesh* mesh;  // of the table
};

// `symbol_of[id]` is the place in the result of each mesh of the table. Meshes with a name keep it;
// `inlined` are further ones, with a name, that are to be treated as if they had none.
std::vector<NamedMesh> LiftMeshes(const MeshTable& meshes, absl::Span<const MeshId> inlined,
                                  std::vector<size_t>& symbol_of);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_MESH_SYMBOLS_H_
