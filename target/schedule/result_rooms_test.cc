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
      entry_.kernels.push_back(std::move(kernel));
      order_.push_back({k});
    }
    entry_.at_start = {0};
    entry_.at_end = {3};
    homes_.rooms = {{0, {3}}};
  }

  std::vector<ValueId> Guests() const {
    return GuestsOfResults(flow_, entry_, order_, homes_, bytes_);
  }

  Dataflow flow_;
  ScopeKernels entry_;
  std::vector<Step> order_;
  Homes homes_;
  std::vector<int64_t> bytes_;
};

// Each of the two values in between touches a kernel that needs the argument or the result.
TEST_F(ResultRoomsTest, WhatIsNeededBesideAnOwnerHasMemory) { EXPECT_THAT(Guests(), IsEmpty()); }

// Kernel 0 writes over the argument, cell by cell.
TEST_F(ResultRoomsTest, AKernelWritesItsResultOverTheArgument) {
  entry_.kernels[0].reuses = {0};
  EXPECT_THAT(Guests(), ElementsAre(1));
  bytes_[1] = 65;
  EXPECT_THAT(Guests(), IsEmpty());
}

// Without an argument the room is free until the result is made.
TEST_F(ResultRoomsTest, AResultWithoutAnArgumentHasRoomFromTheStart) {
  homes_.rooms[0].argument = kNone;
  EXPECT_THAT(Guests(), ElementsAre(1));
}

}  // namespace
}  // namespace tessera::target
