// Expected orders are those of XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1), after layout-assignment.

#include "tessera/target/gpu/layouts/layout_constraints.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

constexpr char kHead[] =
    "HloModule m, num_partitions=8\n"
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

constexpr int kHopper = 90, kBlackwell = 100;

// The order of the array `name` of one of the computations; the entry is the last one.
Order OrderOf(const std::string& text, absl::string_view name, int compute_capability = kHopper) {
  DeviceProgram program(*hlo::ParseModule(kHead + text));
  std::vector<ComputationId> computations;
  for (ComputationId c = 1; c < program.module().num_computations(); ++c) computations.push_back(c);
  const LayoutConstraints layouts(program, computations, compute_capability);
  for (const BufferId& buffer : layouts.buffers().all()) {
    if (program.module().instruction(buffer.first).name == name) return layouts.OrderOf(buffer);
  }
  return {};
}

Order OrderIn(const std::string& entry, absl::string_view name) {
  return OrderOf(absl::StrCat("ENTRY e {\n", entry, "}\n"), name);
}

constexpr char kColumns[] =
    "  y = f32[128,64] parameter(0)\n"
    "  z = f32[] constant(0)\n"
    "  n = f32[128,64] exponential(y)\n"
    "  r = f32[64] reduce(n, z), dimensions={0}, to_apply=sum\n"
    "  t = f32[64,128] transpose(n), dimensions={1,0}\n"
    "  ROOT o = (f32[64], f32[64,128]) tuple(r, t)\n";

// {0,1} in XLA's words: the transpose is free, and the reduction goes along rows.
TEST(LayoutConstraintsTest, OrdersSpreadFromWhatMustBeSo) {
  EXPECT_THAT(OrderIn(kColumns, "n"), ElementsAre(1, 0));
  EXPECT_THAT(OrderIn(kColumns, "t"), ElementsAre(0, 1));
  EXPECT_THAT(OrderIn(kColumns, "y"), ElementsAre(0, 1));
}

// Weights and activations of eight bits, and the product, which reads both along what it contracts; on Blackwell,
// and if one of them is another type, it reads them as they lie.
TEST(LayoutConstraintsTest, AProductOfShortFloatsReadsRows) {
  const auto order_of_weights = [](const std::string& type, int compute_capability) {
    const std::string text = absl::StrCat(
        "ENTRY e {\n  x = bf16[64,32] parameter(0)\n  v = bf16[32,16] parameter(1)\n"
        "  l = f8e4m3fn[64,32] convert(x)\n  w = ",
        type,
        "[32,16] convert(v)\n"
        "  ROOT d = f32[64,16] dot(l, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
    return OrderOf(text, "w", compute_capability);
  };
  EXPECT_THAT(order_of_weights("f8e4m3fn", kHopper), ElementsAre(1, 0));
  EXPECT_THAT(order_of_weights("f8e4m3fn", kBlackwell), ElementsAre(0, 1));
  EXPECT_THAT(order_of_weights("f8e5m2", kHopper), ElementsAre(0, 1));
}

TEST(LayoutConstraintsTest, ACollectiveHasItsDimensionInFront) {
  EXPECT_THAT(OrderIn("  x = f32[16,8] parameter(0)\n"
                      "  ROOT g = f32[16,64] all-gather(x), dimensions={1}, "
                      "replica_groups={{0,1,2,3,4,5,6,7}}\n",
                      "g"),
              ElementsAre(1, 0));
}

// A reduction of at least 32 elements.
TEST(LayoutConstraintsTest, AShortReductionTakesWhatComes) {
  const std::string entry =
      "  y = f32[16,64] parameter(0)\n"
      "  z = f32[] constant(0)\n"
      "  n = f32[16,64] exponential(y)\n"
      "  ROOT r = f32[64] reduce(n, z), dimensions={0}, to_apply=sum\n";
  EXPECT_THAT(OrderIn(entry, "n"), ElementsAre(0, 1));
}

// Each operand that is settled settles the others of its rank, once.
TEST(LayoutConstraintsTest, AnOperationOfManyOperandsIsLinear) {
  constexpr int kOperands = 60000;
  std::string entry = "  x = f32[1,8] parameter(0)\n", operands;
  for (int k = 0; k < kOperands; ++k) {
    absl::StrAppend(&entry, "  n", k, " = f32[1,8] negate(x)\n");
    absl::StrAppend(&operands, k == 0 ? "" : ", ", "n", k);
  }
  absl::StrAppend(&entry, "  c = f32[", kOperands, ",8] concatenate(", operands,
                  "), dimensions={0}\n  ROOT t = f32[8,", kOperands,
                  "] transpose(c), dimensions={1,0}\n");
  EXPECT_THAT(OrderIn(entry, "c"), ElementsAre(1, 0));
}

// A dimension of size 1 lies in front of the one that follows it.
TEST(LayoutConstraintsTest, AReshapeHandsItsOrderOn) {
  EXPECT_THAT(OrderIn("  x = f32[3,5,7] parameter(0)\n"
                      "  g = f32[3,5,56] all-gather(x), dimensions={2}, "
                      "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                      "  n = f32[3,5,56] exponential(g)\n"
                      "  ROOT r = f32[1,3,1,5,1,56,1] reshape(n)\n",
                      "r"),
              ElementsAre(4, 5, 0, 1, 2, 3, 6));
}

constexpr char kLoop[] =
    "body {\n"
    "  p = (s32[], f32[16,40]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  x = f32[16,40] get-tuple-element(p), index=1\n"
    "  one = s32[] constant(1)\n"
    "  j = s32[] add(i, one)\n"
    "  g = f32[16,320] all-gather(x), dimensions={1}, replica_groups={{0,1,2,3,4,5,6,7}}\n"
    "  s = f32[16,40] slice(g), slice={[0:16], [0:40]}\n"
    "  n = f32[16,40] exponential(s)\n"
    "  ROOT r = (s32[], f32[16,40]) tuple(j, n)\n"
    "}\n"
    "condition {\n"
    "  q = (s32[], f32[16,40]) parameter(0)\n"
    "  k = s32[] get-tuple-element(q), index=0\n"
    "  five = s32[] constant(5)\n"
    "  ROOT l = pred[] compare(k, five), direction=LT\n"
    "}\n"
    "ENTRY e {\n"
    "  y = f32[16,40] parameter(0)\n"
    "  zero = s32[] constant(0)\n"
    "  t = (s32[], f32[16,40]) tuple(zero, y)\n"
    "  w = (s32[], f32[16,40]) while(t), condition=condition, body=body\n"
    "  ROOT o = f32[16,40] get-tuple-element(w), index=1\n"
    "}\n";

// The body of a loop decides the order of what it carries: copies stand before and after the loop.
TEST(LayoutConstraintsTest, ALoopCarriesWhatItsBodyWants) {
  DeviceProgram program(*hlo::ParseModule(absl::StrCat(kHead, kLoop)));
  const LayoutConstraints layouts(program, {2, 1, 3}, kHopper);
  for (const ComputationId c : {ComputationId{1}, ComputationId{2}})
    EXPECT_THAT(layouts.BordersOf(c).arguments[1], ElementsAre(1, 0));
  EXPECT_THAT(layouts.BordersOf(1).results[1], ElementsAre(1, 0));
  EXPECT_THAT(layouts.BordersOf(3).results[0], ElementsAre(0, 1));
  EXPECT_THAT(OrderOf(kLoop, "y"), ElementsAre(0, 1));
  EXPECT_THAT(OrderOf(kLoop, "n"), ElementsAre(1, 0));
}

TEST(LayoutConstraintsTest, WhatNothingDecidesIsRowMajor) {
  EXPECT_THAT(OrderIn("  x = f32[16,8] parameter(0)\n  ROOT n = f32[16,8] negate(x)\n", "n"),
              ElementsAre(0, 1));
}

}  // namespace
}  // namespace tessera::target
