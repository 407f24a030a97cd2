#include "tessera/layout/validate.h"

#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* text;
  const char* code;  // "" for a valid shape
};

constexpr Row kRows[] = {
    {"f32[]", ""},
    {"f32[3,5]{1,0:T(2,2)}", ""},
    {"f32[3]{0:T(2,2,2)(8)}", ""},
    {"f32[?,3]{1,0:T(8,128)}", ""},
    {"(u8[2], token[], opaque[], ())", ""},
    {"f32[0,9223372036854775807,9223372036854775807]", ""},
    {"f32[9223372036854775807,9223372036854775807,0]", "V_DIM_OVERFLOW"},
    {"f32[4611686018427387904]", "V_SIZE_OVERFLOW"},
    {"u8[4611686018427387904]", "V_PADDED_OVERFLOW"},
    {"f32[2,3]{0,2}", "V_M2M_RANGE"},
    {"f32[2,3]{-1,0}", "V_M2M_RANGE"},
    {"f32[2,3]{0,0}", "V_M2M_DUP"},
    {"f32[2]{0:#(u8)}", "V_INDEX_TYPE"},
    {"f32[2]{0:*(u8)}", "V_POINTER_TYPE"},
    {"f32[2]{0:T(2)()}", "V_TILE_EMPTY"},
    {"f32[2]{0:T(0)}", "V_TILE_DIM"},
    {"f32[2]{0:T(0)()}", "V_TILE_DIM"},
    {"f32[2]{0:T(2,*)}", "V_TILE_COMBINE_LAST"},
    {"f32[2]{0:E(-4)}", "V_ELEMENT_BITS"},
    {"f32[2]{0:SC(1:1)}", "V_SPLIT_DIM"},
    {"f32[2]{0:SC(0:1)(0:)}", "V_SPLIT_DUP"},
    {"f32[9]{0:SC(0:4,4)}", "V_SPLIT_ORDER"},
    {"f32[9]{0:SC(0:0,4)}", "V_SPLIT_ORDER"},
    {"f32[9]{0:SC(0:9,4)}", "V_SPLIT_RANGE"},
    {"f32[?]{0:SC(0:1)}", "V_SPLIT_RANGE"},
    {"f32[2]{0:T(9223372036854775807)}", "V_PADDED_OVERFLOW"},
    {"f32[0]{0:T(9223372036854775807)}", ""},
    // Sizes of all elements come before the layouts of any.
    {"(f32[2]{1}, f32[4611686018427387904])", "V_SIZE_OVERFLOW"},
    {"b(f32[2]{1})", "V_M2M_RANGE"},
};

TEST(ValidateTest, Table) {
  for (const Row& row : kRows) {
    EXPECT_EQ(ErrorCode(Validate(ShapeFrom(row.text))), row.code) << row.text;
  }
}

TEST(ValidateTest, WhatTextCannotSay) {
  Shape shape = ShapeFrom("f32[2,3]");
  shape.mutable_layout().tail_alignment = 0;
  EXPECT_EQ(ErrorCode(Validate(shape)), "V_TAIL");
  shape = ShapeFrom("f32[2,3]");
  shape.mutable_layout().physical_shape = std::make_shared<Shape>(ShapeFrom("f32[2]"));
  EXPECT_EQ(ErrorCode(Validate(shape)), "V_PHYSICAL");
  shape = ShapeFrom("f32[2,3]");
  shape.mutable_layout().minor_to_major.push_back(2);
  EXPECT_EQ(ErrorCode(Validate(shape)), "V_M2M_SIZE");
}

TEST(ValidateTest, MessagesNameTheMistake) {
  EXPECT_EQ(Validate(ShapeFrom("f32[3,5]{1,1}")).message(),
            "the order {1,1} of f32[3,5] names dimension 1 twice");
  EXPECT_EQ(Validate(ShapeFrom("f32[3,5]{1,0:T(0,8)}")).message(),
            "the entry 0 of tile T(0,8) must be positive or *");
}

TEST(ValidateTest, TilingNeedsABoundedArray) {
  EXPECT_EQ(ErrorCode(TilingOf(ShapeFrom("f32[?]")).status()), "kUnbounded");
  EXPECT_EQ(ErrorCode(TilingOf(ShapeFrom("(f32[2])")).status()), "kNotArray");
  EXPECT_EQ(TilingOf(ShapeFrom("b(f32[3,5]{1,0:T(2,2)})"))->elements, 24);
}

}  // namespace
}  // namespace tessera::layout
