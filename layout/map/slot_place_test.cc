#include "tessera/layout/slot_place.h"

#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* text;
  int64_t offset;
  int64_t byte;
  int shift;
  int64_t bits;
};

constexpr Row kRows[] = {
    {"f32[8]", 3, 12, 0, 32},
    {"pred[8]", 3, 3, 0, 8},
    {"pred[99]{0:E(1)}", 13, 1, 5, 1},
    {"s4[8]{0:E(4)}", 3, 1, 4, 4},
    {"s4[8]", 3, 3, 0, 8},
    {"u2[8]{0:E(2)}", 6, 1, 4, 2},
    {"b(u2[8]{0:E(2)})", 6, 1, 4, 2},
    {"pred[4]{0:E(32)}", 1, 4, 0, 32},
};

TEST(SlotPlaceTest, Table) {
  for (const Row& row : kRows) {
    const absl::StatusOr<SlotPlace> place = PlaceOfSlot(ShapeFrom(row.text), row.offset);
    ASSERT_TRUE(place.ok()) << row.text;
    EXPECT_EQ(place->byte, row.byte) << row.text;
    EXPECT_EQ(place->shift, row.shift) << row.text;
    EXPECT_EQ(place->bits, row.bits) << row.text;
  }
}

TEST(SlotPlaceTest, OddBitsHaveNoPlace) {
  for (const char* text : {"u8[4]{0:E(3)}", "f32[4]{0:E(33)}"}) {
    EXPECT_EQ(ErrorCode(PlaceOfSlot(ShapeFrom(text), 1).status()), "kOddElementBits") << text;
  }
}

}  // namespace
}  // namespace tessera::layout
