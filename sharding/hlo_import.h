// Reading V1 and V2 shardings back as axes of one mesh, for modules that have no other annotations.
//
//   HloMeshFinder finder;
//   finder.Add(*ParseHloSharding("{devices=[2,4]<=[8]}"));                   // sizes 2, 4
//   finder.Add(*ParseHloSharding("{devices=[4,2]<=[8]}"));                   // sizes 4, 2
//   absl::StatusOr<HloImporter> importer = finder.Build();                   // "_axis_0"=2, ..
//   importer->Import(*ParseHloSharding("{devices=[4,2]<=[8]}"), 2, false);
//       // <@mesh, [{"_axis_0", "_axis_1"}, {"_axis_2"}]>
//
// The mesh is the coarsest one in which every sharding of the module can be said. This is what the
// reference does for its tests only: a production compile drops such shardings.

#ifndef TESSERA_SHARDING_HLO_IMPORT_H_
#define TESSERA_SHARDING_HLO_IMPORT_H_

#include <cstdint>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding {

// Turns HLO shardings into tensor shardings on its meshes.
class HloImporter {
 public:
  // Onto a mesh of the caller's, instead of one found for a whole module.
  static absl::StatusOr<HloImporter> OnMesh(Mesh mesh);

  // `mesh` (the common one, id 0) and `maximal_mesh_N` for every single device that was seen.
  const MeshTable& meshes() const { return meshes_; }

  // A leaf for a value of that rank. `is_open`: the dimensions of a value whose sharding may be
  // changed; {unknown} is always open. InvalidArgument if its tiles cannot be said in axes of the
  // mesh and parts of them.
  absl::StatusOr<TensorSharding> Import(const HloSharding& leaf, int rank, bool is_open);

 private:
  friend class HloMeshFinder;
  explicit HloImporter(MeshTable meshes) : meshes_(std::move(meshes)) {}

  absl::StatusOr<TensorSharding> ImportTiled(const HloSharding& leaf, bool is_open) const;
  absl::StatusOr<TensorSharding> ImportNamed(const HloSharding& leaf, int rank, bool is_open) const;

  MeshTable meshes_;
};

// Collects all leaves of a module.
class HloMeshFinder {
 public:
  // A leaf or a tuple of leaves. InvalidArgument if it is a grid that no mesh has, or one that does
  // not fit together with those before.
  absl::Status Add(const HloSharding& sharding);

  // Whether there was any grid, mesh or single device. Without one the reference makes no mesh and
  // drops all shardings.
  bool found() const { return sizes_ || named_ || !devices_.empty(); }
  // On `given` in place of a mesh that is found, if there is one.
  absl::StatusOr<HloImporter> Build(const std::optional<Mesh>& given = std::nullopt) const;

 private:
  std::optional<Dims> sizes_;  // of the common mesh so far
  std::optional<Mesh> named_;  // the mesh of the first V3 sharding
  std::set<int64_t> devices_;  // of maximal shardings
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_HLO_IMPORT_H_
