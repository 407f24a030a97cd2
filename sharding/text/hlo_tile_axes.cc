// A grid of devices as axes of a mesh.
//
// The sizes of the grid and the sizes of the moved iota axes are two ways to cut the same devices.
// If they have a common refinement, its pieces are axes of a mesh. Each belongs to one dimension of
// the grid and one axis of the iota. [2,3] against [3,2] has none.
//
// Tested by hlo_conversions_test.cc; enumeration_test.cc runs all meshes of up to 8 devices through
// both directions and compares device by device.

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/mesh/common_factors.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// An iota or a plain list before it is moved. It has its axes in the order of the grid, and for
// each the place that it has in the iota.
struct MovedAxes {
  Dims sizes;
  Dims place;
};

absl::StatusOr<MovedAxes> AxesOfGrid(const TileAssignment& tiles) {
  MovedAxes out;
  if (tiles.is_iota()) {
    for (int64_t p : tiles.perm()) {
      out.sizes.push_back(tiles.reshape_dims()[static_cast<size_t>(p)]);
      out.place.push_back(p);
    }
    return out;
  }
  const std::vector<int64_t> devices = tiles.Devices();
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] != static_cast<int64_t>(i)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the order of the devices permutes no axes of a mesh, so it has no names of axes: ",
          tiles.ToString()));
    }
  }
  for (int64_t dim : tiles.dims()) {
    if (dim == 1) continue;
    out.place.push_back(static_cast<int64_t>(out.sizes.size()));
    out.sizes.push_back(dim);
  }
  return out;
}

// For factors that refine `sizes`: the index of the size that each factor is of.
std::vector<int> OwnersOf(absl::Span<const int64_t> factors, absl::Span<const int64_t> sizes) {
  std::vector<int> owners;
  size_t size = 0;
  int64_t product = 1;
  for (int64_t factor : factors) {
    while (product == sizes[size]) {
      ++size;
      product = 1;
    }
    product *= factor;
    owners.push_back(static_cast<int>(size));
  }
  return owners;
}

absl::StatusOr<Mesh> MeshOfSizes(absl::Span<const int64_t> sizes, std::vector<int64_t> devices) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) axes.push_back({absl::StrCat("axis_", i), sizes[i]});
  return Mesh::Create(std::move(axes), std::move(devices));
}

// One axis for each dimension, in the order of the devices: possible wherever these are 0, 1, 2, ..
// in some order.
absl::StatusOr<Mesh> MeshByDimensions(const TileAssignment& tiles, TileAxes& axes) {
  axes = {};
  for (int d = 0; d < tiles.num_dims(); ++d) {
    axes.sizes.push_back(tiles.dim(d));
    axes.dims.push_back({d});
  }
  return MeshOfSizes(axes.sizes, tiles.Devices());
}

AxisList FullAxes(const std::vector<int>& axes) {
  AxisList out;
  for (int axis : axes) out.push_back(AxisRef::Full(axis));
  return out;
}

absl::Status HasNoNamedForm(const HloSharding& sharding) {
  return absl::InvalidArgumentError(
      absl::StrCat(sharding.ToString(), " has no form with named axes"));
}

absl::StatusOr<HloSharding> NameTiles(const HloSharding& sharding) {
  const absl::Span<const SubgroupType> types = sharding.subgroups();
  if (std::find(types.begin(), types.end(), SubgroupType::kMaximal) != types.end()) {
    return HasNoNamedForm(sharding);
  }
  TileAxes axes;
  NamedSharding named;
  absl::StatusOr<TileAxes> found = AnalyzeTiling(sharding);
  if (found.ok()) {
    axes = *std::move(found);
    TESSERA_ASSIGN_OR_RETURN(named.mesh, MeshOfSizes(axes.sizes, {}));
  } else {
    TESSERA_ASSIGN_OR_RETURN(named.mesh, MeshByDimensions(sharding.tiles(), axes));
  }
  const size_t rank = static_cast<size_t>(sharding.data_rank());
  for (size_t d = 0; d < axes.dims.size(); ++d) {
    AxisList refs = FullAxes(axes.dims[d]);
    if (d < rank) {
      named.dims.push_back({std::move(refs)});
      continue;
    }
    std::sort(refs.begin(), refs.end());
    const SubgroupType type = types[d - rank];
    if (type == SubgroupType::kManual) named.manual = std::move(refs);
    if (type == SubgroupType::kUnreduced) named.unreduced = std::move(refs);
  }
  HloSharding out = HloSharding::Named(std::move(named));
  out.set_reduction(sharding.reduction());
  out.set_metadata(sharding.metadata());
  return out;
}

}  // namespace

absl::StatusOr<TileAxes> AnalyzeTiling(const HloSharding& sharding) {
  if (!sharding.IsTiled()) {
    return absl::InvalidArgumentError(
        absl::StrCat(sharding.ToString(), " is not a grid of devices"));
  }
  const TileAssignment& tiles = sharding.tiles();
  TESSERA_ASSIGN_OR_RETURN(const MovedAxes moved, AxesOfGrid(tiles));
  const std::optional<Dims> factors = CommonFactors(tiles.dims(), moved.sizes);
  if (!factors) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes of ", tiles.ToString(), " have no common cut, so it is not a mesh sharding"));
  }
  const std::vector<int> dims = OwnersOf(*factors, tiles.dims());
  const std::vector<int> places = OwnersOf(*factors, moved.sizes);
  std::vector<size_t> order(factors->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return moved.place[static_cast<size_t>(places[a])] <
           moved.place[static_cast<size_t>(places[b])];
  });
  TileAxes out;
  std::vector<int> axis_of(order.size());
  for (size_t axis = 0; axis < order.size(); ++axis) {
    out.sizes.push_back((*factors)[order[axis]]);
    axis_of[order[axis]] = static_cast<int>(axis);
  }
  out.dims.resize(tiles.dims().size());
  for (size_t i = 0; i < factors->size(); ++i) {
    out.dims[static_cast<size_t>(dims[i])].push_back(axis_of[i]);
  }
  return out;
}

absl::StatusOr<HloSharding> TiledToNamedSharding(const HloSharding& sharding) {
  if (sharding.IsNamed()) return sharding;
  if (sharding.IsTiled()) return NameTiles(sharding);
  NamedSharding named;
  if (sharding.IsMaximal()) named.mesh = Mesh::Maximal(sharding.device());
  if (!sharding.IsMaximal() && !sharding.IsReplicated()) return HasNoNamedForm(sharding);
  HloSharding out = HloSharding::Named(std::move(named));
  out.set_metadata(sharding.metadata());
  return out;
}

}  // namespace tessera::sharding
