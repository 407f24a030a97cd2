#include "tessera/target/schedule/result_rooms.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Value 0 is an argument of 64 bytes. Kernel 0 makes value 1 of it, kernel 1 makes 2, and kernel 2 the result 3.
class ResultRoomsTest : public ::testing::Test {
 protected:
  ResultRoomsTest() {
    flow_.scopes.resize(1);
    for (ValueId v = 0; v < 4; ++v) {
      flow_.values.push_back({nullptr, v == 0 ? kNone : v - 1, 0});
      homes_.of.push_back(v);
      homes_.is_free.push_back(v == 0 || v == 3);
      bytes_.push_back(64);
    }
    flow_.arguments = {0};
    for (uint32_t k = 0; k < 3; ++k) {
      flow_.nodes.emplace_back();
      Kernel kernel;
      kernel.node = k;
      kernel.reads = {k};
      kernel.makes = {k + 1};
      scopes_[0].kernels.push_back(std::move(kernel));
      orders_[0].push_back({k});
    }
    scopes_[0].at_start = {0};
    scopes_[0].at_end = {3};
    homes_.rooms = {{0, {3}}};
  }

  std::vector<ValueId> Guests() const {
    return GuestsOfResults(flow_, scopes_, orders_, homes_, bytes_);
  }

  Dataflow flow_;
  std::vector<ScopeKernels> scopes_ = std::vector<ScopeKernels>(1);
  std::vector<std::vector<Step>> orders_ = std::vector<std::vector<Step>>(1);
  Homes homes_;
  std::vector<int64_t> bytes_;
};

// Each of the two values in between touches a kernel that needs the argument or the result.
TEST_F(ResultRoomsTest, WhatIsNeededBesideAnOwnerHasMemory) { EXPECT_THAT(Guests(), IsEmpty()); }

// Kernel 0 writes over the argument, cell by cell.
TEST_F(ResultRoomsTest, AKernelWritesItsResultOverTheArgument) {
  scopes_[0].kernels[0].reuses = {0};
  EXPECT_THAT(Guests(), ElementsAre(1));
  bytes_[1] = 65;
  EXPECT_THAT(Guests(), IsEmpty());
}

// Without an argument the room is free until the result is made.
TEST_F(ResultRoomsTest, AResultWithoutAnArgumentHasRoomFromTheStart) {
  homes_.rooms[0].argument = kNone;
  EXPECT_THAT(Guests(), ElementsAre(1));
}

// Kernel 1 is a loop whose body makes value 5 of its element 4, and of it the next element 6.
class LoopTest : public ResultRoomsTest {
 protected:
  LoopTest() {
    flow_.scopes.resize(2);
    Node& loop = flow_.nodes[1];
    loop.opcode = hlo::Opcode::kWhile;
    loop.operands = {1};
    loop.results = {2};
    loop.bodies = {1};
    flow_.scopes[1].parameters = {4};
    flow_.scopes[1].roots = {6};
    for (ValueId v = 4; v < 7; ++v) {
      flow_.values.push_back({nullptr, v == 4 ? kNone : v - 2, 1});
      homes_.of.push_back(v);
      homes_.is_free.push_back(false);
      bytes_.push_back(64);
    }
    flow_.nodes.resize(5);
    scopes_.resize(2);
    orders_.resize(2);
    for (uint32_t k = 0; k < 2; ++k) {
      Kernel kernel;
      kernel.node = 3 + k;
      kernel.reads = {4 + k};
      kernel.makes = {5 + k};
      scopes_[1].kernels.push_back(std::move(kernel));
      orders_[1].push_back({k});
    }
    scopes_[1].at_start = {4};
    scopes_[1].at_end = {6};
    scopes_[0].kernels[1].consumes = {1};
    homes_.rooms = {{kNone, {3}}};
  }
};

// What it carries is larger than the room, what it makes in between is not.
TEST_F(LoopTest, ATemporaryOfABodyLiesInTheMemoryOfAResult) {
  bytes_[1] = bytes_[2] = bytes_[4] = bytes_[6] = 65;
  EXPECT_THAT(Guests(), ElementsAre(5));
}

// The last element is read when the result is made.
TEST_F(LoopTest, WhatALoopCarriesIsOneBuffer) {
  bytes_[5] = 65;
  EXPECT_THAT(Guests(), IsEmpty());
  scopes_[0].kernels[2].reuses = {2};
  EXPECT_THAT(Guests(), ElementsAre(1, 2, 4, 6));
}

// A second element that starts from the same fill has another buffer, and the room is taken.
TEST_F(LoopTest, ElementsOfOneInitialValueAreTwoBuffers) {
  bytes_[5] = 65;
  flow_.nodes[1].operands = {1, 1};
  flow_.nodes[1].results = {2, 7};
  flow_.scopes[1].parameters = {4, 8};
  flow_.scopes[1].roots = {6, 8};
  for (ValueId v = 7; v < 9; ++v) {
    flow_.values.push_back({nullptr, v == 7 ? 1 : kNone, v - 7});
    homes_.of.push_back(v);
    homes_.is_free.push_back(false);
    bytes_.push_back(64);
  }
  scopes_[0].kernels[1].makes = {2, 7};
  scopes_[0].kernels[2].reads = {2, 7};
  scopes_[0].kernels[2].reuses = {2, 7};
  EXPECT_THAT(Guests(), ElementsAre(1, 2, 4, 6));
}

// Then the next element needs memory beside the old one.
TEST_F(LoopTest, AnElementThatIsStillReadIsNotWrittenOver) {
  scopes_[0].kernels[2].reuses = {2};
  bytes_[5] = 65;
  scopes_[1].kernels[1].reads = {5, 4};
  homes_.rooms.push_back({kNone, {3}});
  EXPECT_THAT(Guests(), ElementsAre(1, 2, 4, 6));
  homes_.rooms.pop_back();
  EXPECT_THAT(Guests(), ElementsAre(1, 2, 4));
}

}  // namespace
}  // namespace tessera::target
