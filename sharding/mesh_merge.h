// One mesh for each set of devices: naming inlined meshes, and re-expressing shardings on one mesh.
//
// Before propagation all meshes over the same devices in the same order become one, the finest with
// names given by a person:
//
//   mesh   = <["a"=4, "b"=2]>            a -> "x", "y"     b -> "z"
//   mesh_1 = <["x"=2, "y"=2, "z"=2]>     stays
//   mesh_2 = <["w"=8]>                   w:(2)4 -> "y", "z"
//
//   MeshMerge merge(meshes, {});         // the second argument: inlined meshes by first use
//   merge.meshes();                      // mesh_1 alone
//   merge.Rewrite(sharding);             // the same placement on mesh_1
//
// A mesh whose sizes cannot be cut out of the main mesh stays as it is ("p"=3, "q"=2 beside "x"=2,
// "y"=3).

#ifndef TESSERA_SHARDING_MESH_MERGE_H_
#define TESSERA_SHARDING_MESH_MERGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding {

class MeshMerge {
 public:
  // `inlined`: ids of inlined meshes in the order in which the program first uses them. They get
  // the symbol of an equal mesh or a new one (`mesh`, `empty_mesh`, `maximal_mesh_N`, followed by
  // `_0`, `_1`, .. where taken). Inlined meshes that are not listed come last.
  MeshMerge(const MeshTable& before, absl::Span<const MeshId> inlined);

  // The meshes that are left, all with symbols.
  const MeshTable& meshes() const { return after_; }
  MeshTable TakeMeshes() { return std::move(after_); }

  // The mesh of meshes() that stands for mesh `id` of the table before.
  MeshId MapMesh(MeshId id) const { return moves_[id].to; }

  // The sharding on its new mesh; without change but of the id where its mesh was main. Axes of
  // size 1 of a mesh that was mapped disappear, and its reduction becomes a sum.
  // InvalidArgument for a sub-axis that cannot be cut out of the axes it maps to.
  absl::StatusOr<TensorSharding> Rewrite(const TensorSharding& sharding) const;

  // Manual axes (indices into mesh `id` of the table before) as indices into the new mesh.
  // InvalidArgument for one that maps to a sub-axis.
  absl::StatusOr<std::vector<int>> RewriteManualAxes(MeshId id, absl::Span<const int> axes) const;

 private:
  struct Move {
    MeshId to = kNoMesh;
    bool is_mapped = false;        // else the axes stay as they are
    std::vector<AxisList> pieces;  // per axis: what it became, major to minor
  };
  absl::StatusOr<AxisList> RewriteAxes(const Move& move, absl::Span<const AxisRef> axes) const;

  MeshTable after_;
  std::vector<Move> moves_;
};

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_MERGE_H_
