#include "tessera/target/schedule/fast_memory.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Kernel k makes value k, in a second; a byte is copied in a second.
class FastMemoryTest : public ::testing::Test {
 protected:
  FastMemoryTest(std::vector<int64_t> bytes, std::vector<std::vector<ValueId>> reads)
      : bytes_(std::move(bytes)), seconds_(bytes_.size(), 1), in_bodies_(bytes_.size()) {
    flow_.nodes.resize(bytes_.size());
    homes_.is_free.resize(bytes_.size());
    for (ValueId v = 0; v < bytes_.size(); ++v) {
      flow_.values.push_back({nullptr, v, 0, 0});
      flow_.nodes[v].opcode = hlo::Opcode::kTanh;
      homes_.of.push_back(v);
      order_.push_back(v);
      Kernel kernel;
      kernel.node = v;
      kernel.makes = {v};
      kernel.reads.assign(reads[v].begin(), reads[v].end());
      scope_.kernels.push_back(kernel);
    }
  }

  FastValues Find(int64_t capacity) const {
    return FindFastValues(flow_, scope_, order_, homes_, bytes_,
                          {capacity, 1, seconds_, computing_}, in_bodies_);
  }

  Dataflow flow_;
  ScopeKernels scope_;
  Homes homes_;
  std::vector<int64_t> bytes_;
  std::vector<uint32_t> order_;
  std::vector<double> seconds_, computing_;
  std::vector<InBodies> in_bodies_;
};

// A chain of three arrays of 6 bytes. Two of them are there at once.
class ChainTest : public FastMemoryTest {
 protected:
  ChainTest() : FastMemoryTest({6, 6, 6}, {{}, {0}, {1}}) {}
};

TEST_F(ChainTest, WhatFitsLiesThere) {
  EXPECT_THAT(Find(12).homes, UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(Find(12).most, 12);
  EXPECT_EQ(Find(12).seconds, 3);
  EXPECT_THAT(Find(11).homes, UnorderedElementsAre(0, 2));
  EXPECT_THAT(Find(5).homes, IsEmpty());
}

TEST_F(ChainTest, AProductInTwoTypesStays) {
  scope_.kernels[0].makes = {0, 2};
  scope_.kernels.pop_back();
  order_.pop_back();
  in_bodies_.pop_back();
  EXPECT_THAT(Find(18).homes, UnorderedElementsAre(0, 1, 2));
  flow_.nodes[0].opcode = hlo::Opcode::kDot;
  EXPECT_THAT(Find(18).homes, UnorderedElementsAre(1));
}

TEST_F(ChainTest, BodiesComeFirst) {
  in_bodies_[1].bytes = 6;
  EXPECT_THAT(Find(12).homes, UnorderedElementsAre(0, 2));
}

TEST_F(ChainTest, WhatIsCarriedOrGoesOutStays) {
  scope_.kernels[1].consumes = {0};
  scope_.at_end = {2};
  EXPECT_THAT(Find(100).homes, ElementsAre(1));
}

TEST_F(ChainTest, WhatLiesInAnArgumentStays) {
  homes_.is_free[1] = true;
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(0, 2));
}

// The first array is an argument.
TEST_F(ChainTest, ArgumentsAreCopiedAheadAsFarAsThereIsRoom) {
  flow_.nodes[0].opcode = hlo::Opcode::kParameter;
  homes_.is_free[0] = true;
  scope_.at_start = {0};
  scope_.kernels.erase(scope_.kernels.begin());
  scope_.kernels[1].reads = {0, 1};
  scope_.kernels[0].reads.clear();
  order_.pop_back();
  const auto placed = [&](int64_t capacity) {
    Homes homes = homes_;
    const std::vector<ScopeKernels> scopes = {scope_};
    const std::vector<std::vector<uint32_t>> orders = {order_};
    return PlaceInFastMemory(flow_, scopes, orders, bytes_, {capacity, 1, seconds_, computing_},
                             &homes);
  };
  EXPECT_EQ(placed(100), 13);  // in the second before its reader a byte
  seconds_[1] = 4;
  EXPECT_EQ(placed(100), 16);
  EXPECT_EQ(placed(14), 14);
}

// The first array is read again after `idle` seconds.
class IdleTest : public FastMemoryTest {
 protected:
  IdleTest() : FastMemoryTest({1, 2, 1}, {{}, {}, {0}}) {}
};

TEST_F(IdleTest, WhatIsNotNeededForLongGoesToHbm) {
  seconds_[1] = 800;  // eight times as long as a copy of 100 bytes takes
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(0, 1, 2));
  seconds_[1] = 801;
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(1, 2));
}

TEST_F(IdleTest, CollectivesTakeNoneOfTheTime) {
  seconds_[1] = 801;
  flow_.nodes[1].opcode = hlo::Opcode::kAllReduce;
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(0, 1, 2));
}

TEST_F(IdleTest, ALoopCountsFiveTimes) {
  seconds_[1] = 0;
  in_bodies_[1].seconds = 160;
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(0, 1, 2));
  in_bodies_[1].seconds = 161;
  EXPECT_THAT(Find(100).homes, UnorderedElementsAre(1, 2));
}

// An array that more kernels read is worth more.
class WorthTest : public FastMemoryTest {
 protected:
  WorthTest() : FastMemoryTest({4, 4, 0, 0}, {{}, {}, {0, 1}, {1}}) {}
};

TEST_F(WorthTest, WhatIsReadOftenComesFirst) { EXPECT_THAT(Find(7).homes, ElementsAre(1)); }

// The third kernel reads both; the fourth, which reads the second alone, and the maker of the second have products.
TEST_F(WorthTest, KernelsThatTakeTheTimeOfTheirProductsSaveNothing) {
  computing_ = {0, 1, 0, 1};
  EXPECT_THAT(Find(7).homes, ElementsAre(0));
  computing_ = {0, 0.5, 0, 0.25};
  EXPECT_THAT(Find(7).homes, ElementsAre(1));
}

}  // namespace
}  // namespace tessera::target
