// Axes of a mesh <-> grids of devices.
//
// To a grid. Cut every axis of the mesh wherever the sharding cuts one of its sub-axes; the pieces,
// in mesh order, are the axes of an iota over all devices. A dimension is sharded along some of the
// pieces, so the grid is that iota with its axes moved: first the pieces of dimension 0, major to
// minor, then those of dimension 1, .., then the manual ones, the unreduced ones, and last, in mesh
// order, all pieces that no one uses: the replicas.
//
//   mesh x=8, y=4, [{y}, {x:(2)2}]:  pieces x:(1)2 x:(2)2 x:(4)2 y, iota [2,2,2,4],
//   moved to (y, x:(2)2, x:(1)2, x:(4)2) = T(3,1,0,2), read as [4, 2, 4], the last 4 replicas.
//
// Back. The sizes of the grid and the sizes of the moved iota axes are two ways to cut the same
// devices. If they have a common refinement, its pieces are axes of a mesh, and each belongs to one
// dimension of the grid and one axis of the iota. [2,3] against [3,2] has none.
//
// Tested by hlo_conversions_test.cc; enumeration_test.cc runs all meshes of up to 8 devices through
// both directions and compares device by device.

#include "tessera/sharding/hlo_conversions.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/common_factors.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// Calls f on every reference of the sharding.
template <typename F>
void ForEachRef(const NamedSharding& named, F f) {
  for (const DimensionSharding& dim : named.dims) {
    for (AxisRef ref : dim.axes) f(ref);
  }
  for (const AxisList* list : {&named.manual, &named.unreduced, &named.replicated}) {
    for (AxisRef ref : *list) f(ref);
  }
}

// The mesh cut into the pieces that the sharding needs, in mesh order.
AxisList Pieces(const NamedSharding& named) {
  std::vector<Dims> cuts(static_cast<size_t>(named.mesh.num_axes()), Dims{1});
  ForEachRef(named, [&](AxisRef ref) {
    if (ref.is_full()) return;
    Dims& of_axis = cuts[static_cast<size_t>(ref.axis())];
    of_axis.push_back(ref.pre_size());
    of_axis.push_back(ref.next_pre_size(0));
  });
  AxisList pieces;
  for (int axis = 0; axis < named.mesh.num_axes(); ++axis) {
    Dims& at = cuts[static_cast<size_t>(axis)];
    at.push_back(named.mesh.axis_size(axis));
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    if (at.size() <= 2) {
      pieces.push_back(AxisRef::Full(axis));
      continue;
    }
    for (size_t i = 1; i < at.size(); ++i) {
      pieces.push_back(AxisRef::Sub(axis, at[i - 1], at[i] / at[i - 1]));
    }
  }
  return pieces;
}

// Collects the dimensions of the grid and the order of the pieces behind them.
class GridBuilder {
 public:
  explicit GridBuilder(const NamedSharding& named)
      : mesh_(named.mesh), pieces_(Pieces(named)), used_(pieces_.size(), false) {}

  void AddDimension(absl::Span<const AxisRef> refs) {
    dims_.push_back(ShardedSize(refs, mesh_));
    for (AxisRef ref : refs) {
      const auto at = std::lower_bound(pieces_.begin(), pieces_.end(), ref) - pieces_.begin();
      perm_.push_back(at);
      used_[static_cast<size_t>(at)] = true;
    }
  }
  void AddSubgroup(absl::Span<const AxisRef> refs, SubgroupType type) {
    if (refs.empty()) return;
    AddDimension(refs);
    types_.push_back(type);
  }
  void AddReplicas() {
    AxisList rest;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!used_[i]) rest.push_back(pieces_[i]);
    }
    AddSubgroup(rest, SubgroupType::kReplicated);
  }
  HloSharding Build(const TileAssignment& devices) const {
    Dims sizes;
    for (AxisRef piece : pieces_) sizes.push_back(piece.size(mesh_));
    return HloSharding::FromSubgroups(devices.Reshape(sizes).Transpose(perm_).Reshape(dims_),
                                      types_);
  }

 private:
  const Mesh& mesh_;
  AxisList pieces_;
  std::vector<bool> used_;
  Dims dims_;
  Dims perm_;
  std::vector<SubgroupType> types_;
};

HloSharding GridOf(const NamedSharding& named) {
  GridBuilder grid(named);
  for (const DimensionSharding& dim : named.dims) grid.AddDimension(dim.axes);
  grid.AddSubgroup(named.manual, SubgroupType::kManual);
  grid.AddSubgroup(named.unreduced, SubgroupType::kUnreduced);
  grid.AddReplicas();
  return grid.Build(named.DeviceGrid());
}

HloSharding TileNamed(const NamedSharding& named) {
  if (named.mesh.is_maximal()) return HloSharding::Maximal(named.mesh.maximal_device_id());
  if (named.mesh.is_empty() || named.IsReplicated()) return HloSharding::Replicated();
  return GridOf(named);
}

NamedSharding ToNamed(const TensorSharding& sharding, const Mesh& mesh,
                      absl::Span<const int> manual_axes) {
  NamedSharding named;
  named.mesh = mesh;
  named.dims = sharding.dims();
  for (DimensionSharding& dim : named.dims) dim.priority = kNoPriority;
  named.replicated = sharding.replicated_axes();
  named.unreduced = sharding.unreduced_axes();
  for (int axis : manual_axes) named.manual.push_back(AxisRef::Full(axis));
  std::sort(named.manual.begin(), named.manual.end());
  return named;
}

bool AllManual(const Mesh& mesh, absl::Span<const int> manual_axes) {
  return !manual_axes.empty() && static_cast<int>(manual_axes.size()) == mesh.num_axes();
}

// What an iota or a plain list looks like before it is moved: its axes in the order of the grid,
// and for each the place that it has in the iota.
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
      return absl::InvalidArgumentError(
          absl::StrCat("a list of devices other than 0, 1, 2, .. is no mesh with its axes moved: ",
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

Mesh MeshOfSizes(absl::Span<const int64_t> sizes, std::vector<int64_t> devices) {
  std::vector<MeshAxis> axes;
  for (size_t i = 0; i < sizes.size(); ++i) axes.push_back({absl::StrCat("axis_", i), sizes[i]});
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes), std::move(devices));
  return mesh.ok() ? *std::move(mesh) : Mesh();
}

// One axis for each dimension, in the order of the devices: always possible.
NamedSharding NameByDimensions(const HloSharding& sharding, TileAxes& axes) {
  const TileAssignment& tiles = sharding.tiles();
  axes = {};
  for (int d = 0; d < tiles.num_dims(); ++d) {
    axes.sizes.push_back(tiles.dim(d));
    axes.dims.push_back({d});
  }
  NamedSharding named;
  named.mesh = MeshOfSizes(axes.sizes, tiles.Devices());
  return named;
}

AxisList FullAxes(const std::vector<int>& axes) {
  AxisList out;
  for (int axis : axes) out.push_back(AxisRef::Full(axis));
  return out;
}

HloSharding NameTiles(const HloSharding& sharding) {
  TileAxes axes;
  NamedSharding named;
  absl::StatusOr<TileAxes> found = AnalyzeTiling(sharding);
  if (found.ok()) {
    axes = *std::move(found);
    named.mesh = MeshOfSizes(axes.sizes, {});
  } else {
    named = NameByDimensions(sharding, axes);
  }
  const size_t rank = static_cast<size_t>(sharding.data_rank());
  for (size_t d = 0; d < axes.dims.size(); ++d) {
    AxisList refs = FullAxes(axes.dims[d]);
    if (d < rank) {
      named.dims.push_back({std::move(refs)});
      continue;
    }
    std::sort(refs.begin(), refs.end());
    const SubgroupType type = sharding.subgroups()[d - rank];
    if (type == SubgroupType::kManual) named.manual = std::move(refs);
    if (type == SubgroupType::kUnreduced) named.unreduced = std::move(refs);
  }
  HloSharding out = HloSharding::Named(std::move(named));
  out.set_reduction(sharding.reduction());
  out.set_metadata(sharding.metadata());
  return out;
}

}  // namespace

HloSharding ToTiledSharding(const TensorSharding& sharding, const Mesh& mesh,
                            absl::Span<const int> manual_axes) {
  if (AllManual(mesh, manual_axes)) return HloSharding::Manual();
  HloSharding out = mesh.num_devices() == 1 && !mesh.is_maximal()
                        ? HloSharding::Replicated()
                        : TileNamed(ToNamed(sharding, mesh, manual_axes));
  out.set_reduction(sharding.reduction());
  return out;
}

HloSharding ToNamedSharding(const TensorSharding& sharding, const Mesh& mesh,
                            absl::Span<const int> manual_axes) {
  if (mesh.is_maximal()) return HloSharding::Maximal(mesh.maximal_device_id());
  NamedSharding named = ToNamed(sharding, mesh, manual_axes);
  if (AllManual(mesh, manual_axes)) {
    named.dims.clear();
    named.replicated.clear();
    named.unreduced.clear();
  } else if (sharding.IsFullyReplicated() && sharding.IsFullyClosed() && named.manual.empty() &&
             named.unreduced.empty()) {
    named = NamedSharding();
  }
  HloSharding out = HloSharding::Named(std::move(named));
  out.set_reduction(sharding.reduction());
  return out;
}

HloSharding ToTiledSharding(const HloSharding& sharding) {
  if (sharding.IsTuple()) {
    std::vector<HloSharding> elements;
    for (const HloSharding& element : sharding.elements()) {
      elements.push_back(ToTiledSharding(element));
    }
    return HloSharding::Tuple(std::move(elements));
  }
  if (!sharding.IsNamed()) return sharding;
  HloSharding out = TileNamed(sharding.named());
  out.set_reduction(sharding.reduction());
  out.set_metadata(sharding.metadata());
  return out;
}

absl::StatusOr<TileAxes> AnalyzeTiling(const HloSharding& sharding) {
  if (!sharding.IsTiled()) {
    return absl::InvalidArgumentError(absl::StrCat(sharding.ToString(), " is no grid of devices"));
  }
  const TileAssignment& tiles = sharding.tiles();
  TESSERA_ASSIGN_OR_RETURN(const MovedAxes moved, AxesOfGrid(tiles));
  const std::optional<Dims> factors = CommonFactors(tiles.dims(), moved.sizes);
  if (!factors) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes of ", tiles.ToString(), " have no common cut, so it is no mesh sharding"));
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
  if (!sharding.IsMaximal() && !sharding.IsReplicated()) {
    return absl::InvalidArgumentError(
        absl::StrCat(sharding.ToString(), " has no form with named axes"));
  }
  HloSharding out = HloSharding::Named(std::move(named));
  out.set_metadata(sharding.metadata());
  return out;
}

absl::StatusOr<TensorSharding> NamedToTensorSharding(const HloSharding& sharding,
                                                     MeshTable& meshes) {
  if (sharding.kind() == HloSharding::Kind::kMaximal) {
    return TensorSharding(meshes.AddInlined(Mesh::Maximal(sharding.device())));
  }
  if (!sharding.IsNamed()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a sharding with a mesh, not ", sharding.ToString()));
  }
  const NamedSharding& named = sharding.named();
  TensorSharding out(meshes.AddInlined(named.mesh));
  out.mutable_dims() = named.dims;
  out.mutable_replicated_axes() = named.replicated;
  out.mutable_unreduced_axes() = named.unreduced;
  out.set_reduction(sharding.reduction());
  return out;
}

}  // namespace tessera::sharding
