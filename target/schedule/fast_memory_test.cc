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

// Kernel k makes value k, in a second; a byte is copied in a second.
class FastMemoryTest : public ::testing::Test {
 protected:
  FastMemoryTest(std::vector<int64_t> bytes, std::vector<std::vector<ValueId>> reads)
      : scopes_(1), orders_(1), bytes_(std::move(bytes)), seconds_(bytes_.size(), 1) {
    flow_.nodes.resize(bytes_.size());
    flow_.scopes.resize(1);
    homes_.is_free.resize(bytes_.size());
    for (ValueId v = 0; v < bytes_.size(); ++v) {
      flow_.values.push_back({nullptr, v, 0, 0});
      flow_.nodes[v].opcode = hlo::Opcode::kTanh;
      homes_.of.push_back(v);
      orders_[0].push_back(v);
      Kernel kernel;
      kernel.node = v;
      kernel.makes = {v};
      kernel.reads.assign(reads[v].begin(), reads[v].end());
      scopes_[0].kernels.push_back(kernel);
    }
  }

  FastUse Place(int64_t capacity, Homes* homes) const {
    return PlaceInFastMemory(flow_, scopes_, orders_, bytes_, {capacity, 1, seconds_, computing_},
                             homes);
  }

  int64_t InUse(int64_t capacity) const {
    Homes homes = homes_;
    return Place(capacity, &homes).bytes;
  }

  // The homes that lie there at the peak.
  std::vector<ValueId> AtPeak(int64_t capacity) const {
    Homes homes = homes_;
    return Place(capacity, &homes).values;
  }

  // The homes that it finds a place for.
  std::vector<ValueId> Fast(int64_t capacity) const {
    Homes homes = homes_;
    Place(capacity, &homes);
    std::vector<ValueId> fast;
    for (ValueId v = 0; v < homes.of.size(); ++v) {
      if (homes.is_free[v] && !homes_.is_free[v]) fast.push_back(v);
    }
    return fast;
  }

  Dataflow flow_;
  std::vector<ScopeKernels> scopes_;
  Homes homes_;
  std::vector<std::vector<uint32_t>> orders_;
  std::vector<int64_t> bytes_;
  std::vector<double> seconds_, computing_;
};

// A chain of three arrays of 6 bytes. Two of them are there at once.
class ChainTest : public FastMemoryTest {
 protected:
  ChainTest() : FastMemoryTest({6, 6, 6}, {{}, {0}, {1}}) {}
};

TEST_F(ChainTest, WhatFitsLiesThere) {
  EXPECT_THAT(Fast(12), ElementsAre(0, 1, 2));
  EXPECT_EQ(InUse(12), 12);
  EXPECT_THAT(AtPeak(12), ::testing::UnorderedElementsAre(0, 1));
  EXPECT_THAT(Fast(11), ElementsAre(0, 2));
  EXPECT_THAT(Fast(5), IsEmpty());
}

TEST_F(ChainTest, WhatGoesOutStays) {
  scopes_[0].at_end = {2};
  EXPECT_THAT(Fast(100), ElementsAre(0, 1));
}

TEST_F(ChainTest, WhatLiesInAnArgumentStays) {
  homes_.is_free[1] = true;
  EXPECT_THAT(Fast(100), ElementsAre(0, 2));
}

// The first array is an argument.
TEST_F(ChainTest, ArgumentsAreCopiedAheadAsFarAsThereIsRoom) {
  flow_.nodes[0].opcode = hlo::Opcode::kParameter;
  homes_.is_free[0] = true;
  scopes_[0].at_start = {0};
  scopes_[0].kernels.erase(scopes_[0].kernels.begin());
  scopes_[0].kernels[1].reads = {0, 1};
  scopes_[0].kernels[0].reads.clear();
  orders_[0].pop_back();
  EXPECT_EQ(InUse(100), 13);  // in the second before its reader a byte
  seconds_[1] = 4;
  EXPECT_EQ(InUse(100), 16);
  Homes homes = homes_;
  EXPECT_EQ(Place(100, &homes).copied_ahead, 4);
  EXPECT_EQ(InUse(14), 14);
}

// The first array is read again after `idle` seconds.
class IdleTest : public FastMemoryTest {
 protected:
  IdleTest() : FastMemoryTest({1, 2, 1}, {{}, {}, {0}}) {}
};

TEST_F(IdleTest, WhatIsNotNeededForLongGoesToHbm) {
  seconds_[1] = 800;  // eight times as long as a copy of 100 bytes takes
  EXPECT_THAT(Fast(100), ElementsAre(0, 1, 2));
  seconds_[1] = 801;
  EXPECT_THAT(Fast(100), ElementsAre(1, 2));
}

// An array that more kernels read is worth more.
class WorthTest : public FastMemoryTest {
 protected:
  WorthTest() : FastMemoryTest({4, 4, 0, 0}, {{}, {}, {0, 1}, {1}}) {}
};

TEST_F(WorthTest, WhatIsReadOftenComesFirst) { EXPECT_THAT(Fast(7), ElementsAre(1)); }

// The third kernel reads both; the fourth, which reads the second alone, and the maker of the second have products.
TEST_F(WorthTest, KernelsThatTakeTheTimeOfTheirProductsSaveNothing) {
  computing_ = {0, 1, 0, 1};
  EXPECT_THAT(Fast(7), ElementsAre(0));
  computing_ = {0, 0.5, 0, 0.25};
  EXPECT_THAT(Fast(7), ElementsAre(1));
}

// A loop starts from array 0 and carries it: kernel 2 makes the next one, 3, of the old one, 4, and array 5. The last
// one, 1, is read after the loop. Array 6 is made in front of the loop and waits for a reader after it.
class CarriedTest : public FastMemoryTest {
 protected:
  CarriedTest() : FastMemoryTest({6, 6, 0, 6, 6, 1, 1}, {{}, {0, 5}, {1}, {4}, {}, {}, {}}) {
    flow_.nodes[1].opcode = hlo::Opcode::kWhile;
    flow_.nodes[1].bodies = {1};
    flow_.nodes[1].operands = {0};
    flow_.nodes[1].results = {1};
    Scope body;
    body.owner = 1;
    body.parent = 0;
    body.nodes = {3};
    body.parameters = {4};
    body.roots = {3};
    flow_.scopes.push_back(body);
    flow_.values[3].scope = flow_.values[4].scope = flow_.nodes[3].scope = 1;
    flow_.values[4].node = kNone;
    scopes_.resize(2);
    scopes_[1].kernels = {scopes_[0].kernels[3]};
    scopes_[1].kernels[0].outer = {5};
    scopes_[1].at_start = {4};
    scopes_[1].at_end = {3};
    scopes_[0].kernels[1].consumes = {0};
    scopes_[0].kernels[2].reads.push_back(6);
    orders_ = {{6, 5, 0, 1, 2}, {0}};
  }
};

TEST_F(CarriedTest, WhatALoopCarriesIsOneArray) {
  EXPECT_THAT(Fast(8), ElementsAre(0, 1, 3, 4, 5, 6));
  EXPECT_EQ(InUse(8), 8);
  EXPECT_THAT(Fast(7), ElementsAre(0, 1, 3, 4, 5));
}

TEST_F(CarriedTest, WhatIsReadAfterTheNextValueIsCopied) {
  Kernel late;
  late.node = 2;
  late.reads = {4};
  scopes_[1].kernels.push_back(late);
  orders_[1] = {0, 1};
  EXPECT_THAT(Fast(100), ElementsAre(5, 6));
}

TEST_F(CarriedTest, StacksStay) {
  homes_.of[3] = 4;
  EXPECT_THAT(Fast(100), ElementsAre(5, 6));
}

TEST_F(CarriedTest, WhatSomebodyNeedsAfterTheLoopIsNoneOfIt) {
  scopes_[0].kernels[2].reads.push_back(0);
  EXPECT_THAT(Fast(100), ElementsAre(1, 3, 4, 5, 6));
}

// Array 5 waits for a second within each round, and array 6 for those of all rounds.
TEST_F(CarriedTest, ALoopCountsFiveTimes) {
  seconds_[0] = 0;
  seconds_[5] = 0;
  seconds_[3] = 160;
  EXPECT_THAT(Fast(100), ElementsAre(0, 1, 3, 4, 5, 6));
  seconds_[3] = 161;
  EXPECT_THAT(Fast(100), ElementsAre(0, 1, 3, 4, 5));
}

}  // namespace
}  // namespace tessera::target
