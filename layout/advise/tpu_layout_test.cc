#include "tessera/layout/tpu_layout.h"

#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

// As libtpu 0.0.50.1 laid the arguments of a program, by generation (testing/compiled/oracle/generations.py).
TEST(TpuLayoutTest, AsTheCompilerLaysThem) {
  int layouts = 0;
  std::ifstream lines("layout/testdata/tpu_layouts.txt");
  for (std::string line; std::getline(lines, line);) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    const absl::string_view chip = absl::StripSuffix(words[0], ":");
    const TpuGeneration& generation = TpuGenerationOf(chip);
    EXPECT_EQ(generation.chip, chip);
    for (size_t k = 1; k < words.size(); ++k, ++layouts) {
      const Shape laid = ShapeFrom(std::string(words[k]));
      EXPECT_EQ(ShapeToString(TpuLayoutOf(laid.WithoutLayout(), generation)), words[k]) << chip;
      EXPECT_EQ(ShapeToString(TpuTilesFor(laid, generation)), words[k]) << chip;
      EXPECT_EQ(TpuBytesOf(laid, generation) % 512, 0) << words[k];
      EXPECT_LT(TpuBytesOf(laid, generation) - SizesOf(laid)->alloc_bytes, 512) << words[k];
      EXPECT_GE(TpuBytesOf(laid, generation), SizesOf(laid)->alloc_bytes) << words[k];
    }
  }
  EXPECT_EQ(layouts, 7 * 7 * 25);
}

TEST(TpuLayoutTest, MoreLayoutsOfArguments) {
  for (const char* text :
       {"s8[40,256]{1,0:T(8,128)(4,1)}", "pred[8,512]{1,0:T(8,128)(4,1)}",
        "u8[64,224,224,3]{2,1,3,0:T(32,128)(4,1)}", "s4[96,100]{1,0:T(8,128)(8,1)E(4)}"}) {
    EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom(text).WithoutLayout())), text);
  }
}

// The order of a layout stays; tiles follow from it.
TEST(TpuLayoutTest, TilesForAnOrder) {
  EXPECT_EQ(ShapeToString(TpuTilesFor(ShapeFrom("f32[1024,3]{1,0}"))), "f32[1024,3]{1,0:T(8,128)}");
  EXPECT_EQ(ShapeToString(TpuTilesFor(ShapeFrom("f32[1024,3]"))), "f32[1024,3]{1,0:T(8,128)}");
  EXPECT_EQ(ShapeToString(TpuTilesFor(ShapeFrom("f32[1024,3]{0,1}"))), "f32[1024,3]{0,1:T(4,128)}");
}

TEST(TpuLayoutTest, OnlySomeDimensionsMayBeMinor) {
  const Shape scores = ShapeFrom("bf16[128,4,257,257]").WithoutLayout();
  const uint64_t rows = ~uint64_t{0} << 2;
  EXPECT_EQ(ShapeToString(TpuLayoutOf(scores, TpuGenerationOf("tpu-v5e"), {rows, rows})),
            "bf16[128,4,257,257]{3,2,1,0:T(8,128)(2,1)}");
  EXPECT_EQ(TpuBytesOf(scores, TpuGenerationOf("tpu-v5e"), {rows, rows}), 2 * 128 * 4 * 264 * 384);
  EXPECT_EQ(TpuLayoutOf(scores, TpuGenerationOf("tpu-v5e"), {0, 0}), TpuLayoutOf(scores));
}

TEST(TpuLayoutTest, ElementsOf64BitsAreTwoWords) {
  EXPECT_EQ(TpuBytesOf(ShapeFrom("c64[8,128]")), 8 * 128 * 8);
  EXPECT_EQ(TpuBytesOf(ShapeFrom("s64[3]")), 128 * 8);
}

TEST(TpuLayoutTest, WhatHasNoLayoutStays) {
  EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom("token[]"))), "token[]");
  EXPECT_EQ(ShapeToString(TpuLayoutOf(ShapeFrom("f32[?,4]").WithoutLayout())), "f32[?,4]");
}

TEST(TpuLayoutTest, SizesBeyond64Bits) {
  const Shape huge = ShapeFrom("f32[4611686018427387904,4,2]").WithoutLayout();
  EXPECT_TRUE(TpuLayoutOf(huge).has_layout());
  EXPECT_EQ(TpuBytesOf(huge), std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(TpuLayoutOf(ShapeFrom("f32[0,4]").WithoutLayout()).has_layout());
  EXPECT_EQ(TpuBytesOf(ShapeFrom("f32[0,4]")), 0);
}

}  // namespace
}  // namespace tessera::layout
