// Expected orders are those of XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1), behind layout-assignment.

#include "tessera/target/gpu/layouts/layout_constraints.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// The order of the array `name` of an entry whose borders are row-major.
Order OrderIn(const std::string& entry, absl::string_view name, const BorderOrders& borders = {}) {
  const DeviceProgram program(*hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=8\nsum {\n  a = f32[] parameter(0)\n  b = f32[] "
                   "parameter(1)\n  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n",
                   entry, "}\n")));
  const ComputationId c = program.module().entry_id();
  const LayoutConstraints layouts(program, c, borders, {});
  for (const InstructionId id : program.module().computation(c).instructions) {
    if (program.module().instruction(id).name == name) return layouts.OrderOf({id, 0});
  }
  return {};
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
  const BorderOrders borders = {{{0, 1}}, {{0}, {0, 1}}};
  EXPECT_THAT(OrderIn(kColumns, "n", borders), ElementsAre(1, 0));
  EXPECT_THAT(OrderIn(kColumns, "t", borders), ElementsAre(0, 1));
  EXPECT_THAT(OrderIn(kColumns, "y", borders), ElementsAre(0, 1));
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
  EXPECT_THAT(OrderIn(entry, "n", {{{0, 1}}, {{0}}}), ElementsAre(0, 1));
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
  EXPECT_THAT(OrderIn(entry, "c", {{}, {{0, 1}}}), ElementsAre(1, 0));
}

TEST(LayoutConstraintsTest, WhatNothingDecidesIsRowMajor) {
  EXPECT_THAT(OrderIn("  x = f32[16,8] parameter(0)\n  ROOT n = f32[16,8] negate(x)\n", "n"),
              ElementsAre(0, 1));
}

}  // namespace
}  // namespace tessera::target
