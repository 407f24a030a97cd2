#include "tessera/sharding/partition/tiling/merge_axes.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera::sharding::partition {
namespace {

// An axis of the mesh or a part of one: `size` devices that stand `stride` apart.
struct Axis {
  int64_t stride = 1, size = 1;

  int64_t end() const { return stride * size; }
  friend bool operator==(const Axis& a, const Axis& b) {
    return a.stride == b.stride && a.size == b.size;
  }
};

using Axes = std::vector<Axis>;  // major to minor

// The axes that cut a dimension.
Axes AxesAlong(const std::vector<int64_t>& places, int64_t minor, int64_t cuts) {
  Axes axes;
  const auto place = [&](int64_t k) { return At(places, k * minor) - At(places, 0); };
  for (int64_t block = 1; block < cuts; block *= axes.front().size) {
    const int64_t stride = place(block);
    int64_t size = 2;
    while (block * size < cuts && place(block * size) == stride * size) ++size;
    axes.insert(axes.begin(), {stride, size});
  }
  return axes;
}

std::vector<Axes> AxesOf(const Tiling& tiling) {
  const TileAssignment grid = tiling.IsNamed() ? tiling.PlacesInMesh() : tiling.grid();
  const std::vector<int64_t> places = grid.Devices();
  std::vector<Axes> axes(static_cast<size_t>(tiling.data_rank()));
  int64_t minor = Size(places);
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    minor /= tiling.dim(i);
    At(axes, i) = AxesAlong(places, minor, tiling.dim(i));
  }
  return axes;
}

// Of a tiling in tile form, those that its grid is made of; none for a list of devices.
Ints MeshAxesOf(const Tiling& tiling) {
  if (tiling.IsNamed()) return tiling.mesh_axes();
  return tiling.grid().is_iota() ? Ints(tiling.grid().reshape_dims()) : Ints();
}

// Each in one axis of the mesh.
Axes ByMeshAxis(const Axes& axes, Ints mesh_axes) {
  Axes out;
  int64_t begin = 1;
  for (int64_t i = Size(mesh_axes); i-- > 0;) {
    const int64_t end = begin * At(mesh_axes, i);
    for (const Axis& axis : axes) {
      const int64_t from = std::max(axis.stride, begin), to = std::min(axis.end(), end);
      if (from < to) out.push_back({from, to / from});
    }
    begin = end;
  }
  return out;
}

// What `longer` has behind `axes`; nullopt if neither begins with the other.
std::optional<Axes> Behind(const Axes& axes, Axes longer) {
  for (size_t k = 0; k < axes.size(); ++k) {
    if (longer.empty()) return longer;
    if (longer.front().end() != axes[k].end()) return std::nullopt;
    Axis& first = longer.front();
    if (first == axes[k]) {
      longer.erase(longer.begin());
    } else if (k + 1 == axes.size() && axes[k].stride > first.stride) {
      first.size = axes[k].stride / first.stride;
    } else if (longer.size() == 1 && first.stride > axes[k].stride) {
      return Axes();
    } else {
      return std::nullopt;
    }
  }
  return longer;
}

// The major part of `axis` that no dimension has; of size 1 if there is none.
Axis Unused(Axis axis, const std::vector<Axes>& used) {
  int64_t from = axis.stride;
  for (const Axes& axes : used) {
    for (const Axis& other : axes) {
      if (other.stride < axis.end() && other.end() > axis.stride)
        from = std::max(from, other.end());
    }
  }
  from = std::min(from, axis.end());
  return {from, axis.end() / from};
}

// All axes of the mesh, cut up as the dimensions have them: major to minor, with gaps filled.
Axes Pieces(const std::vector<Axes>& used, int64_t devices) {
  Axes sorted, pieces;
  for (const Axes& axes : used) sorted.insert(sorted.end(), axes.begin(), axes.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  int64_t end = devices;
  for (const Axis& axis : sorted) {
    if (axis.end() < end) pieces.push_back({axis.end(), end / axis.end()});
    pieces.push_back(axis);
    end = axis.stride;
  }
  if (end > 1) pieces.push_back({1, end});
  return pieces;
}

// Replicas in the order of the mesh.
Tiling TilingOf(const std::vector<Axes>& cuts, const Tiling& like) {
  const Axes pieces = Pieces(cuts, like.num_devices());
  Dims sizes, order, dims;
  for (const Axis& piece : pieces) sizes.push_back(piece.size);
  for (const Axes& axes : cuts) {
    int64_t parts = 1;
    for (const Axis& axis : axes) {
      order.push_back(std::find(pieces.begin(), pieces.end(), axis) - pieces.begin());
      parts *= axis.size;
    }
    dims.push_back(parts);
  }
  Tiling::Types types;
  const int64_t replicas = like.num_devices() / Product(dims);
  if (replicas > 1) {
    dims.push_back(replicas);
    types.push_back(SubgroupType::kReplicated);
  }
  for (int64_t i = 0; i < Size(pieces); ++i) {
    if (!Contains(order, i)) order.push_back(i);
  }
  return Tiling::OfPlacesInMesh(*TileAssignment::Iota(dims, sizes, order), types, like);
}

// The dimension gets the first of the axes, up to one that another dimension has; false if that is
// none.
bool TakeOver(const Axes& axes, int64_t dim, std::vector<Axes>* cuts) {
  const size_t before = At(*cuts, dim).size();
  for (const Axis& axis : axes) {
    const Axis unused = Unused(axis, *cuts);
    if (unused.size > 1) At(*cuts, dim).push_back(unused);
    if (!(unused == axis)) break;
  }
  return At(*cuts, dim).size() > before;
}

}  // namespace

bool MergeAxes(const Tiling& from, int64_t least_tiles, Tiling* into) {
  std::vector<Axes> merged = AxesOf(*into);
  const std::vector<Axes> offered = AxesOf(from);
  for (int64_t i = 0; i < Size(merged); ++i) {
    const std::optional<Axes> behind = Behind(At(merged, i), At(offered, i));
    if (!behind.has_value()) return false;
    if (!behind->empty() && !TakeOver(*behind, i, &merged)) return false;
  }
  Tiling out = TilingOf(merged, *into);
  if (out.tiles() < least_tiles) return false;
  *into = std::move(out);
  return true;
}

Dims CutByAxesOf(const Tiling& tiling, Ints dims, const Tiling& other, Ints other_dims) {
  const Ints mesh_axes = MeshAxesOf(tiling);
  if (tiling.IsNamed() != other.IsNamed() || mesh_axes != MeshAxesOf(other)) return {};
  const std::vector<Axes> of_other = AxesOf(other), of_tiling = AxesOf(tiling);
  Axes taken;
  for (int64_t dim : other_dims) {
    const Axes axes = ByMeshAxis(At(of_other, dim), mesh_axes);
    taken.insert(taken.end(), axes.begin(), axes.end());
  }
  Dims out;
  for (int64_t dim : dims) {
    const Axes axes = ByMeshAxis(At(of_tiling, dim), mesh_axes);
    const bool shares =
        std::find_first_of(axes.begin(), axes.end(), taken.begin(), taken.end()) != axes.end();
    if (shares) out.push_back(dim);
  }
  return out;
}

}  // namespace tessera::sharding::partition
