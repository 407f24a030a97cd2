#include "tessera/sharding/partition/tiling/algebra.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/mesh_axes.h"

namespace tessera::sharding::partition {
namespace {

using ::testing::ElementsAre;

Tiling T(const char* text) { return Tiling::Of(*ParseHloSharding(text)); }

layout::Shape F32(Dims dims) {
  return layout::Shape::Array(layout::ElementType::kF32, dims, std::nullopt);
}

TEST(AlgebraTest, TransposeMovesCuts) {
  EXPECT_EQ(Transpose(T("{devices=[2,4]<=[8]}"), {1, 0}), T("{devices=[4,2]<=[2,4]T(1,0)}"));
}

TEST(AlgebraTest, CutsBecomeReplicas) {
  EXPECT_EQ(ReplicateOn(T("{devices=[2,4]<=[8]}"), {1}),
            T("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"));
  EXPECT_EQ(ReplicateOn(T("{devices=[2,4]<=[8]}"), {0, 1}), Tiling::Replicated());
}

TEST(AlgebraTest, ReverseTurnsTheTiles) {
  EXPECT_EQ(Reverse(T("{devices=[4]<=[4]}"), {0}), T("{devices=[4]3,2,1,0}"));
}

TEST(AlgebraTest, CutsMoveAfterThoseOfAnotherDimension) {
  EXPECT_EQ(MoveCuts(T("{devices=[2,4]<=[8]}"), 0, 1), T("{devices=[1,8]<=[2,4]T(1,0)}"));
}

TEST(AlgebraTest, CutsMoveOnlyWhereTheyFit) {
  EXPECT_EQ(TargetForCuts(F32({16, 30, 8}), T("{devices=[8,1,1]<=[8]}"), 0), 2);
  EXPECT_EQ(TargetForCuts(F32({16, 30, 4}), T("{devices=[8,1,1]<=[8]}"), 0), std::nullopt);
}

TEST(AlgebraTest, MajorCutsGoThroughAReshape) {
  EXPECT_EQ(ThroughReshape(F32({16, 32}), F32({512}), T("{devices=[8,1]<=[8]}")),
            T("{devices=[8]<=[8]}"));
  EXPECT_EQ(ThroughReshape(F32({16, 32}), F32({512}), T("{devices=[1,8]<=[8]}")), std::nullopt);
}

TEST(AlgebraTest, CompatibleCutsMerge) {
  Tiling into = T("{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  EXPECT_TRUE(
      MergeIfCompatible(T("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"), &into));
  EXPECT_EQ(into, T("{devices=[2,4]<=[8]}"));
  EXPECT_FALSE(MergeIfCompatible(T("{devices=[4,2]<=[8]}"), &into));
}

// On a mesh of x=4, y=2, both sides in named form.
struct NamedMerge {
  const char* from;
  const char* into;
  const char* merged;  // none: they do not merge
};

TEST(AlgebraTest, NamedCutsMergeAxisByAxis) {
  const auto named = [](const char* dims) {
    return Tiling::InMesh(*ParseHloSharding(absl::StrCat("{mesh['x'=4,'y'=2], [", dims, "]}")));
  };
  const NamedMerge rows[] = {
      {"{'y'}, {}", "{}, {'x'}", "{'y'}, {'x'}"},
      {"{'x'}, {}", "{'x':(1)2}, {'y'}", "{'x'}, {'y'}"},         // goes on where the other ends
      {"{'x'}, {}", "{}, {'x':(2)2}", "{'x':(1)2}, {'x':(2)2}"},  // the part that is left
      {"{'y', 'x'}, {}", "{}, {'x'}", "{'y'}, {'x'}"},            // up to what is used
      {"{'x'}, {'y'}", "{'y'}, {}", nullptr},                     // 'y' is used
      {"{'x'}, {'y'}", "{'y'}, {'x'}", nullptr},                  // they begin differently
      {"{'y'}, {'x':(1)2}", "{'x':(2)2}, {}", nullptr},           // so nothing is taken over
      {"{'x':(1)2}, {'y'}", "{'x'}, {}", "{'x'}, {'y'}"},         // begins like the other
      {"{'y'}, {'x'}", "{}, {'y'}", nullptr},                     // nothing is left of it
  };
  for (const NamedMerge& row : rows) {
    Tiling into = named(row.into);
    const bool merges = MergeIfCompatible(named(row.from), &into);
    EXPECT_EQ(merges, row.merged != nullptr) << row.from << " into " << row.into;
    EXPECT_EQ(into, named(merges ? row.merged : row.into)) << row.from << " into " << row.into;
    EXPECT_TRUE(into.IsNamed());
  }
}

// Replicas are in the order of the mesh while it is named, then in that of the devices.
TEST(AlgebraTest, NamedTilingBecomesV1WhereTheOtherSideIsOfAnotherForm) {
  const Tiling named =
      Tiling::InMesh(*ParseHloSharding("{mesh['x'=2,'y'=2], device_ids=(0,3,2,1), [{'x'}, {}]}"));
  const auto into_after = [&](const Tiling& from) {
    Tiling into = named;
    EXPECT_FALSE(MergeIfCompatible(from, &into));
    return into.grid().Devices();
  };
  EXPECT_THAT(into_after(named), testing::ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(into_after(Tiling::Replicated()), testing::ElementsAre(0, 3, 2, 1));
  EXPECT_THAT(into_after(named.AsV1()), testing::ElementsAre(0, 3, 1, 2));
  EXPECT_THAT(into_after(Tiling::InMesh(*ParseHloSharding("{mesh['x'=2,'y'=2], [{'x'}, {}]}"))),
              testing::ElementsAre(0, 3, 1, 2));
}

TEST(AlgebraTest, FineTilesLieInCoarseOnes) {
  const layout::Shape shape = F32({16, 32});
  const Tiling fine = T("{devices=[8,1]<=[8]}");
  EXPECT_TRUE(Refines(shape, fine, T("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")));
  EXPECT_FALSE(Refines(shape, fine, T("{devices=[1,2,4]<=[8] last_tile_dim_replicate}")));
}

// By the definition: device by device, dimension by dimension.
bool RefinesOnEachDevice(const layout::Shape& shape, const Tiling& fine, const Tiling& coarse) {
  const layout::Shape fine_size = ShardShape(shape, fine), coarse_size = ShardShape(shape, coarse);
  for (int64_t device = 0; device < fine.num_devices(); ++device) {
    const Dims x = fine.grid().IndexOf(device), y = coarse.grid().IndexOf(device);
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (fine.dim(i) < coarse.dim(i)) return false;
      const int64_t begin = At(x, i) * fine_size.dim(i), end = begin + fine_size.dim(i);
      const int64_t first = At(y, i) * coarse_size.dim(i), last = first + coarse_size.dim(i);
      if (begin < first || (end <= shape.dim(i) && end > last)) return false;
    }
  }
  return true;
}

// Of 12 devices: grids of every two sizes with the rest as replicas, in every order of the axes 2, 2
// and 3; and each of them as a list of devices.
std::vector<Tiling> TilingsOfTwelve() {
  std::vector<Tiling> out;
  for (const Dims& dims :
       {Dims{12, 1, 1}, Dims{6, 2, 1}, Dims{2, 6, 1}, Dims{4, 3, 1}, Dims{6, 1, 2}, Dims{2, 3, 2},
        Dims{3, 2, 2}, Dims{2, 2, 3}, Dims{2, 1, 6}, Dims{1, 2, 6}, Dims{3, 1, 4}, Dims{1, 4, 3}}) {
    Dims perm = {0, 1, 2};
    do {
      const TileAssignment grid = *TileAssignment::Iota(dims, {2, 2, 3}, perm);
      out.push_back(Tiling::Partial(grid));
      out.push_back(Tiling::Partial(*TileAssignment::List(dims, grid.Devices())));
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
  return out;
}

TEST(AlgebraTest, RefinesAsOnEachDevice) {
  const std::vector<Tiling> tilings = TilingsOfTwelve();
  int refine = 0;
  for (const layout::Shape& shape : {F32({12, 12}), F32({5, 7}), F32({24, 6}), F32({0, 12})}) {
    for (const Tiling& fine : tilings) {
      for (const Tiling& coarse : tilings) {
        const bool refines = Refines(shape, fine, coarse);
        refine += refines ? 1 : 0;
        ASSERT_EQ(refines, RefinesOnEachDevice(shape, fine, coarse))
            << fine.ToString() << " in " << coarse.ToString();
      }
    }
  }
  EXPECT_GT(refine, 1000);
}

TEST(AlgebraTest, GroupsVaryInTheGivenDimensions) {
  EXPECT_THAT(RowsOf(GroupsOver(T("{devices=[2,2]<=[4]}"), {0})),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(RowsOf(GroupsOver(T("{devices=[2,2]<=[4]}"), {1})),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(GroupingTest, GroupsAreUndone) {
  const Tiling tiling = T("{devices=[2,4]<=[8]}");
  const Grouping groups = GroupOn(tiling, {0});
  EXPECT_EQ(groups.devices.groups(), 2);
  EXPECT_EQ(groups.inner, T("{devices=[1,4]<=[4]}"));
  EXPECT_EQ(Ungroup(groups), tiling);
}

// An axis that two dimensions share is the same axis, or the same part of one.
TEST(AlgebraTest, DimensionsCutByTheSameAxes) {
  const auto named = [](const char* dims) {
    return Tiling::InMesh(*ParseHloSharding(absl::StrCat("{mesh['x'=4,'y'=2], [", dims, "]}")));
  };
  const Tiling other = named("{'x'}, {'y'}");
  EXPECT_THAT(CutByAxesOf(named("{'x', 'y'}, {}"), {0, 1}, other, {0}), ElementsAre(0));
  EXPECT_THAT(CutByAxesOf(named("{'y'}, {'x'}"), {0, 1}, other, {0}), ElementsAre(1));
  EXPECT_THAT(CutByAxesOf(named("{'x':(1)2}, {}"), {0, 1}, other, {0}), ElementsAre());
  EXPECT_THAT(CutByAxesOf(named("{'x'}, {}"), {0, 1}, named("{'x':(2)2, 'y'}, {}"), {0}),
              ElementsAre());
}

TEST(AlgebraTest, AxesSplitWhereOneEndsOrInParts) {
  const auto named = [](const char* dims) {
    return Tiling::InMesh(
        *ParseHloSharding(absl::StrCat("{mesh['x'=2,'y'=3,'z'=4], [", dims, "]}")));
  };
  EXPECT_TRUE(AxesSplitAt(named("{'y', 'x'}, {}"), 0, 3));
  EXPECT_FALSE(AxesSplitAt(named("{'y', 'x'}, {}"), 0, 2));
  EXPECT_TRUE(AxesSplitAt(named("{}, {'x', 'y'}"), 1, 2));
  EXPECT_FALSE(AxesSplitAt(named("{}, {'x', 'y'}"), 1, 3));
  EXPECT_TRUE(AxesSplitAt(named("{'z'}, {}"), 0, 2));
  EXPECT_TRUE(AxesSplitAt(named("{'y', 'z'}, {}"), 0, 6));
  EXPECT_TRUE(AxesSplitAt(named("{'z':(2)2, 'x'}, {}"), 0, 4));
}

TEST(AlgebraTest, PermutedAxesAreInTheOrderOfThePlainMesh) {
  const Tiling swapped = T("{devices=[4,2]<=[2,2,2]T(1,0,2)}");
  EXPECT_THAT(
      RowsOf(InMeshOrder(swapped, GroupsOver(swapped, {1}))),
      ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5), ElementsAre(6, 7)));
  const Tiling as_list = T("{devices=[2,2,2]0,1,4,5,2,3,6,7}");
  EXPECT_EQ(InMeshOrder(as_list, GroupsOver(as_list, {2})),
            InMeshOrder(swapped, GroupsOver(swapped, {1})));
  const Tiling in_two_steps = T("{devices=[4,2]0,1,4,5,2,3,6,7}");
  EXPECT_THAT(
      RowsOf(InMeshOrder(in_two_steps, GroupsOver(in_two_steps, {1}))),
      ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5), ElementsAre(2, 3), ElementsAre(6, 7)));
  const Tiling other = T("{devices=[4,2]0,1,4,5,6,7,2,3}");
  EXPECT_THAT(
      RowsOf(InMeshOrder(other, GroupsOver(other, {1}))),
      ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5), ElementsAre(6, 7), ElementsAre(2, 3)));
}

// Of 12 devices: by axes, beside the rows themselves.
TEST(AlgebraTest, GroupsOfIotasAreSortedAsLists) {
  for (const Tiling& tiling : TilingsOfTwelve()) {
    if (!IsPermutedIota(tiling.grid())) continue;  // stays as it is
    for (int64_t dim = 0; dim < tiling.num_dims(); ++dim) {
      DeviceLists rows = RowsOf(GroupsOver(tiling, {dim}));
      const DeviceLists sorted = RowsOf(InMeshOrder(tiling, GroupsOver(tiling, {dim})));
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(sorted, rows) << tiling.ToString() << " along " << dim;
    }
  }
}

TEST(GroupingTest, UngroupKeepsAnIota) {
  const Tiling tiling = T("{devices=[2,2,2]<=[2,2,2]T(1,0,2)}");
  const Tiling back = Ungroup(GroupOn(tiling, {0}));
  EXPECT_EQ(back, tiling);
  EXPECT_TRUE(back.grid().is_iota());
}

}  // namespace
}  // namespace tessera::sharding::partition
