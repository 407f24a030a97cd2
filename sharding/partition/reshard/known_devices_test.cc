#include "tessera/sharding/partition/reshard/known_devices.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/partition/options.h"
#include "tessera/sharding/partition/reshard/graph.h"
#include "tessera/sharding/partition/reshard/scope.h"
#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/kept_lists.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding::partition {
namespace {

TEST(KnownDevicesTest, AListIsMadeOnceForAKey) {
  KnownDevices known;
  int made = 0;
  const auto pairs_of = [&](uint64_t key, int64_t target) {
    known.NewKey().push_back(key);
    return known.PairsOf([&] {
      ++made;
      return std::vector<KnownDevices::Pair>{{0, target}, {1, 1}};
    });
  };
  const auto first = pairs_of(7, 1), again = pairs_of(7, 5), equal = pairs_of(8, 1);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(first.pairs.identity(), again.pairs.identity());
  EXPECT_EQ(first.pairs.identity(), equal.pairs.identity());
  EXPECT_FALSE(first.stays);
  EXPECT_TRUE(pairs_of(9, 0).stays);
}

TEST(KeptListsTest, EqualListsHaveOneNumber) {
  KeptLists<int64_t> lists;
  EXPECT_EQ(lists.Of({3, 5}), 0);
  EXPECT_EQ(lists.Of({5, 3}), 1);
  EXPECT_EQ(lists.Of({}), 2);
  EXPECT_EQ(lists.Of({3, 5}), 0);
  EXPECT_EQ(lists[1].list(), (std::vector<int64_t>{5, 3}));
}

TEST(KnownDevicesTest, GroupsOfOtherRowsAreOtherLists) {
  KnownDevices known;
  const auto groups_of = [&known](uint64_t key, const TileAssignment& groups) {
    known.NewKey().push_back(key);
    return known.GroupsOf([&groups] { return groups; });
  };
  const auto one = groups_of(1, TileAssignment::Plain({2, 3}));
  EXPECT_EQ(one.list(), (std::vector<KnownDevices::Group>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_NE(one, groups_of(2, TileAssignment::Plain({3, 2})));
  EXPECT_NE(one, groups_of(3, *TileAssignment::List({2, 3}, {0, 1, 2, 3, 5, 4})));
  // An iota, and the list that it describes.
  const auto list = groups_of(4, *TileAssignment::List({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(one.identity(), list.identity());
}

class ScopeTest : public testing::Test {
 protected:
  SharedList<KnownDevices::Group> GroupsOf(NodeId node) {
    return graph_.forms()[static_cast<size_t>(graph_.node(node).form)].groups;
  }

  Graph graph_{reference::Behaviors()};
  DeviceGroupScope all_{graph_, 8};
  NodeId x_ = graph_.Zeros(Shape::Array(layout::ElementType::kF32, {4, 4}, std::nullopt));
};

TEST_F(ScopeTest, CollectivesOfEqualDevicesShareTheirList) {
  const Tiling rows = Tiling::Partial(TileAssignment::Plain({2, 1, 4}));
  const NodeId a = all_.AllGatherOver(x_, rows, {0}),
               b = all_.AllReduceOver(x_, rows, {0}, {Opcode::kAdd});
  EXPECT_EQ(GroupsOf(a).identity(), GroupsOf(b).identity());
  EXPECT_EQ(GroupsOf(a).list(), (std::vector<KnownDevices::Group>{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// A scope is found by its devices, whether they are an iota or a list.
TEST_F(ScopeTest, EqualGroupsAreOneScope) {
  const DeviceGroups iota(TileAssignment::Plain({8}), 2, 4);
  const DeviceGroups list(*TileAssignment::List({8}, {0, 1, 2, 3, 4, 5, 6, 7}), 2, 4);
  const DeviceGroups other(*TileAssignment::List({8}, {0, 1, 2, 3, 4, 5, 7, 6}), 2, 4);
  DeviceGroupScope& scope = all_.PerGroup(iota);
  EXPECT_EQ(&scope, &all_.PerGroup(list));
  EXPECT_NE(&scope, &all_.PerGroup(other));
  EXPECT_NE(&scope, &all_.PerGroup(DeviceGroups(TileAssignment::Plain({8}), 4, 2)));
  EXPECT_NE(&scope, &all_.WithoutCache().PerGroup(iota));
  EXPECT_EQ(GroupsOf(scope.AllReduce(x_, {Opcode::kAdd})).list(),
            (std::vector<KnownDevices::Group>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

}  // namespace
}  // namespace tessera::sharding::partition
