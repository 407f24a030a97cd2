#include "tessera/sharding/tile_assignment.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/sharding/small_meshes.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;
using Numbers = std::vector<int64_t>;

Numbers Iota(int64_t n) {
  Numbers out(static_cast<size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

// The slow engine: a grid as a list, transposed element by element.
struct Grid {
  Numbers dims;
  Numbers values;

  Grid Transpose(const Numbers& perm) const {
    Grid out;
    for (int64_t p : perm) out.dims.push_back(dims[static_cast<size_t>(p)]);
    out.values.resize(values.size());
    for (size_t linear = 0; linear < values.size(); ++linear) {
      Numbers at(dims.size());
      size_t rest = linear;
      for (size_t i = dims.size(); i-- > 0;) {
        at[i] = static_cast<int64_t>(rest) % dims[i];
        rest /= static_cast<size_t>(dims[i]);
      }
      size_t moved = 0;
      for (size_t i = 0; i < perm.size(); ++i) {
        moved = moved * static_cast<size_t>(out.dims[i]) +
                static_cast<size_t>(at[static_cast<size_t>(perm[i])]);
      }
      out.values[moved] = values[linear];
    }
    return out;
  }
  Grid Reshape(const Numbers& new_dims) const { return {new_dims, values}; }
};

// Calls f(dims, reshape_dims, perm) for all iotas of n devices with up to three of each.
template <typename F>
void ForEachIota(int64_t n, F f) {
  for (const Numbers& reshape_dims : testing::Factorizations(n, 3, 1)) {
    if (reshape_dims.empty()) continue;
    Numbers perm = Iota(static_cast<int64_t>(reshape_dims.size()));
    do {
      for (const Numbers& dims : testing::Factorizations(n, 3, 1)) {
        if (!dims.empty()) f(dims, reshape_dims, perm);
      }
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST(TileAssignmentTest, AgreesWithListsForAllSmallIotas) {
  for (int64_t n = 1; n <= 12; ++n) {
    ForEachIota(n, [n](const Numbers& dims, const Numbers& reshape_dims, const Numbers& perm) {
      const TileAssignment tiles = *TileAssignment::Iota(dims, reshape_dims, perm);
      const Grid grid = Grid{reshape_dims, Iota(n)}.Transpose(perm).Reshape(dims);
      ASSERT_EQ(tiles.Devices(), grid.values) << tiles.ToString();
      for (int64_t i = 0; i < n; ++i) {
        const int64_t device = tiles.DeviceAtLinear(i);
        ASSERT_EQ(device, grid.values[static_cast<size_t>(i)]);
        ASSERT_EQ(tiles.DeviceAt(tiles.IndexOf(device)), device) << tiles.ToString();
      }
      const TileAssignment list = *TileAssignment::List(dims, grid.values);
      ASSERT_EQ(tiles, list);
      Numbers by = Iota(static_cast<int64_t>(dims.size()));
      do {
        const Grid moved = grid.Transpose(by);
        ASSERT_EQ(tiles.Transpose(by).Devices(), moved.values) << tiles.ToString();
        ASSERT_EQ(list.Transpose(by).Devices(), moved.values) << tiles.ToString();
        ASSERT_TRUE(
            std::equal(moved.dims.begin(), moved.dims.end(), tiles.Transpose(by).dims().begin()));
      } while (std::next_permutation(by.begin(), by.end()));
    });
  }
}

TEST(TileAssignmentTest, SortsMinorGroupsLikeLists) {
  for (int64_t n : {6, 8, 12}) {
    ForEachIota(n, [](const Numbers& dims, const Numbers& reshape_dims, const Numbers& perm) {
      const TileAssignment tiles = *TileAssignment::Iota(dims, reshape_dims, perm);
      const int64_t size = dims.back();
      Numbers sorted = tiles.Devices();
      for (auto at = sorted.begin(); at != sorted.end(); at += size) std::sort(at, at + size);
      ASSERT_EQ(tiles.SortMinorGroups(size).Devices(), sorted) << tiles.ToString();
    });
  }
}

// Each device is asked for its tile.
TEST(TileAssignmentTest, IndicesAlongAreThoseOfEachDevice) {
  for (int64_t n : {6, 8, 12}) {
    ForEachIota(n, [n](const Numbers& dims, const Numbers& reshape_dims, const Numbers& perm) {
      const TileAssignment tiles = *TileAssignment::Iota(dims, reshape_dims, perm);
      for (int64_t dim = 0; dim < tiles.num_dims(); ++dim) {
        Numbers indices;
        for (int64_t device = 0; device < n; ++device) {
          indices.push_back(tiles.IndexOf(device)[static_cast<size_t>(dim)]);
        }
        ASSERT_EQ(tiles.IndicesAlong(dim), indices) << tiles.ToString();
      }
    });
  }
  EXPECT_THAT(TileAssignment::List({3}, {4, 0, 1})->IndicesAlong(0), ElementsAre(1, 2, -1, -1, 0));
}

TEST(TileAssignmentTest, AListThatAnIotaDescribesStaysAList) {
  const TileAssignment list = *TileAssignment::List({2, 2}, {0, 2, 1, 3});
  EXPECT_FALSE(list.is_iota());
  EXPECT_TRUE(list.has_axes());
  EXPECT_EQ(list.ToString(), "[2,2]0,2,1,3");
  EXPECT_EQ(list.Transpose({1, 0}).ToString(), "[2,2]0,1,2,3");
  EXPECT_EQ(list.SortMinorGroups(2).Reshape({4}).ToString(), "[4]0,2,1,3");
  EXPECT_EQ(list.AsIota().ToString(), "[2,2]<=[2,2]T(1,0)");
  EXPECT_EQ(list.AsIota().AsList().ToString(), list.ToString());
  EXPECT_FALSE(TileAssignment::List({4}, {0, 2, 3, 1})->has_axes());
  EXPECT_FALSE(TileAssignment::List({4}, {1, 2, 3, 4})->has_axes());
}

TEST(TileAssignmentTest, EqualIotasLookEqual) {
  for (int64_t n : {8, 12}) {
    std::vector<TileAssignment> all;
    ForEachIota(n, [&all](const Numbers& dims, const Numbers& reshape_dims, const Numbers& perm) {
      if (dims.size() == 1) all.push_back(*TileAssignment::Iota(dims, reshape_dims, perm));
    });
    for (const TileAssignment& a : all) {
      for (const TileAssignment& b : all) {
        EXPECT_EQ(a.ToString() == b.ToString(), a.Devices() == b.Devices())
            << a.ToString() << " and " << b.ToString();
      }
    }
  }
}

TEST(TileAssignmentTest, StaysAnIotaWhereItCan) {
  const struct {
    Numbers dims, reshape_dims, perm, by;
    const char* out;
  } cases[] = {
      {{6, 4}, {24}, {0}, {1, 0}, "[4,6]<=[6,4]T(1,0)"},
      {{1, 24}, {24}, {0}, {1, 0}, "[24,1]<=[24]"},
      {{4, 6}, {6, 4}, {1, 0}, {1, 0}, "[6,4]<=[24]"},
      {{6, 6}, {4, 9}, {1, 0}, {1, 0}, nullptr},  // a list: 3 * 3 does not begin with 6
      {{4, 9}, {6, 6}, {1, 0}, {1, 0}, nullptr},
      {{2, 6}, {3, 4}, {1, 0}, {1, 0}, "[6,2]<=[6,2]T(1,0)"},
      {{2, 2, 3}, {3, 4}, {1, 0}, {0, 2, 1}, "[2,3,2]<=[3,2,2]T(1,0,2)"},
  };
  for (const auto& c : cases) {
    const TileAssignment moved =
        TileAssignment::Iota(c.dims, c.reshape_dims, c.perm)->Transpose(c.by);
    ASSERT_EQ(moved.is_iota(), c.out != nullptr) << moved.ToString();
    if (c.out != nullptr) {
      EXPECT_EQ(moved.ToString(), c.out);
    }
  }
}

TEST(TileAssignmentTest, RefusesNonsense) {
  EXPECT_FALSE(TileAssignment::Iota({2, 2}, {2}, {0}).ok());
  EXPECT_FALSE(TileAssignment::Iota({0}, {0}, {0}).ok());
  EXPECT_FALSE(TileAssignment::Iota({-2, -2}, {4}, {0}).ok());
  EXPECT_FALSE(TileAssignment::Iota({4}, {2, 2}, {0, 0}).ok());
  EXPECT_FALSE(TileAssignment::Iota({4}, {2, 2}, {0}).ok());
  EXPECT_FALSE(TileAssignment::Iota({int64_t{1} << 40, int64_t{1} << 40}, {1}, {0}).ok());
  EXPECT_FALSE(TileAssignment::List({2}, {0, 0}).ok());
  EXPECT_FALSE(TileAssignment::List({2}, {0, -1}).ok());
  EXPECT_FALSE(TileAssignment::List({2}, {0, 1, 2}).ok());
}

TEST(TileAssignmentTest, HoldsManyDevicesInLittle) {
  const TileAssignment pod = *TileAssignment::Iota({1024, 64}, {64, 1024}, {1, 0});
  EXPECT_EQ(pod.DeviceAt({1023, 63}), 65535);
  EXPECT_EQ(pod.DeviceAt({1, 0}), 1);
  EXPECT_EQ(pod.DeviceAt({0, 1}), 1024);
  EXPECT_THAT(pod.Transpose({1, 0}).reshape_dims(), ElementsAre(65536));
}

}  // namespace
}  // namespace tessera::sharding
