#include "tessera/sharding/partition/tiling/merge_axes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "tessera/sharding/partition/tiling/mesh_axes.h"

namespace tessera::sharding::partition {
namespace {

// The axes of `longer` after `axes`; nullopt if neither begins with the other.
std::optional<MeshAxes> AxesAfter(const MeshAxes& axes, MeshAxes longer) {
  for (size_t k = 0; k < axes.size(); ++k) {
    if (longer.empty()) return longer;
    if (longer.front().end() != axes[k].end()) return std::nullopt;
    MeshAxis& first = longer.front();
    if (first == axes[k]) {
      longer.erase(longer.begin());
    } else if (k + 1 == axes.size() && axes[k].stride > first.stride) {
      first.size = axes[k].stride / first.stride;
    } else if (longer.size() == 1 && first.stride > axes[k].stride) {
      return MeshAxes();
    } else {
      return std::nullopt;
    }
  }
  return longer;
}

// The major part of `axis` that no dimension has; of size 1 if there is none.
MeshAxis Unused(MeshAxis axis, const std::vector<MeshAxes>& used) {
  int64_t from = axis.stride;
  for (const MeshAxes& axes : used) {
    for (const MeshAxis& other : axes) {
      if (other.stride < axis.end() && other.end() > axis.stride)
        from = std::max(from, other.end());
    }
  }
  from = std::min(from, axis.end());
  return {from, axis.end() / from};
}

// All axes of the mesh, split as the dimensions have them: major to minor, with gaps filled.
MeshAxes Pieces(const std::vector<MeshAxes>& used, int64_t devices) {
  MeshAxes sorted, pieces;
  for (const MeshAxes& axes : used) sorted.insert(sorted.end(), axes.begin(), axes.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const MeshAxis& a, const MeshAxis& b) { return a.stride > b.stride; });
  int64_t end = devices;
  for (const MeshAxis& axis : sorted) {
    if (axis.end() < end) pieces.push_back({axis.end(), end / axis.end()});
    pieces.push_back(axis);
    end = axis.stride;
  }
  if (end > 1) pieces.push_back({1, end});
  return pieces;
}

// Replicas in the order of the mesh.
Tiling TilingOf(const std::vector<MeshAxes>& cuts, const Tiling& like) {
  const MeshAxes pieces = Pieces(cuts, like.num_devices());
  Dims sizes, order, dims;
  for (const MeshAxis& piece : pieces) sizes.push_back(piece.size);
  for (const MeshAxes& axes : cuts) {
    int64_t parts = 1;
    for (const MeshAxis& axis : axes) {
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
bool TakeOver(const MeshAxes& axes, int64_t dim, std::vector<MeshAxes>* cuts) {
  const size_t before = At(*cuts, dim).size();
  for (const MeshAxis& axis : axes) {
    const MeshAxis unused = Unused(axis, *cuts);
    if (unused.size > 1) At(*cuts, dim).push_back(unused);
    if (!(unused == axis)) break;
  }
  return At(*cuts, dim).size() > before;
}

}  // namespace

bool MergeAxes(const Tiling& from, int64_t least_tiles, Tiling* into) {
  std::vector<MeshAxes> merged = AxesOf(*into);
  const std::vector<MeshAxes> offered = AxesOf(from);
  for (int64_t i = 0; i < Size(merged); ++i) {
    const std::optional<MeshAxes> after = AxesAfter(At(merged, i), At(offered, i));
    if (!after.has_value()) return false;
    if (!after->empty() && !TakeOver(*after, i, &merged)) return false;
  }
  Tiling out = TilingOf(merged, *into);
  if (out.tiles() < least_tiles) return false;
  *into = std::move(out);
  return true;
}

}  // namespace tessera::sharding::partition
