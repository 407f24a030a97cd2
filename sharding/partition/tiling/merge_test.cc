// MergeIfCompatible against the reference's way: the replicas of each side split in every order.

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/partition/tiling/algebra.h"
#include "tessera/sharding/partition/tiling/tiling.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding::partition {
namespace {

// What the replicas of one side are split into: a size and the merged dimension that it cuts.
struct Split {
  int64_t size, dim;
};

// All grids of the merged dimensions, `replicas` last, that splits of the tiling's replicas give.
std::vector<TileAssignment> Reachable(const Tiling& tiling, const Dims& merged, int64_t replicas) {
  std::vector<Split> splits;
  Dims kept, kept_position(merged.size() + (replicas > 1 ? 1 : 0), 0);
  for (int64_t i = 0; i < Size(merged); ++i) {
    if (tiling.dim(i) != At(merged, i)) {
      splits.push_back({At(merged, i), i});
    } else {
      At(kept_position, i) = Size(kept);
      kept.push_back(tiling.dim(i));
    }
  }
  if (replicas > 1) splits.push_back({replicas, Size(merged)});
  std::vector<size_t> order(splits.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<TileAssignment> out;
  do {
    Dims dims = kept, position = kept_position;
    for (size_t i : order) {
      At(position, splits[i].dim) = Size(dims);
      dims.push_back(splits[i].size);
    }
    out.push_back(tiling.grid().Reshape(dims).Transpose(position));
  } while (std::next_permutation(order.begin(), order.end()));
  return out;
}

// The last pair of equal grids, in the order in which the reference tries them.
std::optional<TileAssignment> CommonGrid(const Tiling& a, const Tiling& into, const Dims& merged) {
  const int64_t replicas = a.num_devices() / Product(merged);
  std::optional<TileAssignment> found;
  for (const TileAssignment& x : Reachable(into, merged, replicas)) {
    for (const TileAssignment& y : Reachable(a, merged, replicas)) {
      if (x == y) found = x;
    }
  }
  return found;
}

// Each dimension cut alike, or by one of the two only.
std::optional<Dims> MergedDims(const Tiling& a, const Tiling& into) {
  Dims merged;
  for (int64_t i = 0; i < a.data_rank(); ++i) {
    if (a.dim(i) != into.dim(i) && a.dim(i) != 1 && into.dim(i) != 1) return std::nullopt;
    merged.push_back(std::max(a.dim(i), into.dim(i)));
  }
  if (a.num_devices() % Product(merged) != 0) return std::nullopt;
  return merged;
}

// A tiling of `devices` devices of an array of rank 3 with replicas, its cuts along axes of a mesh
// of factors of two; some as a list that no mesh has.
Tiling RandomTiling(int64_t devices, std::mt19937& random) {
  const auto below = [&random](int64_t n) { return static_cast<int64_t>(random() % n); };
  Dims dims = {1, 1, 1};
  int64_t left = devices;
  while (left > 2 && below(4) != 0) {
    At(dims, below(3)) *= 2;
    left /= 2;
  }
  dims.push_back(left);
  Dims mesh, perm;
  for (int64_t rest = devices; rest > 1; rest /= 2) mesh.push_back(2);
  perm = Iota(Size(mesh));
  std::shuffle(perm.begin(), perm.end(), random);
  const TileAssignment grid = *TileAssignment::Iota(dims, mesh, perm);
  if (below(4) != 0) return Tiling::Partial(grid);
  std::vector<int64_t> list = grid.Devices();
  if (below(2) != 0) std::swap(list[static_cast<size_t>(below(devices))], list.back());
  return Tiling::Partial(*TileAssignment::List(dims, list));
}

TEST(MergeTest, FindsTheGridThatEveryOrderOfSplitsWouldFind) {
  std::mt19937 random(6);
  int common = 0;
  for (int run = 0; run < 20000; ++run) {
    const int64_t devices = int64_t{4} << random() % 4;
    const Tiling a = RandomTiling(devices, random), before = RandomTiling(devices, random);
    if (!a.IsTiled() || !before.IsTiled()) continue;
    const std::optional<Dims> merged = MergedDims(a, before);
    if (!merged.has_value()) continue;
    const std::optional<TileAssignment> expected = CommonGrid(a, before, *merged);
    if (!expected.has_value()) continue;
    ++common;
    Tiling into = before;
    ASSERT_TRUE(MergeIfCompatible(a, /*least_tiles=*/1, &into));
    ASSERT_EQ(into.grid(), *expected) << a.ToString() << " into " << before.ToString();
  }
  EXPECT_GT(common, 1000);
}

}  // namespace
}  // namespace tessera::sharding::partition
