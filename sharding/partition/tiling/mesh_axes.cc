#include "tessera/sharding/partition/tiling/mesh_axes.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/partition/tiling/algebra.h"

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

// The axes that shard each dimension of data.
std::vector<MeshAxes> AxesOfPlaces(const Tiling& tiling, const TileAssignment& grid) {
  const std::vector<int64_t> places = grid.Devices();
  std::vector<MeshAxes> axes(static_cast<size_t>(tiling.data_rank()));
  int64_t minor = Size(places);
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    minor /= tiling.dim(i);
    At(axes, i) = AxesAlong(places, minor, tiling.dim(i));
  }
  return axes;
}

// A mesh: the sizes of its axes, and the places of the tiles in it.
struct InMesh {
  Dims axes;
  TileAssignment places;
};

// The mesh of a named tiling. Of V1, the coarsest mesh in which each dimension has whole axes, also
// if it is written as a list; of another list, one axis for each dimension. XLA: TileAssignment and
// its named form.
InMesh MeshOf(const Tiling& tiling) {
  if (tiling.IsNamed()) {
    return {Dims(tiling.mesh_axes().begin(), tiling.mesh_axes().end()), tiling.PlacesInMesh()};
  }
  const TileAssignment& grid = tiling.grid();
  if (grid.has_axes() && IsPermutedIota(grid)) {
    const absl::StatusOr<TileAxes> axes = AnalyzeTiling(HloSharding::Tiled(grid.AsIota()));
    if (axes.ok()) return {Dims(axes->sizes.begin(), axes->sizes.end()), grid};
  }
  return {grid.dims(), TileAssignment::Plain(grid.dims())};
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

// The axes of each dimension of data, each in one axis of the mesh.
std::vector<MeshAxes> AxesByMesh(const Tiling& tiling, const InMesh& mesh) {
  std::vector<MeshAxes> out;
  for (const MeshAxes& axes : AxesOfPlaces(tiling, mesh.places)) {
    out.push_back(ByMeshAxis(axes, mesh.axes));
  }
  return out;
}

}  // namespace

std::vector<MeshAxes> AxesOf(const Tiling& tiling) {
  return AxesOfPlaces(tiling, tiling.IsNamed() ? tiling.PlacesInMesh() : tiling.grid());
}

Dims CutByAxesOf(const Tiling& tiling, Ints dims, const Tiling& other, Ints other_dims) {
  const InMesh mesh = MeshOf(tiling), mesh_of_other = MeshOf(other);
  if (mesh.axes != mesh_of_other.axes) return {};
  const std::vector<MeshAxes> of_tiling = AxesByMesh(tiling, mesh);
  const std::vector<MeshAxes> of_other = AxesByMesh(other, mesh_of_other);
  const auto shared = [&](int64_t dim, int64_t other_dim) {
    const MeshAxes& axes = At(of_tiling, dim);
    const MeshAxes& taken = At(of_other, other_dim);
    return std::find_first_of(axes.begin(), axes.end(), taken.begin(), taken.end()) != axes.end();
  };
  Dims out;
  for (int64_t dim : dims) {
    if (std::any_of(other_dims.begin(), other_dims.end(),
                    [&](int64_t other_dim) { return shared(dim, other_dim); })) {
      out.push_back(dim);
    }
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
