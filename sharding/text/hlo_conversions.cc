// Axes of a mesh as a grid of devices.
//
// Cut every axis of the mesh wherever the sharding cuts one of its sub-axes; the pieces, in mesh
// order, are the axes of an iota over all devices. A dimension is sharded along some of the pieces,
// so the grid is that iota with its axes moved. First come the pieces of dimension 0, major to
// minor, then those of dimension 1, and so on. Then come the manual ones, the unreduced ones, and
// last, in mesh order, all pieces that no one uses: the replicas.
//
//   mesh x=8, y=4, [{y}, {x:(2)2}]:  pieces x:(1)2 x:(2)2 x:(4)2 y, iota [2,2,2,4],
//   moved to (y, x:(2)2, x:(1)2, x:(4)2) = T(3,1,0,2), read as [4, 2, 4], the last 4 replicas.
//
// Tested by hlo_conversions_test.cc; enumeration_test.cc runs all meshes of up to 8 devices through
// both directions and compares device by device.

#include "tessera/sharding/hlo_conversions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
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

// Collects the dimensions of the grid and the order of the pieces after them.
class GridBuilder {
 public:
  explicit GridBuilder(const NamedSharding& named)
      : mesh_(named.mesh), pieces_(Pieces(named)), used_(pieces_.size(), false) {}

  void AddDimension(absl::Span<const AxisRef> refs) {
    dims_.push_back(ShardedSize(refs, mesh_));
    Use(refs);
  }
  void AddSubgroup(absl::Span<const AxisRef> refs, SubgroupType type) {
    if (refs.empty()) return;
    AddDimension(refs);
    types_.push_back(type);
  }
  // All that is left; groups of one device are none.
  void AddReplicas() {
    AxisList rest;
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (!used_[i]) rest.push_back(pieces_[i]);
    }
    if (ShardedSize(rest, mesh_) > 1) {
      AddSubgroup(rest, SubgroupType::kReplicated);
    } else {
      Use(rest);
    }
  }
  HloSharding Build(const TileAssignment& devices) const {
    Dims sizes;
    for (AxisRef piece : pieces_) sizes.push_back(piece.size(mesh_));
    return HloSharding::FromSubgroups(devices.Reshape(sizes).Transpose(perm_).Reshape(dims_),
                                      types_);
  }

 private:
  void Use(absl::Span<const AxisRef> refs) {
    for (AxisRef ref : refs) {
      const auto at = std::lower_bound(pieces_.begin(), pieces_.end(), ref) - pieces_.begin();
      perm_.push_back(at);
      used_[static_cast<size_t>(at)] = true;
    }
  }

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
  return named;
}

bool AllManual(const Mesh& mesh, absl::Span<const int> manual_axes) {
  return !manual_axes.empty() && static_cast<int>(manual_axes.size()) == mesh.num_axes();
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
                            absl::Span<const int> manual_axes, bool keep_device_ids) {
  NamedSharding named = ToNamed(sharding, mesh, manual_axes);
  // V3 lists are sorted; the grid of V2 counts those of the outer shard_map first.
  std::sort(named.manual.begin(), named.manual.end());
  if (AllManual(mesh, manual_axes)) {
    named.dims.clear();
    named.replicated.clear();
    named.unreduced.clear();
  } else if (!mesh.is_maximal() && sharding.IsFullyReplicated() && sharding.IsFullyClosed() &&
             named.manual.empty() && named.unreduced.empty() &&
             (!keep_device_ids || mesh.device_ids().empty())) {
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
