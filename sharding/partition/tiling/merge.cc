// Merges two tilings of one array into one that has the shards of both.
//
// Each dimension must be sharded alike, or by one of the two only. First way: the replicas of each
// side are split by the shards that it lacks; a grid that both sides reach is the answer. XLA tries
// all orders of these splits, (k!)^2 pairs. At most one order is possible. The other side says
// which device holds the second tile along each split dimension. Its place among the replicas of
// the first tile is the product of all more minor splits. Second way: the merged tiles are filled
// one after the other with the least device that both sides hold there. XLA: hlo_sharding_util,
// MergeShardingIfCompatible.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/merge_axes.h"

namespace tessera::sharding::partition {
namespace {

// One of the two tilings, and how it reaches the merged dimensions.
struct Side {
  const Tiling* tiling;
  Dims kept;       // sizes that it has already
  Dims position;   // per merged dimension: where in (kept, added); -1: to be added
  Dims added;      // sizes that its replicas must be split into
  Dims added_dim;  // and the merged dimension of each
};

struct Plan {
  Side a, into;
  Dims merged;
  int64_t replicas = 1;
};

void Keep(Side& side, int64_t dim, int64_t size) {
  At(side.position, dim) = Size(side.kept);
  side.kept.push_back(size);
}

void Add(Side& side, int64_t dim, int64_t size) {
  side.added.push_back(size);
  side.added_dim.push_back(dim);
}

std::optional<Plan> MakePlan(const Tiling& a, const Tiling& into, int64_t least_tiles) {
  Plan plan;
  plan.a.tiling = &a;
  plan.into.tiling = &into;
  const int64_t rank = into.data_rank();
  plan.a.position.assign(static_cast<size_t>(into.num_dims()), -1);
  plan.into.position = plan.a.position;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t x = a.dim(i), y = into.dim(i);
    if (x != y && x != 1 && y != 1) return std::nullopt;
    x == y || y == 1 ? Keep(plan.a, i, x) : Add(plan.a, i, y);
    x == y || x == 1 ? Keep(plan.into, i, y) : Add(plan.into, i, x);
    plan.merged.push_back(std::max(x, y));
  }
  const int64_t tiles = Product(plan.merged);
  if (a.num_devices() % tiles != 0 || tiles < least_tiles) return std::nullopt;
  int64_t groups = tiles;
  if (into.HasManual()) {
    const int64_t manual = into.dim(into.SubgroupDim(SubgroupType::kManual));
    if (manual != a.dim(a.SubgroupDim(SubgroupType::kManual))) return std::nullopt;
    Keep(plan.a, rank, manual);
    Keep(plan.into, rank, manual);
    plan.merged.push_back(manual);
    groups *= manual;
    if (a.num_devices() % groups != 0) return std::nullopt;
  }
  plan.replicas = a.num_devices() / groups;
  if (plan.replicas > 1) plan.merged.push_back(plan.replicas);
  return plan;
}

// The device that holds the second tile along a merged dimension that the side has already.
int64_t SecondAlong(const Side& side, int64_t dim) {
  int64_t stride = side.tiling->num_devices() / Product(side.kept);
  for (int64_t i = At(side.position, dim) + 1; i < Size(side.kept); ++i) stride *= At(side.kept, i);
  return side.tiling->grid().DeviceAtLinear(stride);
}

// The splits of the replicas, major to minor, as numbers of `added`; the rest of the replicas,
// which both sides add last, stands where no other one can.
std::optional<Dims> OrderOfSplits(const Side& side, const Side& other, bool has_rest) {
  Dims open = Iota(Size(side.added) - (has_rest ? 1 : 0)), order;
  bool rest_is_open = has_rest;
  for (int64_t stride = 1; Size(order) < Size(side.added);) {
    const int64_t device = side.tiling->grid().DeviceAtLinear(stride);
    const auto found = std::find_if(open.begin(), open.end(), [&](int64_t i) {
      return SecondAlong(other, At(side.added_dim, i)) == device;
    });
    if (found == open.end() && !std::exchange(rest_is_open, false)) return std::nullopt;
    const int64_t split = found != open.end() ? *found : Size(side.added) - 1;
    if (found != open.end()) open.erase(found);
    order.insert(order.begin(), split);
    stride *= At(side.added, split);
  }
  return order;
}

// The only grid of the merged dimensions that this side may reach by splitting its replicas, if the
// other side reaches it, too.
std::optional<TileAssignment> Reached(Side side, const Side& other, int64_t replicas,
                                      int64_t last_dim) {
  const Tiling& tiling = *side.tiling;
  if (!tiling.HasReplicas() || tiling.replicas() == replicas) return tiling.grid();
  if (replicas == 1) {
    side.position.pop_back();
  } else {
    Add(side, last_dim, replicas);
  }
  const std::optional<Dims> order = OrderOfSplits(side, other, replicas > 1);
  if (!order.has_value()) return std::nullopt;
  Dims dims = side.kept;
  for (int64_t i : *order) {
    At(side.position, At(side.added_dim, i)) = Size(dims);
    dims.push_back(At(side.added, i));
  }
  return tiling.grid().Reshape(dims).Transpose(side.position);
}

std::optional<TileAssignment> CommonGrid(const Plan& plan, int64_t last_dim) {
  const auto x = Reached(plan.into, plan.a, plan.replicas, last_dim);
  const auto y = Reached(plan.a, plan.into, plan.replicas, last_dim);
  if (!x.has_value() || !y.has_value() || *x != *y) return std::nullopt;
  return x->is_iota() ? x : y;
}

// The devices of each tile (manual parts are tiles here).
std::vector<std::set<int64_t>> Members(const Tiling& tiling, int64_t groups) {
  const std::vector<int64_t> devices = tiling.grid().Devices();
  const int64_t size = Size(devices) / groups;
  std::vector<std::set<int64_t>> out(static_cast<size_t>(groups));
  for (int64_t i = 0; i < Size(devices); ++i) At(out, i / size).insert(At(devices, i));
  return out;
}

int64_t TileOf(const Tiling& tiling, Ints index) {
  int64_t out = 0;
  for (int64_t i = 0; i < tiling.data_rank(); ++i) {
    out = out * tiling.dim(i) + (tiling.dim(i) == 1 ? 0 : At(index, i));
  }
  const int64_t manual = tiling.SubgroupDim(SubgroupType::kManual);
  return manual < 0 ? out : out * tiling.dim(manual) + At(index, tiling.data_rank());
}

int64_t TilesAndManual(const Tiling& tiling) {
  const int64_t manual = tiling.SubgroupDim(SubgroupType::kManual);
  return tiling.tiles() * (manual < 0 ? 1 : tiling.dim(manual));
}

std::optional<TileAssignment> FilledGrid(const Plan& plan) {
  auto of_a = Members(*plan.a.tiling, TilesAndManual(*plan.a.tiling));
  auto of_into = Members(*plan.into.tiling, TilesAndManual(*plan.into.tiling));
  std::vector<int64_t> devices;
  Dims index(plan.merged.size(), 0);
  for (int64_t n = Product(plan.merged); n > 0; --n) {
    std::set<int64_t>& x = At(of_a, TileOf(*plan.a.tiling, index));
    std::set<int64_t>& y = At(of_into, TileOf(*plan.into.tiling, index));
    const auto common =
        std::find_if(x.begin(), x.end(), [&y](int64_t device) { return y.count(device) > 0; });
    if (common == x.end()) return std::nullopt;
    const int64_t device = *common;
    devices.push_back(device);
    x.erase(device);
    y.erase(device);
    for (int64_t i = Size(index); i-- > 0;) {
      if (++At(index, i) < At(plan.merged, i)) break;
      At(index, i) = 0;
    }
  }
  return *TileAssignment::List(plan.merged, std::move(devices));
}

}  // namespace

bool MergeIfCompatible(const Tiling& a, int64_t least_tiles, Tiling* into) {
  if (a.IsMaximal() || a.IsManual()) return false;
  if (into->IsMaximal()) {
    *into = a;
    return true;
  }
  if (!into->HasReplicas() || into->data_rank() != a.data_rank()) return false;
  if (into->HasManual() != a.HasManual()) return false;
  if (Tiling::ShareMesh(a, *into) && !a.HasManual()) return MergeAxes(a, least_tiles, into);
  if (into->IsNamed()) *into = into->AsV1();
  const std::optional<Plan> plan = MakePlan(a, *into, least_tiles);
  if (!plan.has_value()) return false;
  std::optional<TileAssignment> grid = CommonGrid(*plan, into->num_dims() - 1);
  if (!grid.has_value()) grid = FilledGrid(*plan);
  if (!grid.has_value()) return false;
  Tiling::Types types;
  if (a.HasManual()) types.push_back(SubgroupType::kManual);
  if (plan->replicas > 1) types.push_back(SubgroupType::kReplicated);
  *into = Tiling::WithSubgroups(*grid, types);
  return true;
}

bool MergeIfCompatible(const Tiling& a, Tiling* into) {
  return MergeIfCompatible(a, into->tiles() + 1, into);
}

bool MergeOrPrefer(const Tiling& a, Tiling* into) {
  if (a.HasReplicas() && into->HasReplicas() && a.num_devices() == into->num_devices() &&
      MergeIfCompatible(a, std::max(a.tiles(), into->tiles()) + 1, into)) {
    return true;
  }
  return IsMoreSpecific(*into, a);
}

}  // namespace tessera::sharding::partition
