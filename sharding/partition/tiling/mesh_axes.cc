#include "tessera/sharding/partition/tiling/mesh_axes.h"

#include <algorithm>

namespace tessera::sharding::partition {
namespace {

// The axes that shard a dimension.
MeshAxes AxesAlong(const std::vector<int64_t>& places, int64_t minor, int64_t cuts) {
  MeshAxes axes;
  const auto place = [&](int64_t k) { return At(places, k * minor) - At(places, 0); };
  for (int64_t block = 1; block < cuts; block *= axes.front().size) {
    const int64_t stride = place(block);
    int64_t size = 2;
    while (block * size < cuts && place(block * size) == stride * size) ++size;
    axes.insert(axes.begin(), {stride, size});
  }
  return axes;
}

// Of a tiling in tile form, those that its grid is made of; none for a list of devices.
Ints MeshAxesOf(const Tiling& tiling) {
  if (tiling.IsNamed()) return tiling.mesh_axes();
  return tiling.grid().is_iota() ? Ints(tiling.grid().reshape_dims()) : Ints();
}

// Each in one axis of the mesh, in the same order.
MeshAxes ByMeshAxis(const MeshAxes& axes, Ints mesh_axes) {
  MeshAxes out;
  for (const MeshAxis& axis : axes) {
    int64_t end = Product(mesh_axes);
    for (int64_t size : mesh_axes) {
      const int64_t begin = end / size;
      const int64_t from = std::max(axis.stride, begin), to = std::min(axis.end(), end);
      if (from < to) out.push_back({from, to / from});
      end = begin;
    }
  }
  return out;
}

}  // namespace

std::vector<MeshAxes> AxesOf(const Tiling& tiling) {
  const TileAssignment grid = tiling.IsNamed() ? tiling.PlacesInMesh() : tiling.grid();
  const std::vector<int64_t> places = grid.Devices();
  std::vector<MeshAxes> axes(static_cast<size_t>(tiling.data_rank()));
  int64_t minor = Size(places);
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    minor /= tiling.dim(i);
    At(axes, i) = AxesAlong(places, minor, tiling.dim(i));
  }
  return axes;
}

Dims CutByAxesOf(const Tiling& tiling, Ints dims, const Tiling& other, Ints other_dims) {
  const Ints mesh_axes = MeshAxesOf(tiling);
  if (tiling.IsNamed() != other.IsNamed() || mesh_axes != MeshAxesOf(other)) return {};
  const std::vector<MeshAxes> of_other = AxesOf(other), of_tiling = AxesOf(tiling);
  MeshAxes taken;
  for (int64_t dim : other_dims) {
    const MeshAxes axes = ByMeshAxis(At(of_other, dim), mesh_axes);
    taken.insert(taken.end(), axes.begin(), axes.end());
  }
  Dims out;
  for (int64_t dim : dims) {
    const MeshAxes axes = ByMeshAxis(At(of_tiling, dim), mesh_axes);
    const bool shares =
        std::find_first_of(axes.begin(), axes.end(), taken.begin(), taken.end()) != axes.end();
    if (shares) out.push_back(dim);
  }
  return out;
}

bool AxesSplitAt(const Tiling& tiling, int64_t dim, int64_t major) {
  for (const MeshAxis& axis : ByMeshAxis(At(AxesOf(tiling), dim), tiling.mesh_axes())) {
    if (major % axis.size != 0) return axis.size % major == 0;
    major /= axis.size;
  }
  return major == 1;
}

}  // namespace tessera::sharding::partition
