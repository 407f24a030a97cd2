#include "tessera/layout/tpu_layout.h"

#include "gtest/gtest.h"
#include "tessera/layout/shape_text.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

// As libtpu 0.0.50.1 laid arguments of these shapes, most of them on v5e, v5p and v6e.
constexpr const char* kLaid[] = {
    "f32[40,256]{1,0:T(8,128)}",
    "f32[100,130]{0,1:T(8,128)}",
    "f32[96,100]{1,0:T(8,128)}",
    "f32[8,1024]{1,0:T(8,128)}",
    "f32[32]{0:T(128)}",
    "f32[2000]{0:T(1024)}",
    "bf16[64,256]{1,0:T(8,128)(2,1)}",
    "bf16[3,64,256]{2,1,0:T(8,128)(2,1)}",
    "bf16[1,1024]{1,0:T(2,128)(2,1)}",
    "bf16[1024]{0:T(1024)(128)(2,1)}",
    "s8[40,256]{1,0:T(8,128)(4,1)}",
    "s8[48,128]{1,0:T(8,128)(4,1)}",
    "s8[64,256]{1,0:T(32,128)(4,1)}",
    "s8[96,100]{1,0:T(32,128)(4,1)}",
    "pred[3,64,256]{2,1,0:T(32,128)(4,1)}",
    "pred[8,512]{1,0:T(8,128)(4,1)}",
    "u8[64,224,224,3]{2,1,3,0:T(32,128)(4,1)}",
    "s4[64,256]{1,0:T(64,128)(8,1)E(4)}",
    "s4[96,100]{1,0:T(8,128)(8,1)E(4)}",
};

TEST(TpuLayoutTest, AsTheCompilerLaysThem) {
  for (const char* text : kLaid) {
    EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom(text).WithoutLayout())), text);
  }
}

TEST(TpuLayoutTest, WhatHasNoLayoutStays) {
  EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom("token[]"))), "token[]");
  EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom("f32[?,4]").WithoutLayout())), "f32[?,4]");
}

TEST(TpuLayoutTest, SizesBeyond64Bits) {
  const Shape huge = ShapeFrom("f32[4611686018427387904,4,2]").WithoutLayout();
  EXPECT_TRUE(TpuLayoutOf(huge).has_layout());
  EXPECT_TRUE(TpuLayoutOf(ShapeFrom("f32[0,4]").WithoutLayout()).has_layout());
}

}  // namespace
}  // namespace tessera::layout
