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
      order_.push_back({k});
    }
    scopes_[0].at_start = {0};
    scopes_[0].at_end = {3};
    homes_.rooms = {{0, {3}}};
  }

  std::vector<ValueId> Guests() const {
    return GuestsOfResults(flow_, scopes_, order_, homes_, bytes_);
  }

  Dataflow flow_;
  std::vector<ScopeKernels> scopes_ = std::vector<ScopeKernels>(1);
  std::vector<Step> order_;
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

// Kernel 1 is a loop with a loop in it, which makes a stack anew. The argument is copied before it runs.
TEST_F(ResultRoomsTest, AStackOfALoopInALoopLiesInTheMemoryOfAResult) {
  scopes_[0].kernels[1].reads = {0, 1};
  scopes_[0].kernels[1].consumes = {0, 1};
  flow_.scopes.resize(3);
  flow_.nodes[1].bodies = {1};
  for (ValueId v = 4; v < 7; ++v) {  // a fill, the element of the inner loop, and the stack
    flow_.values.push_back({nullptr, kNone, v == 5 ? 2u : 1u});
    homes_.of.push_back(v);
    homes_.is_free.push_back(false);
    bytes_.push_back(64);
  }
  Node inner;
  inner.opcode = hlo::Opcode::kWhile;
  inner.operands = {4};
  inner.results = {6};
  inner.bodies = {2};
  flow_.scopes[2].parameters = {5};
  flow_.nodes.push_back(inner);
  Kernel kernel;
  kernel.node = 3;
  kernel.reads = {4};
  kernel.consumes = {4};
  kernel.makes = {6};
  scopes_.resize(3);
  scopes_[1].kernels = {kernel};
  EXPECT_THAT(Guests(), ElementsAre(6, 5, 4));
  bytes_[6] = 65;
  EXPECT_THAT(Guests(), IsEmpty());
}

}  // namespace
}  // namespace tessera::target
