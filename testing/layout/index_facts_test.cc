#include "tessera/testing/layout/index_facts.h"

#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Pair {
  const char* a;
  const char* b;
  bool same;
};

constexpr Pair kPairs[] = {
    {"f32[8,128]{1,0:T(8,128)}", "f32[8,128]", true},
    {"f32[16,128]{1,0:T(8,128)}", "f32[16,128]", true},
    {"f32[8,256]{1,0:T(8,128)}", "f32[8,256]", false},
    {"f32[1,256]{1,0:T(1,128)}", "f32[1,256]{0,1}", true},
    {"f32[4,4]{1,0:T(2,2)(2,1,2)}", "f32[4,4]", true},  // the second tile undoes the first
    {"f32[5]{0:T(4)}", "f32[5]", false},                // the same offsets, more slots
    {"f32[5]{0:T(4)}", "f32[5]{0:L(8)}", true},
    {"f32[2,6]{1,0:T(*,4)}", "f32[2,6]", true},
    {"f32[2,5]{1,0:T(*,4)}", "f32[2,5]", false},
    {"f32[12]{0:T(2)(3)}", "f32[12]{0:T(2)(3)(1)}", true},
    {"f32[0,5]", "f32[0,5]{0,1}", true},
    {"f32[2,3]", "f32[3,2]", false},
    // Too many elements to walk.
    {"f32[1048576,1048576]{1,0:T(8,1048576)}", "f32[1048576,1048576]", true},
};

TEST(IndexFactsTest, SameIndexMap) {
  for (const Pair& pair : kPairs) {
    const absl::StatusOr<bool> same = SameIndexMap(ShapeFrom(pair.a), ShapeFrom(pair.b));
    ASSERT_TRUE(same.ok()) << pair.a;
    EXPECT_EQ(*same, pair.same) << pair.a << " " << pair.b;
  }
}

TEST(IndexFactsTest, IsLinear) {
  EXPECT_TRUE(*IsLinear(ShapeFrom("f32[24,128]{1,0:T(8,128)}")));
  EXPECT_TRUE(*IsLinear(ShapeFrom("f32[4,256]{1,0:T(1,128)}")));
  EXPECT_FALSE(*IsLinear(ShapeFrom("f32[2,3,4]{2,1,0:T(8,128)}")));
  EXPECT_TRUE(*IsLinear(ShapeFrom("f32[3,4]{0,1}")));
}

TEST(IndexFactsTest, DataSpan) {
  EXPECT_EQ(*DataSpan(ShapeFrom("f32[3,5]{1,0:T(2,2)}")), 21);
  EXPECT_EQ(*DataSpan(ShapeFrom("f32[]{:T(128)}")), 1);
  EXPECT_EQ(*DataSpan(ShapeFrom("f32[0]")), 0);
  // The last element need not be the last in memory: element 127 lies after element 128.
  EXPECT_EQ(*DataSpan(ShapeFrom("bf16[129]{0:T(1024)(128)(2,1)}")), 255);
  EXPECT_EQ(ErrorCode(DataSpan(ShapeFrom("f32[?]")).status()), "kUnbounded");
}

TEST(IndexFactsTest, WhatIsNotRegularIsWalkedUpToABound) {
  const Shape small = ShapeFrom("f32[3,3000]{1,0:T(2,3)(3,2)}");
  EXPECT_TRUE(DataSpan(small).ok()) << DataSpan(small).status();
  const Shape big = ShapeFrom("f32[3,3000000000]{1,0:T(2,3)(3,2)}");
  EXPECT_EQ(DataSpan(big).status().code(), absl::StatusCode::kOutOfRange) << DataSpan(big).status();
  const absl::StatusOr<bool> linear = IsLinear(ShapeFrom("f32[2000000000,6]{1,0:T(*,4)}"));
  EXPECT_EQ(linear.status().code(), absl::StatusCode::kOutOfRange) << linear.status();
  const absl::StatusOr<bool> same = SameIndexMap(ShapeFrom("f32[6,3000000000]{1,0:T(2,3)}"),
                                                 ShapeFrom("f32[6,3000000000]{1,0:T(3,2)}"));
  EXPECT_EQ(same.status().code(), absl::StatusCode::kOutOfRange) << same.status();
}

}  // namespace
}  // namespace tessera::layout
