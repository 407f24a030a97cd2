// The results of a program of few images stay the same when their widths are split.

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/verifier.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/testing/evaluator/interpreter.h"
#include "tessera/testing/evaluator/modules/inputs.h"

namespace tessera::target {
namespace {

using testing::evaluator::Budget;
using testing::evaluator::Interpreter;
using testing::evaluator::MakeInputs;
using testing::evaluator::SameValue;
using testing::evaluator::Value;

constexpr char kHeader[] =
    "HloModule m, num_partitions=8\n"
    "sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n"
    "max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT m = s32[] maximum(a, b) }\n";

// Integers, whose sums do not depend on their order.
struct Row {
  const char* name;
  const char* entry;
};

constexpr Row kRows[] = {
    {"OneConvolution",
     "x = s32[2,3,17,2] parameter(0) k = s32[3,3,2,3] parameter(1) ROOT c = s32[2,3,17,3] "
     "convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"AChain",
     "x = s32[2,3,17,2] parameter(0) k = s32[3,3,2,3] parameter(1) l = s32[1,3,3,2] parameter(2) "
     "b = s32[3] parameter(3) c = s32[2,3,17,3] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
     "dim_labels=b01f_01io->b01f bb = s32[2,3,17,3] broadcast(b), dimensions={3} r = "
     "s32[2,3,17,3] add(c, bb) ROOT d = s32[2,3,17,2] convolution(r, l), window={size=1x3 "
     "pad=0_0x2_0}, dim_labels=b01f_01io->b01f"},
    {"Strides",
     "x = s32[1,5,35,2] parameter(0) k = s32[3,5,2,3] parameter(1) l = s32[3,3,3,2] parameter(2) c "
     "= s32[1,3,18,3] convolution(x, k), window={size=3x5 stride=2x2 pad=1_1x2_2}, "
     "dim_labels=b01f_01io->b01f ROOT d = s32[1,2,9,2] convolution(c, l), window={size=3x3 "
     "stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"WithoutPadding",
     "x = s32[2,5,37,2] parameter(0) k = s32[3,3,2,3] parameter(1) l = s32[3,3,3,2] parameter(2) c "
     "= s32[2,3,35,3] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f ROOT d = "
     "s32[2,1,17,2] convolution(c, l), window={size=3x3 stride=2x2}, "
     "dim_labels=b01f_01io->b01f"},
    {"APool",
     "x = s32[2,4,32,2] parameter(0) k = s32[1,1,2,3] parameter(1) l = s32[3,3,3,2] parameter(2) "
     "low = s32[] constant(-100000) c = s32[2,4,32,3] convolution(x, k), window={size=1x1}, "
     "dim_labels=b01f_01io->b01f n = s32[2,4,32,3] negate(c) p = s32[2,2,16,3] reduce-window(n, "
     "low), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x0_1x0_1x0_0}, to_apply=max ROOT d = "
     "s32[2,2,16,2] convolution(p, l), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
    {"ASumOfAllImagesAndOneOfEach",
     "x = s32[2,3,17,2] parameter(0) k = s32[1,3,2,3] parameter(1) z = s32[] constant(0) one = "
     "s32[3] parameter(2) each = s32[2,3] parameter(3) c = s32[2,3,17,3] convolution(x, k), "
     "window={size=1x3 pad=0_0x1_1}, dim_labels=b01f_01io->b01f o = s32[2,3,17,3] broadcast(one), "
     "dimensions={3} e = s32[2,3,17,3] broadcast(each), dimensions={0,3} a = s32[2,3,17,3] add(c, "
     "o) m = s32[2,3,17,3] multiply(a, e) s = s32[3] reduce(m, z), dimensions={0,1,2}, "
     "to_apply=sum t = s32[2,3] reduce(m, z), dimensions={1,2}, to_apply=sum ROOT r = (s32[3], "
     "s32[2,3]) tuple(s, t)"},
    {"GradientsOfImagesAndKernels",
     "x = s32[2,3,17,2] parameter(0) k = s32[3,3,2,3] parameter(1) l = s32[3,3,3,4] parameter(2) "
     "c = s32[2,3,17,3] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
     "dim_labels=b01f_01io->b01f g = s32[2,3,17,4] parameter(3) d = s32[2,3,17,3] convolution(g, "
     "l), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, dim_labels=b01f_01oi->b01f m = "
     "s32[2,3,17,3] multiply(c, d) dl = s32[3,3,3,4] convolution(c, g), window={size=3x17 "
     "pad=1_1x1_1}, dim_labels=f01b_i01o->01bf dk = s32[3,3,2,3] convolution(x, m), "
     "window={size=3x17 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf ROOT t = (s32[3,3,2,3], "
     "s32[3,3,3,4]) tuple(dk, dl)"},
    {"TheGradientOfAStride",
     "x = s32[2,3,32,2] parameter(0) k = s32[1,1,2,3] parameter(1) l = s32[3,3,3,4] parameter(2) "
     "c = s32[2,3,32,3] convolution(x, k), window={size=1x1}, dim_labels=b01f_01io->b01f g = "
     "s32[2,2,16,4] convolution(c, l), window={size=3x3 stride=2x2 pad=1_1x0_1}, "
     "dim_labels=b01f_01io->b01f n = s32[2,2,16,4] negate(g) ROOT dl = s32[3,3,3,4] "
     "convolution(c, n), window={size=2x16 pad=1_1x0_1 rhs_dilate=2x2}, "
     "dim_labels=f01b_i01o->01bf"},
    {"TheGradientOverNarrowParts",
     "x = s32[2,3,18,2] parameter(0) l = s32[1,1,2,3] parameter(1) p = s32[2,3,18,3] "
     "convolution(x, l), window={size=1x1}, dim_labels=b01f_01io->b01f h = s32[2,3,18,4] "
     "parameter(2) ROOT dl = s32[3,6,3,4] convolution(p, h), window={size=3x18 pad=1_1x3_2}, "
     "dim_labels=f01b_i01o->01bf"},
    {"Transposed",
     "x = s32[2,3,34,2] parameter(0) k = s32[4,4,2,3] parameter(1) ROOT c = s32[2,6,68,3] "
     "convolution(x, k), window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, "
     "dim_labels=b01f_01io->b01f"},
    {"TransposedByOne",
     "x = s32[2,3,34,2] parameter(0) k = s32[2,2,2,3] parameter(1) ROOT c = s32[2,6,68,3] "
     "convolution(x, k), window={size=2x2 pad=1_1x1_1 lhs_dilate=2x2}, "
     "dim_labels=b01f_01io->b01f"},
    {"OverTime",
     "x = s32[2,40,2] parameter(0) k = s32[2,2,3] parameter(1) l = s32[2,3,2] parameter(2) c = "
     "s32[2,40,3] convolution(x, k), window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f n = "
     "s32[2,40,3] negate(c) ROOT d = s32[2,40,2] convolution(n, l), window={size=2 pad=4_0 "
     "rhs_dilate=4}, dim_labels=b0f_0io->b0f"},
};

class SpaceToBatchTest : public ::testing::TestWithParam<Row> {};

Value Result(const hlo::Module& module) {
  Interpreter interpreter(module, Budget());
  auto result = interpreter.Run(module.entry_id(), MakeInputs(module));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Value();
}

TEST_P(SpaceToBatchTest, ComputesTheSame) {
  auto module = hlo::ParseModule(absl::StrCat(kHeader, "ENTRY e {\n", GetParam().entry, "\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const hlo::Module before = *module;
  Context context(*std::move(module), *ParseTarget("tpu-v5e:2x4"), XlaFlags());
  ASSERT_TRUE(ConvertSpaceToBatch(context).ok());
  hlo::Module after = std::move(context.program).Release();
  after.mutable_computation(after.entry_id()).instructions =
      hlo::PostOrder(after, after.entry_id());
  ASSERT_TRUE(hlo::VerifyModule(after).ok());
  const Value expected = Result(before), found = Result(after);
  EXPECT_GT(after.num_instructions(), before.num_instructions());
  EXPECT_TRUE(SameValue(expected, found));
}

INSTANTIATE_TEST_SUITE_P(All, SpaceToBatchTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace tessera::target
