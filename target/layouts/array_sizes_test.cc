#include "tessera/target/layouts/array_sizes.h"

#include <string>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/layouts/layout_preferences.h"

namespace tessera::target {
namespace {

std::string Laid(const char* shape, MinorChoice choice = {}) {
  const ArraySizes sizes(*ParseTarget("tpu-v5e:1x1")->chip);
  return layout::ShapeToString(sizes.Laid(*layout::ParseShape(shape), choice));
}

// Layouts that the compiler of TPUs gave to arguments.
TEST(ArraySizesTest, TheOrderThatPadsLeast) {
  EXPECT_EQ(Laid("f32[1024,4096]"), "f32[1024,4096]{1,0:T(8,128)}");
  EXPECT_EQ(Laid("f32[256,64]"), "f32[256,64]{0,1:T(8,128)}");
  EXPECT_EQ(Laid("f32[1024,16,64]"), "f32[1024,16,64]{0,2,1:T(8,128)}");
  EXPECT_EQ(Laid("f32[2,1024]"), "f32[2,1024]{1,0:T(2,128)}");
  EXPECT_EQ(Laid("bf16[40,5120,5,128]"), "bf16[40,5120,5,128]{3,1,2,0:T(8,128)(2,1)}");
  EXPECT_EQ(Laid("pred[8,512]"), "pred[8,512]{1,0:T(8,128)(4,1)}");
  EXPECT_EQ(Laid("f32[64]"), "f32[64]{0:T(128)}");
  EXPECT_EQ(Laid("bf16[5120]"), "bf16[5120]{0:T(1024)(128)(2,1)}");
  EXPECT_EQ(Laid("s32[]"), "s32[]{:T(128)}");
}

// The remembered size of a shape is the one that its layout gives anew.
TEST(ArraySizesTest, BytesAreRemembered) {
  const Chip& chip = *ParseTarget("tpu-v5p:1x1x1")->chip;
  const layout::TpuGeneration& generation = layout::TpuGenerationOf(chip.name);
  ArraySizes sizes(chip);
  const uint64_t rows = ~uint64_t{0} << 2;
  const layout::Shape shapes[] = {*layout::ParseShape("bf16[128,4,257,257]"),
                                  *layout::ParseShape("f32[64,56,56,64]"),
                                  *layout::ParseShape("f32[1024,8]"), *layout::ParseShape("s32[]")};
  for (const layout::Shape& shape : shapes) {
    for (int again = 0; again < 2; ++again) {
      for (const MinorChoice choice : {MinorChoice{}, MinorChoice{rows, rows}, MinorChoice{rows}}) {
        EXPECT_EQ(sizes.BytesOf(shape, choice), layout::TpuBytesOf(shape, generation, choice))
            << layout::ShapeToString(shape);
      }
    }
  }
  const layout::Shape plain = *layout::ParseShape("f32[1024,3]");
  EXPECT_EQ(ArraySizes(*ParseTarget("h100:1")->chip).BytesOf(plain, {rows, rows}), 4 * 1024 * 3);
}

TEST(ArraySizesTest, TablesOfPointers) {
  EXPECT_EQ(ArraySizes(*ParseTarget("tpu-v5e:1x1")->chip).TableBytes(93), 512);
  EXPECT_EQ(ArraySizes(*ParseTarget("tpu-v5p:1x1x1")->chip).TableBytes(93), 384);
  EXPECT_EQ(ArraySizes(*ParseTarget("h100:1")->chip).TableBytes(93), 744);
}

// Heads and batch are no rows of a tile; features are the lanes of a convolution.
TEST(LayoutPreferencesTest, ProductsAndConvolutions) {
  const auto module = hlo::ParseModule(
      "HloModule m\n"
      "ENTRY e {\n"
      "  q = bf16[128,4,257,80] parameter(0)\n"
      "  k = bf16[128,4,257,80] parameter(1)\n"
      "  x = bf16[64,56,56,64] parameter(2)\n"
      "  w = bf16[3,3,64,64] parameter(3)\n"
      "  s = bf16[128,4,257,257] dot(q, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
      "lhs_contracting_dims={3}, rhs_contracting_dims={3}\n"
      "  c = bf16[64,56,56,64] convolution(x, w), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f\n"
      "  ROOT t = (bf16[128,4,257,257], bf16[64,56,56,64]) tuple(s, c)\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok());
  const LayoutPreferences preferences(*flow);
  const auto asked = [&](const char* shape) {
    return Laid(shape, preferences.Of(*layout::ParseShape(shape)));
  };
  EXPECT_EQ(asked("bf16[16,128,4,257,257]"), "bf16[16,128,4,257,257]{4,3,2,1,0:T(8,128)(2,1)}");
  EXPECT_EQ(asked("f32[64,56,56,64]"), "f32[64,56,56,64]{3,0,2,1:T(8,128)}");
}

// How the preferences of a module's text lay an array.
std::string Asked(const char* text, const char* shape) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const LayoutPreferences preferences(*module);
  return Laid(shape, preferences.Of(*layout::ParseShape(shape)));
}

// As the frames of many steps that a policy looks at.
TEST(LayoutPreferencesTest, AWideBatchIsTheLanesOfAConvolution) {
  const char* text =
      "HloModule m\n"
      "ENTRY e {\n"
      "  x = bf16[256,32,32,64] parameter(0)\n"
      "  w = bf16[3,3,64,128] parameter(1)\n"
      "  ROOT c = bf16[256,32,32,128] convolution(x, w), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f\n"
      "}\n";
  EXPECT_EQ(Asked(text, "bf16[256,32,32,64]"), "bf16[256,32,32,64]{0,3,2,1:T(8,128)(2,1)}");
  EXPECT_EQ(Asked(text, "bf16[256,32,32,128]"), "bf16[256,32,32,128]{3,0,2,1:T(8,128)(2,1)}");
}

// Of 16 features, 48 images pad less; of as many, neither does. Few colours are the rows of many images.
TEST(LayoutPreferencesTest, LanesOfAConvolutionAreWhatPadsLess) {
  const auto asked = [](const std::string& images, const std::string& features) {
    const std::string shape = "bf16[" + images + ",8,8," + features + "]";
    const std::string text = "HloModule m\nENTRY e {\n  x = " + shape +
                             " parameter(0)\n  w = bf16[1,1," + features + ",256] parameter(1)\n" +
                             "  ROOT c = bf16[" + images +
                             ",8,8,256] convolution(x, w), window={size=1x1}, "
                             "dim_labels=b01f_01io->b01f\n}\n";
    return Asked(text.c_str(), shape.c_str()).substr(shape.size());
  };
  EXPECT_EQ(asked("48", "16"), "{0,3,2,1:T(8,128)(2,1)}");
  EXPECT_EQ(asked("16", "16"), "{3,0,2,1:T(8,128)(2,1)}");
  EXPECT_EQ(asked("192", "192"), "{3,0,2,1:T(8,128)(2,1)}");
  EXPECT_EQ(asked("128", "192"), "{0,3,2,1:T(8,128)(2,1)}");
  EXPECT_EQ(asked("16", "3"), "{0,3,2,1:T(4,128)(2,1)}");
}

// Half of 128 features, as for rotated queries; of 64 features, rows already lie in the lanes.
TEST(LayoutPreferencesTest, EverySecondFeatureStaysInItsLane) {
  const auto asked = [](const std::string& features, const std::string& half) {
    const std::string text = "HloModule m\nENTRY e {\n  q = bf16[16,1024,8," + features +
                             "] parameter(0)\n" + "  ROOT s = bf16[16,1024,8," + half +
                             "] slice(q), slice={[0:16], [0:1024], [0:8], [0:" + features +
                             ":2]}\n}\n";
    return Asked(text.c_str(), ("bf16[16,1024,8," + half + "]").c_str());
  };
  EXPECT_EQ(asked("128", "64"), "bf16[16,1024,8,64]{3,2,1,0:T(8,128)(2,1)}");
  EXPECT_EQ(asked("64", "32"), "bf16[16,1024,8,32]{1,3,2,0:T(8,128)(2,1)}");
}

// As the parts of an image, put together again.
TEST(LayoutPreferencesTest, WhatOnlyMovesKeepsTheLanesOfAConvolution) {
  const char* text =
      "HloModule m\n"
      "ENTRY e {\n"
      "  x = bf16[64,16,9,64] parameter(0)\n"
      "  w = bf16[1,1,64,64] parameter(1)\n"
      "  c = bf16[64,16,9,64] convolution(x, w), window={size=1x1}, dim_labels=0b1f_01io->0b1f\n"
      "  r = bf16[64,2,72,64] reshape(c)\n"
      "  ROOT s = bf16[64,2,64,64] slice(r), slice={[0:64], [0:2], [0:64], [0:64]}\n"
      "}\n";
  EXPECT_EQ(Asked(text, "bf16[64,16,9,64]"), "bf16[64,16,9,64]{3,1,2,0:T(8,128)(2,1)}");
  EXPECT_EQ(Asked(text, "bf16[64,2,64,64]"), "bf16[64,2,64,64]{3,2,1,0:T(8,128)(2,1)}");
}

// Images and columns of 16 x 56 means; features that are reduced away leave the next two.
TEST(LayoutPreferencesTest, AReductionOfAConvolutionKeepsItsOrder) {
  const char* text =
      "HloModule m\n"
      "sum {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT s = bf16[] add(a, "
      "b)\n}\n"
      "ENTRY e {\n"
      "  x = bf16[16,56,56,96] parameter(0)\n"
      "  w = bf16[1,1,96,96] parameter(1)\n"
      "  z = bf16[] constant(0)\n"
      "  c = bf16[16,56,56,96] convolution(x, w), window={size=1x1}, dim_labels=b01f_01io->b01f\n"
      "  ROOT r = bf16[16,56,56] reduce(c, z), dimensions={3}, to_apply=sum\n"
      "}\n";
  EXPECT_EQ(Asked(text, "bf16[16,56,56]"), "bf16[16,56,56]{0,2,1:T(8,128)(2,1)}");
}

// The batch of a product is in no tile of a copy that it reads.
TEST(LayoutPreferencesTest, CopiedHeads) {
  const char* text =
      "HloModule m\n"
      "ENTRY e {\n"
      "  q = bf16[64,49,12,32] parameter(0)\n"
      "  k = bf16[64,49,12,32] parameter(1)\n"
      "  c = bf16[64,49,12,32] reverse(q), dimensions={}\n"
      "  ROOT s = bf16[64,12,49,49] dot(c, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, "
      "lhs_contracting_dims={3}, rhs_contracting_dims={3}\n"
      "}\n";
  EXPECT_EQ(Asked(text, "bf16[64,49,12,32]"), "bf16[64,49,12,32]{1,3,2,0:T(8,128)(2,1)}");
}

// Or the state of a scan over 512 steps would have the steps as lanes, which pad nothing.
TEST(LayoutPreferencesTest, LayersOfStacksHaveWholeTiles) {
  const char* text =
      "HloModule m\n"
      "ENTRY e {\n"
      "  stack = f32[512,8,64] parameter(0)\n"
      "  states = f32[512,64] parameter(1)\n"
      "  layer = f32[1,8,64] parameter(2)\n"
      "  i = s32[] parameter(3)\n"
      "  z = s32[] constant(0)\n"
      "  state = f32[1,64] dynamic-slice(states, i, z), dynamic_slice_sizes={1,64}\n"
      "  made = f32[512,8,64] dynamic-update-slice(stack, layer, i, z, z)\n"
      "  ROOT t = (f32[512,8,64], f32[1,64]) tuple(made, state)\n"
      "}\n";
  EXPECT_EQ(Asked(text, "f32[512,8,64]"), "f32[512,8,64]{2,1,0:T(8,128)}");
  EXPECT_EQ(Asked(text, "f32[512,64]"), "f32[512,64]{1,0:T(8,128)}");
  EXPECT_EQ(Asked(text, "f32[512,4,64]"), "f32[512,4,64]{0,2,1:T(8,128)}");
}

// Rows of a table are lanes. What a beam reorders keeps its positions there, which pad least.
TEST(LayoutPreferencesTest, GathersOfRowsAskAndThoseOfSlabsDoNot) {
  const auto asked = [](const std::string& gather, const char* shape) {
    const std::string text =
        "HloModule m\nENTRY e {\n  i = s32[32,1] parameter(0)\n" + gather + "}\n";
    return Asked(text.c_str(), shape);
  };
  EXPECT_EQ(asked("  t = bf16[4096,64] parameter(1)\n  ROOT g = bf16[32,64] gather(t, i), "
                  "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                  "index_vector_dim=1, slice_sizes={1,64}\n",
                  "bf16[4096,64]"),
            "bf16[4096,64]{1,0:T(8,128)(2,1)}");
  EXPECT_EQ(
      asked("  t = bf16[32,512,8,64] parameter(1)\n  ROOT g = bf16[32,512,8,64] gather(t, i), "
            "offset_dims={1,2,3}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,512,8,64}\n",
            "bf16[32,512,8,64]"),
      "bf16[32,512,8,64]{1,3,2,0:T(8,128)(2,1)}");
}

}  // namespace
}  // namespace tessera::target
