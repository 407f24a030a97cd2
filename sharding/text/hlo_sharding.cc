// Values of `sharding=`: kinds, subgroups, comparison.
//
// Subgroups. The last dimensions of a grid may stand for groups of devices that share data instead
// of splitting it. Many texts say the same thing: groups of size 1, two groups of one type, types
// in another order, replicas in another order. FromSubgroups() brings all of them to one form:
//
//   [2,2]3,2,1,0 replicated             -> [2,2]2,3,0,1      the order within replicas is forgotten
//   [2,2,2]<=[8] {replicated, manual}   -> [2,2,2]<=[2,2,2]T(0,2,1) {manual, replicated}
//   [8,2,2]<=[32] {manual, manual}      -> [8,4]<=[32] {manual}
//   [1,8]<=[8] manual                   -> {manual}
//
// Tested by hlo_sharding_test.cc, for all small meshes against lists of devices by
// enumeration_test.cc.

#include "tessera/sharding/hlo_sharding.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/text/checked.h"

namespace tessera::sharding {
namespace {

constexpr SubgroupType kSubgroupOrder[] = {SubgroupType::kMaximal, SubgroupType::kManual,
                                           SubgroupType::kUnreduced, SubgroupType::kReplicated};

// A grid whose dimensions from `data_rank` on are the groups of `types`.
struct Grouped {
  TileAssignment tiles;
  absl::InlinedVector<SubgroupType, 4> types;
};

// Groups of size 1 gone, equal types merged, types sorted.
Grouped MergeSubgroups(const TileAssignment& tiles, absl::Span<const SubgroupType> types) {
  const size_t data_rank = tiles.dims().size() - types.size();
  Dims order(data_rank);
  std::iota(order.begin(), order.end(), 0);
  Dims dims(tiles.dims().begin(), tiles.dims().begin() + static_cast<std::ptrdiff_t>(data_rank));
  Grouped out;
  for (SubgroupType type : kSubgroupOrder) {
    int64_t size = 1;
    for (size_t i = 0; i < types.size(); ++i) {
      const int64_t group = tiles.dims()[data_rank + i];
      if (types[i] != type || group == 1) continue;
      order.push_back(static_cast<int64_t>(data_rank + i));
      size *= group;
    }
    if (size == 1) continue;
    dims.push_back(size);
    out.types.push_back(type);
  }
  for (size_t i = data_rank; i < tiles.dims().size(); ++i) {
    if (tiles.dims()[i] == 1) order.push_back(static_cast<int64_t>(i));
  }
  out.tiles = tiles.Transpose(order).Reshape(dims);
  return out;
}

// The sharding for a grid that is one group; none for groups of single devices.
std::optional<HloSharding> OfOneSubgroup(SubgroupType type) {
  switch (type) {
    case SubgroupType::kManual:
      return HloSharding::Manual();
    case SubgroupType::kReplicated:
      return HloSharding::Replicated();
    case SubgroupType::kUnreduced:
      return HloSharding::Unreduced();
    case SubgroupType::kMaximal:
      break;
  }
  return std::nullopt;
}

bool AllEqual(absl::Span<const SubgroupType> types) {
  return std::all_of(types.begin(), types.end(),
                     [&types](SubgroupType type) { return type == types.front(); });
}

bool EqualPlacement(const NamedSharding& a, const NamedSharding& b) {
  return a.DeviceGrid() == b.DeviceGrid() && a.dims == b.dims && a.unreduced == b.unreduced &&
         a.manual == b.manual;
}

}  // namespace

bool NamedSharding::CoversMesh(absl::Span<const AxisRef> axes) const {
  size_t next = 0;
  for (int axis = 0; axis < mesh.num_axes(); ++axis) {
    if (next < axes.size() && axes[next] == AxisRef::Full(axis)) {
      ++next;
    } else if (mesh.axis_size(axis) != 1) {
      return false;
    }
  }
  return !axes.empty() && next == axes.size();
}

bool NamedSharding::IsReplicated() const {
  return !mesh.is_maximal() && unreduced.empty() && manual.empty() &&
         std::all_of(dims.begin(), dims.end(), [this](const DimensionSharding& dim) {
           return ShardedSize(dim.axes, mesh) == 1;
         });
}

TileAssignment NamedSharding::DeviceGrid() const {
  if (has_iota_order) return iota_order;
  Dims sizes;
  for (const MeshAxis& axis : mesh.axes()) sizes.push_back(axis.size);
  if (sizes.empty()) sizes.push_back(1);
  if (mesh.device_ids().empty()) return TileAssignment::Plain(sizes);
  auto grid = TileAssignment::List(
      sizes, std::vector<int64_t>(mesh.device_ids().begin(), mesh.device_ids().end()));
  return grid.ok() ? *std::move(grid) : TileAssignment();
}

HloSharding HloSharding::Maximal(int64_t device) {
  HloSharding out(Kind::kMaximal);
  out.device_ = device;
  return out;
}

HloSharding HloSharding::Tiled(TileAssignment tiles) {
  HloSharding out(Kind::kTiled);
  out.tiles_ = std::move(tiles);
  return out;
}

HloSharding HloSharding::FromSubgroups(const TileAssignment& tiles,
                                       absl::Span<const SubgroupType> types) {
  if (types.empty()) return Tiled(tiles);
  const absl::Span<const int64_t> dims = tiles.dims();
  if (AllEqual(types) && Product(dims.first(dims.size() - types.size())) == 1) {
    if (std::optional<HloSharding> one = OfOneSubgroup(types.front())) return *std::move(one);
  }
  const bool is_merged = types.size() == 1 && dims.back() != 1;
  Grouped grouped = is_merged ? Grouped{tiles, {types.front()}} : MergeSubgroups(tiles, types);
  if (grouped.types.empty()) return Tiled(std::move(grouped.tiles));
  const int64_t last = grouped.tiles.dims().back();
  const SubgroupType type = grouped.types.back();
  const bool whole = grouped.types.size() == 1 && last == tiles.num_devices();
  if (whole && type == SubgroupType::kManual) return Manual();
  if (whole && type == SubgroupType::kReplicated) return Replicated();
  HloSharding out = Tiled(type == SubgroupType::kReplicated ? grouped.tiles.SortMinorGroups(last)
                                                            : std::move(grouped.tiles));
  out.subgroups_ = std::move(grouped.types);
  return out;
}

HloSharding HloSharding::Named(NamedSharding named) {
  HloSharding out(Kind::kNamed);
  out.named_ = std::make_shared<const NamedSharding>(std::move(named));
  return out;
}

HloSharding HloSharding::Tuple(std::vector<HloSharding> elements) {
  HloSharding out(Kind::kTuple);
  out.elements_ = std::move(elements);
  return out;
}

bool HloSharding::IsReplicated() const {
  return kind_ == Kind::kReplicated || (IsNamed() && named_->IsReplicated());
}

bool HloSharding::IsManual() const {
  return kind_ == Kind::kManual || (IsNamed() && named_->IsManual());
}

bool HloSharding::IsUnreduced() const {
  return kind_ == Kind::kUnreduced || (IsNamed() && named_->IsUnreduced());
}

bool HloSharding::IsMaximal() const {
  return kind_ == Kind::kMaximal || (IsNamed() && named_->mesh.is_maximal());
}

int64_t HloSharding::num_devices() const {
  if (IsMaximal()) return 1;
  if (IsTiled()) return tiles_.num_devices();
  return IsNamed() ? named_->mesh.num_devices() : 0;
}

bool operator==(const HloSharding& a, const HloSharding& b) {
  if (a.IsTuple() || b.IsTuple()) {
    return a.IsTuple() && b.IsTuple() && a.elements_ == b.elements_;
  }
  if (a.IsNamed() && b.IsNamed()) {
    if (a.IsReplicated() && b.IsReplicated()) return true;
    return a.IsMaximal() == b.IsMaximal() && a.reduction_ == b.reduction_ &&
           EqualPlacement(*a.named_, *b.named_);
  }
  if (a.IsNamed()) return ToTiledSharding(a) == b;
  if (b.IsNamed()) return a == ToTiledSharding(b);
  return a.kind_ == b.kind_ && a.group_ == b.group_ && a.reduction_ == b.reduction_ &&
         (!a.IsMaximal() || a.device_ == b.device_) &&
         (!a.IsTiled() || (a.tiles_ == b.tiles_ && a.subgroups_ == b.subgroups_));
}

}  // namespace tessera::sharding
