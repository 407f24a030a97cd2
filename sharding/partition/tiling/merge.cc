// Two tilings of one array as one that has the cuts of both.
//
// Each dimension must be cut alike, or by one of the two only. First way: the replicas of each are
// split by the cuts it lacks, in every order of these; a grid that both sides reach is the answer.
// Second way: the merged tiles are filled one after the other with the least device that both sides
// hold there.

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

// All grids of the merged dimensions that this side reaches by splitting its replicas.
std::vector<TileAssignment> Reachable(Side side, int64_t replicas, int64_t last_dim) {
  const Tiling& tiling = *side.tiling;
  if (!tiling.HasReplicas() || tiling.replicas() == replicas) return {tiling.grid()};
  if (replicas == 1) {
    side.position.pop_back();
  } else {
    Add(side, last_dim, replicas);
  }
  std::vector<TileAssignment> out;
  Dims order = Iota(Size(side.added));
  do {
    Dims dims = side.kept;
    Dims position = side.position;
    int64_t next = Size(side.kept);
    for (int64_t i : order) {
      dims.push_back(At(side.added, i));
      At(position, At(side.added_dim, i)) = next++;
    }
    out.push_back(tiling.grid().Reshape(dims).Transpose(position));
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

std::optional<TileAssignment> CommonGrid(const Plan& plan, int64_t last_dim) {
  std::optional<TileAssignment> found;
  const auto of_a = Reachable(plan.a, plan.replicas, last_dim);
  for (const TileAssignment& x : Reachable(plan.into, plan.replicas, last_dim)) {
    for (const TileAssignment& y : of_a) {
      if (x == y) found = x.is_iota() ? x : y;
    }
  }
  return found;
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
  if (a.IsNamed() && into->IsNamed() && !a.HasManual()) {
    return MergeAxes(a, least_tiles, into);
  }
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
