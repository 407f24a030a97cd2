// A text before and after each rule. What the real compiler makes of small programs is in
// gpu/recorded_passes_test.cc.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/simplify/simplifier.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSum[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";
constexpr char kMax[] =
    "max {\n  c = f32[] parameter(0)\n  d = f32[] parameter(1)\n  ROOT m = f32[] maximum(c, "
    "d)\n}\n";

// The lines of the entry but its parameters.
std::string Simplified(const std::string& entry, const std::string& more = "",
                       const std::string& target = "h100:8") {
  std::string text =
      After(SimplifyForShardy, absl::StrCat(more, "ENTRY e {\n", entry, "}\n"), XlaFlags(), target,
            /*is_after_partitioner=*/false);
  text.erase(0, text.find("ENTRY"));
  std::string lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const bool is_given = absl::StrContains(line, "parameter(") || line.front() != ' ';
    if (!is_given) absl::StrAppend(&lines, line, "\n");
  }
  return lines;
}

TEST(AddTest, ZerosWithAnUpdateAreAddedInItsPlace) {
  const auto sum = [](const std::string& fill, const std::string& more) {
    return Simplified(absl::StrCat(
        "  x = f32[8,3] parameter(0)\n  u = f32[2,3] parameter(1)\n  i = s32[] parameter(2)\n"
        "  n = f32[] constant(",
        fill,
        ")\n  z = s32[] constant(0)\n"
        "  ns = f32[8,3] broadcast(n), dimensions={}\n"
        "  d = f32[8,3] dynamic-update-slice(ns, u, i, z)\n  a = f32[8,3] add(d, x)\n",
        more));
  };
  const std::string root = "  ROOT r = f32[8,3] negate(a)\n";
  EXPECT_THAT(sum("0", root), HasSubstr("dynamic-update-slice(x, add, i, z)"));
  EXPECT_THAT(sum("0", root), HasSubstr("add(dynamic-slice, u)"));
  EXPECT_THAT(sum("1", root), HasSubstr("add(d, x)"));
  EXPECT_THAT(sum("0", "  ROOT r = f32[8,3] multiply(a, d)\n"), HasSubstr("add(d, x)"));
}

TEST(TransposeTest, OfATransposeIsOne) {
  const auto twice = [](const std::string& order) {
    return Simplified(
        "  x = f32[2,3,4] parameter(0)\n"
        "  t = f32[4,2,3] transpose(x), dimensions={2,0,1}\n"
        "  u = f32[" +
        std::string(order == "{1,2,0}" ? "2,3,4" : "3,2,4") +
        "] transpose(t), dimensions=" + order + "\n  ROOT n = f32[" +
        std::string(order == "{1,2,0}" ? "2,3,4" : "3,2,4") + "] negate(u)\n");
  };
  EXPECT_THAT(twice("{1,2,0}"), HasSubstr("negate(x)"));
  EXPECT_THAT(twice("{2,1,0}"), HasSubstr("dimensions={1,0,2}"));
}

// As the compilers of GPUs and TPUs have it after the partitioner.
TEST(SliceTest, OfTheFirstDimensionGoesInFrontOfAReshape) {
  const auto cut = [](const std::string& x, const std::string& whole, const std::string& part,
                      const std::string& ranges) {
    return Simplified(absl::StrCat("  x = f32", x, " parameter(0)\n  r = f32", whole,
                                   " reshape(x)\n  ROOT s = f32", part, " slice(r), slice=", ranges,
                                   "\n"));
  };
  EXPECT_THAT(cut("[3,4,64]", "[12,64]", "[4,64]", "{[4:8], [0:64]}"),
              HasSubstr("f32[1,4,64]{2,1,0} slice(x), slice={[1:2], [0:4], [0:64]}"));
  EXPECT_THAT(cut("[12,64]", "[3,256]", "[1,256]", "{[1:2], [0:256]}"),
              HasSubstr("f32[4,64]{1,0} slice(x), slice={[4:8], [0:64]}"));
  EXPECT_THAT(cut("[1,8,8]", "[8,8]", "[2,8]", "{[2:4], [0:8]}"),
              HasSubstr("f32[1,2,8]{2,1,0} slice(x), slice={[0:1], [2:4], [0:8]}"));
  // Not between rows, not in the first dimension only, and with a stride.
  EXPECT_THAT(cut("[3,4,64]", "[12,64]", "[3,64]", "{[0:3], [0:64]}"), HasSubstr("slice(r)"));
  EXPECT_THAT(cut("[4,8,8]", "[4,64]", "[2,32]", "{[0:2], [0:32]}"), HasSubstr("slice(r)"));
  EXPECT_THAT(cut("[6,2,4]", "[6,8]", "[3,8]", "{[0:6:2], [0:8]}"), HasSubstr("slice(r)"));
}

TEST(MaximumTest, OfTheLowestNumberIsLeftOut) {
  const auto larger = [](const std::string& low) {
    return Simplified(absl::StrCat(
        "  x = f32[8,3] parameter(0)\n  n = f32[8,3] negate(x)\n  low = f32[] constant(", low,
        ")\n  lows = f32[8,3] broadcast(low), dimensions={}\n"
        "  m = f32[8,3] maximum(lows, n)\n"
        "  ROOT r = f32[8,3] exponential(m)\n"));
  };
  EXPECT_THAT(larger("-inf"), HasSubstr("exponential(n)"));
  EXPECT_THAT(larger("0"), HasSubstr("exponential(m)"));
}

// The gradient of a transposed convolution's kernel, as the compiler of jaxlib 0.12.0.1 has it after the partitioner.
TEST(ConvolutionTest, AKernelLargerThanTheImageIsMovedOver) {
  const auto gradient = [](int size) {
    return Simplified(absl::StrCat("  x = f32[32,", size, ",", size,
                                   ",512] parameter(0)\n  k = f32[32,8,8,256] parameter(1)\n"
                                   "  ROOT c = f32[4,4,512,256] convolution(x, k), "
                                   "window={size=8x8 pad=2_2x2_2 lhs_dilate=2x2}, "
                                   "dim_labels=f01b_i01o->01bf\n"));
  };
  const std::string swapped = gradient(4);
  EXPECT_THAT(swapped, HasSubstr("reverse(k), dimensions={1,2}"));
  EXPECT_THAT(swapped,
              HasSubstr("convolution(reverse, x), window={size=4x4 pad=1_1x1_1 rhs_dilate=2x2 "
                        "rhs_reversal=1x1}, dim_labels=f01b_i01o->01fb"));
  EXPECT_THAT(gradient(8), HasSubstr("convolution(x, k)"));
}

// The same over waves: the compiler of jaxlib 0.12.0.1 for H100 leaves it as it is.
TEST(ConvolutionTest, AWaveIsMovedOverOnTpusAlone) {
  const std::string gradient =
      "  x = f32[128,4,512] parameter(0)\n  k = f32[1024,4,256] parameter(1)\n"
      "  ROOT c = f32[16,512,256] convolution(x, k), window={size=1024 pad=11_11 lhs_dilate=8}, "
      "dim_labels=0fb_0io->0bf\n";
  EXPECT_THAT(Simplified(gradient), HasSubstr("convolution(x, k)"));
  EXPECT_THAT(Simplified(gradient, "", "tpu-v5e:2x4"), HasSubstr("convolution(reverse, x)"));
}

TEST(SumTest, ZerosAreLeftOutAfterThePartitioner) {
  const auto sum = [](const std::string& start) {
    return After(
        SimplifyAfterPartitioner,
        absl::StrCat("ENTRY e {\n  x = f32[8,3] parameter(0)\n  s = f32[] constant(", start,
                     ")\n  b = f32[8,3] broadcast(s), dimensions={}\n"
                     "  a = f32[8,3] add(b, x)\n  ROOT n = f32[8,3] negate(a)\n}\n"));
  };
  EXPECT_THAT(sum("0"), HasSubstr("negate(x)"));
  EXPECT_THAT(sum("1"), HasSubstr("negate(a)"));
}

// The entry after the partitioner.
std::string SimplifiedAfter(absl::Status (*pass)(Context&), const std::string& entry) {
  return After(pass, absl::StrCat(kSum, "ENTRY e {\n", entry, "}\n"));
}

TEST(TableTest, AnElementIsAMultipleOfItsPlace) {
  const auto element = [](const std::string& table, const std::string& place) {
    const auto size = 1 + std::count(table.begin(), table.end(), ',');
    return SimplifiedAfter(
        CalculateTables,
        absl::StrCat("  x = u32[] parameter(0)\n  p = u32[] partition-id()\n  t = s32[", size,
                     "] constant({", table, "})\n  s = s32[1] dynamic-slice(t, ", place,
                     "), dynamic_slice_sizes={1}\n  ROOT n = s32[1] negate(s)\n"));
  };
  const std::string of_devices = "0, 96, 192, 288, 384, 480, 576, 672";
  EXPECT_THAT(element(of_devices, "p"), HasSubstr("convert(p)\n"));
  EXPECT_THAT(element(of_devices, "p"), HasSubstr("constant(96)\n"));
  EXPECT_THAT(element(of_devices, "x"), HasSubstr("clamp("));
  EXPECT_THAT(element("0, 96, 192, 288", "p"), HasSubstr("clamp("));  // of eight devices
  EXPECT_THAT(element("0, 1, 2, 3, 4, 5, 6, 7", "p"), Not(HasSubstr("multiply(")));
  EXPECT_THAT(element("0, 0, 96, 96", "p"), HasSubstr("dynamic-slice("));
}

TEST(DynamicSliceTest, APartIsTakenBeforeATranspose) {
  const auto part = [](const std::string& root) {
    return SimplifiedAfter(
        SimplifyAfterPartitioner,
        absl::StrCat("  x = f32[8,12,64] parameter(0)\n  i = s32[] parameter(1)\n"
                     "  z = s32[] constant(0)\n"
                     "  t = f32[64,8,12] transpose(x), dimensions={2,0,1}\n"
                     "  s = f32[32,8,12] dynamic-slice(t, i, z, z), "
                     "dynamic_slice_sizes={32,8,12}\n",
                     root));
  };
  EXPECT_THAT(part("  ROOT n = f32[32,8,12] negate(s)\n"),
              AllOf(HasSubstr("f32[8,12,32]{2,1,0} dynamic-slice(x, z, z, i), "
                              "dynamic_slice_sizes={8,12,32}"),
                    HasSubstr("f32[32,8,12]{2,1,0} transpose(s.2), dimensions={2,0,1}")));
  EXPECT_THAT(part("  ROOT n = (f32[32,8,12], f32[64,8,12]) tuple(s, t)\n"),
              HasSubstr("dynamic-slice(t, i, z, z)"));
}

TEST(SelectTest, OfAnArrayAndItselfIsIt) {
  EXPECT_THAT(SimplifiedAfter(SimplifyAfterPartitioner,
                               "  p = pred[8] parameter(0)\n  x = f32[8] parameter(1)\n"
                               "  s = f32[8] select(p, x, x)\n  ROOT n = f32[8] negate(s)\n"),
              HasSubstr("negate(x)"));
}

TEST(SubtractTest, OfIntegersIsANumber) {
  const auto difference = [](const std::string& type, const std::string& operands) {
    return SimplifiedAfter(
        SimplifyAfterPartitioner,
        absl::StrCat("  x = ", type, "[] parameter(0)\n  a = ", type,
                     "[] constant(7)\n  b = ", type, "[] constant(5)\n  d = ", type, "[] subtract(",
                     operands, ")\n  ROOT n = ", type, "[] negate(d)\n"));
  };
  EXPECT_THAT(difference("s32", "a, b"), HasSubstr("constant(2)\n"));
  EXPECT_THAT(difference("s32", "x, x"), HasSubstr("constant(0)\n"));
  EXPECT_THAT(difference("f32", "x, x"), HasSubstr("subtract("));
}

TEST(ReshapeMoverTest, MovesAfterThePartitionerToo) {
  EXPECT_THAT(SimplifiedAfter(MoveReshapesAfterPartitioner,
                               "  x = f32[32,8] parameter(0)\n  r = f32[4,8,8] reshape(x)\n"
                               "  c = f32[] constant(3)\n  b = f32[4,8,8] broadcast(c), "
                               "dimensions={}\n  ROOT m = f32[4,8,8] multiply(r, b)\n"),
              HasSubstr("f32[32,8]{1,0} multiply(x, "));
}

// The negation is one only when the sum has moved, and the product when the negation has.
TEST(ReshapeMoverTest, MovesWhatReadsWhatMoved) {
  const std::string body =
      "  x = f32[32,8] parameter(0)\n  y = f32[32,8] parameter(1)\n  z = f32[32,8] parameter(2)\n"
      "  a = f32[4,8,8] reshape(x)\n  b = f32[4,8,8] reshape(y)\n  c = f32[4,8,8] reshape(z)\n"
      "  s = f32[4,8,8] add(a, b)\n  n = f32[4,8,8] negate(s)\n"
      "  ROOT m = f32[4,8,8] multiply(n, c)\n";
  const std::string moved = SimplifiedAfter(MoveReshapesAfterPartitioner, body);
  EXPECT_THAT(moved, HasSubstr("f32[32,8]{1,0} multiply("));
  EXPECT_EQ(moved.find(" reshape("), moved.rfind(" reshape("));
}

TEST(DotTest, WithoutContractionIsAMultiply) {
  const std::string dot =
      "  x = f32[8,16,2] parameter(0)\n"
      "  y = f32[8,16,2,4] parameter(1)\n"
      "  ROOT d = f32[8,16,2,4] dot(x, y), lhs_batch_dims={0,1,2}, lhs_contracting_dims={}, "
      "rhs_batch_dims={0,1,2}, rhs_contracting_dims={}";
  EXPECT_EQ(Simplified(dot + "\n"),
            "  broadcast = f32[8,16,2,4]{3,2,1,0} broadcast(x), dimensions={0,1,2}\n"
            "  ROOT multiply = f32[8,16,2,4]{3,2,1,0} multiply(broadcast, y)\n");
  EXPECT_THAT(Simplified(dot + ", operand_precision={highest,highest}\n"), HasSubstr("dot("));
}

// The batch dimension of y is its second; f32 is what the product is made in.
TEST(DotTest, OperandsOfAMultiplyAreBroughtInto) {
  EXPECT_EQ(Simplified("  x = bf16[8,3] parameter(0)\n"
                       "  y = bf16[5,8] parameter(1)\n"
                       "  ROOT d = f32[8,3,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={1}\n"),
            "  convert = f32[8,3]{1,0} convert(x)\n"
            "  broadcast = f32[8,3,5]{2,1,0} broadcast(convert), dimensions={0,1}\n"
            "  convert.2 = f32[5,8]{1,0} convert(y)\n"
            "  transpose.1 = f32[8,5]{1,0} transpose(convert.2), dimensions={1,0}\n"
            "  broadcast.1 = f32[8,3,5]{2,1,0} broadcast(transpose.1), dimensions={0,2}\n"
            "  ROOT multiply = f32[8,3,5]{2,1,0} multiply(broadcast, broadcast.1)\n");
}

// Nothing of y is left when it has been summed.
TEST(DotTest, OnTpusADotOfOneSideIsASumOfProducts) {
  const std::string dot =
      "  x = bf16[8,32] parameter(0)\n"
      "  y = bf16[32] parameter(1)\n"
      "  ROOT d = bf16[8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string on_tpu = Simplified(dot, "", "tpu-v5e:2x4");
  EXPECT_THAT(on_tpu, HasSubstr("bf16[8,32]{1,0} multiply(x, broadcast)\n"));
  EXPECT_THAT(on_tpu, HasSubstr("bf16[8]{0} reduce(multiply, "));
  EXPECT_THAT(on_tpu, HasSubstr("dimensions={1}, to_apply="));
  EXPECT_THAT(Simplified(dot), HasSubstr("dot("));
}

TEST(DotTest, AfterThePartitionerProductsOfVectorsAreSums) {
  const auto of_rows = [](const std::string& rows) {
    return SimplifiedAfter(SimplifyAfterPartitioner,
                            absl::StrCat("  x = f32[", rows,
                                         ",1024] parameter(0)\n  y = f32[1024] "
                                         "parameter(1)\n  ROOT d = f32[",
                                         rows,
                                         "] dot(x, y), lhs_contracting_dims={1}, "
                                         "rhs_contracting_dims={0}\n"));
  };
  EXPECT_THAT(of_rows("64"), HasSubstr("reduce("));
  EXPECT_THAT(of_rows("16384"), HasSubstr("dot("));
}

TEST(DotTest, OnesGo) {
  EXPECT_EQ(Simplified("  x = f32[8,1,32] parameter(0)\n"
                       "  y = f32[32,64] parameter(1)\n"
                       "  ROOT d = f32[8,1,64] dot(x, y), lhs_contracting_dims={2}, "
                       "rhs_contracting_dims={0}\n"),
            "  reshape = f32[8,32]{1,0} reshape(x)\n"
            "  d.1 = f32[8,64]{1,0} dot(reshape, y), lhs_contracting_dims={1}, "
            "rhs_contracting_dims={0}\n"
            "  ROOT reshape.1 = f32[8,1,64]{2,1,0} reshape(d.1)\n");
  EXPECT_THAT(Simplified("  x = f32[8,1] parameter(0)\n"
                         "  y = f32[1,64] parameter(1)\n"
                         "  ROOT d = f32[8,64] dot(x, y), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={0}\n"),
              HasSubstr("ROOT multiply = f32[8,64]{1,0} multiply(broadcast, broadcast.1)"));
}

TEST(DotTest, ATransposedOneExchangesItsOperands) {
  const std::string dot =
      "  x = f32[32,8] parameter(0)\n"
      "  y = f32[32,16] parameter(1)\n"
      "  d = f32[8,16] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  EXPECT_EQ(Simplified(dot + "  ROOT t = f32[16,8] transpose(d), dimensions={1,0}\n"),
            "  ROOT d.1 = f32[16,8]{1,0} dot(y, x), lhs_contracting_dims={0}, "
            "rhs_contracting_dims={0}\n");
  EXPECT_THAT(Simplified(dot + "  t = f32[16,8] transpose(d), dimensions={1,0}\n"
                               "  ROOT u = (f32[16,8], f32[8,16]) tuple(t, d)\n"),
              HasSubstr("dot(x, y)"));
  EXPECT_THAT(Simplified("  x = f32[32,8,2] parameter(0)\n"
                         "  y = f32[32,16] parameter(1)\n"
                         "  d = f32[8,2,16] dot(x, y), lhs_contracting_dims={0}, "
                         "rhs_contracting_dims={0}\n"
                         "  ROOT t = f32[8,16,2] transpose(d), dimensions={0,2,1}\n"),
              HasSubstr("dot(x, y)"));
}

TEST(ReduceTest, TwoOfOneKindAreOne) {
  const std::string inner =
      "  x = f32[8,16,4] parameter(0)\n"
      "  z = f32[] constant(0)\n"
      "  y = f32[8,4] reduce(x, z), dimensions={1}, to_apply=sum\n";
  EXPECT_THAT(
      Simplified(inner + "  ROOT r = f32[8] reduce(y, z), dimensions={1}, to_apply=sum\n", kSum),
      HasSubstr("f32[8]{0} reduce(x, z), dimensions={1,2}, to_apply=sum"));
  EXPECT_THAT(Simplified(inner + "  ROOT r = f32[8] reduce(y, z), dimensions={1}, to_apply=max\n",
                         absl::StrCat(kSum, kMax)),
              HasSubstr("reduce(y, z), dimensions={1}, to_apply=max"));
  EXPECT_THAT(Simplified(inner + "  o = f32[] constant(1)\n"
                                 "  ROOT r = f32[8] reduce(y, o), dimensions={1}, to_apply=sum\n",
                         kSum),
              HasSubstr("reduce(y, o)"));
}

constexpr char kScatter[] =
    ", update_window_dims={1}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n";

std::string ScatterOf(const std::string& name, const std::string& n) {
  return absl::StrCat("  at", n, " = s32[4,1] parameter(", n == "1" ? "1" : "3", ")\n  row", n,
                      " = f32[4,8] parameter(", n == "1" ? "2" : "4", ")\n  ", name,
                      " = f32[64,8] scatter(b, at", n, ", row", n, ")", kScatter);
}

constexpr char kTpu[] = "tpu-v5e:2x4";

// Of a row of 8 x 16 in another shape.
TEST(ReduceTest, OfAllThatAReshapeChanges) {
  const auto sum = [](const std::string& reshaped, const std::string& reduced) {
    return Simplified(
        absl::StrCat("  x = f32[2,8,16] parameter(0)\n  z = f32[] constant(0)\n  r = f32", reshaped,
                     " reshape(x)\n  ROOT s = f32", reduced, ", to_apply=sum\n"),
        kSum);
  };
  EXPECT_THAT(sum("[256]", "[] reduce(r, z), dimensions={0}"),
              HasSubstr("reduce(x, z), dimensions={0,1,2}"));
  EXPECT_THAT(sum("[2,128]", "[2] reduce(r, z), dimensions={1}"),
              HasSubstr("reduce(x, z), dimensions={1,2}"));
  EXPECT_THAT(sum("[4,4,16]", "[4,16] reduce(r, z), dimensions={1}"),
              HasSubstr("reduce(r, z), dimensions={1}"));
}

// As the compilers of GPUs and TPUs have it in front of Shardy.
TEST(ReduceTest, OfABroadcastIsOfItsOperand) {
  const auto reduce = [](const std::string& result, const std::string& dimensions,
                         const std::string& start, const std::string& step) {
    return Simplified(
        absl::StrCat("  x = f32[4,6] parameter(0)\n  n = f32[] constant(", start,
                     ")\n  b = f32[8,4,6] broadcast(x), dimensions={1,2}\n  ROOT r = f32", result,
                     " reduce(b, n), dimensions=", dimensions, ", to_apply=", step, "\n"),
        step == "sum" ? kSum : kMax);
  };
  const std::string once = reduce("[8,4]", "{2}", "0", "sum");
  EXPECT_THAT(once, HasSubstr("f32[4]{0} reduce(x, n), dimensions={1}, to_apply=sum"));
  EXPECT_THAT(once, HasSubstr("f32[8,4]{1,0} broadcast(r.1), dimensions={1}"));
  EXPECT_THAT(reduce("[8,6]", "{1}", "1", "max"), HasSubstr("f32[6]{0} reduce(x, n)"));
  const std::string copies = reduce("[4,6]", "{0}", "3", "sum");
  EXPECT_THAT(copies, HasSubstr("constant(8)"));
  EXPECT_THAT(copies, HasSubstr("add(broadcast.1, multiply)"));
  EXPECT_THAT(reduce("[4,6]", "{0}", "0", "max"), HasSubstr("reduce(b, n)"));
  EXPECT_THAT(reduce("[4]", "{0,2}", "0", "sum"), HasSubstr("reduce(b, n)"));
}

TEST(BroadcastTest, WhatIsPointwiseIsComputedInFrontOfIt) {
  const auto of = [](const std::string& operation) {
    return Simplified(absl::StrCat("  x = f32[4,6] parameter(0)\n  s = f32[] parameter(1)\n"
                                   "  y = f32[8,4,6] parameter(2)\n"
                                   "  b = f32[8,4,6] broadcast(x), dimensions={1,2}\n"
                                   "  c = f32[8,4,6] broadcast(s), dimensions={}\n  ROOT r = ",
                                   operation, "\n"),
                      "", kTpu);
  };
  EXPECT_THAT(of("f32[8,4,6] divide(c, b)"), HasSubstr("f32[4,6]{1,0} divide(broadcast"));
  EXPECT_THAT(of("f32[8,4,6] exponential(b)"), HasSubstr("f32[4,6]{1,0} exponential(x)"));
  EXPECT_THAT(of("pred[8,4,6] compare(b, c), direction=GT"), HasSubstr("pred[4,6]{1,0} compare("));
  EXPECT_THAT(of("f32[8,4,6] add(b, y)"), HasSubstr("add(b, y)"));
}

TEST(BroadcastTest, AnIotaRepeatsOneOfADimension) {
  const auto of = [](const std::string& operation) {
    return Simplified(
        absl::StrCat("  n = s32[] parameter(0)\n  v = s32[6] parameter(1)\n"
                     "  i = s32[4,6] iota(), iota_dimension=1\n"
                     "  j = s32[4,6] iota(), iota_dimension=0\n"
                     "  b = s32[4,6] broadcast(n), dimensions={}\n"
                     "  c = s32[4,6] broadcast(v), dimensions={1}\n  ROOT r = ",
                     operation, "\n"));
  };
  EXPECT_THAT(of("f32[4,6] convert(i)"), HasSubstr("f32[6]{0} convert(iota)"));
  EXPECT_THAT(of("s32[4,6] multiply(b, j)"), HasSubstr("s32[4]{0} multiply(broadcast, iota)"));
  EXPECT_THAT(of("s32[4,6] add(i, c)"), HasSubstr("s32[6]{0} add(iota, v)"));
  EXPECT_THAT(of("s32[4,6] add(i, j)"), HasSubstr("s32[4,6]{1,0} add(i, j)"));
}

TEST(SliceTest, OfASliceAndOfJoinedArrays) {
  const auto of = [](const std::string& operand, const std::string& result) {
    return Simplified(absl::StrCat(
        "  x = f32[64] parameter(0)\n  y = f32[32] parameter(1)\n  z = f32[16] parameter(2)\n"
        "  c = f32[112] concatenate(x, y, z), dimensions={0}\n"
        "  s = f32[48] slice(x), slice={[8:56]}\n  t = f32[32] slice(x), slice={[0:64:2]}\n"
        "  p = f32",
        result, " slice(", operand, "}\n  ROOT r = f32", result, " negate(p)\n"));
  };
  EXPECT_THAT(of("s), slice={[4:12]", "[8]"), HasSubstr("slice(x), slice={[12:20]}"));
  EXPECT_THAT(of("t), slice={[4:12]", "[8]"), HasSubstr("slice(t), slice={[4:12]}"));
  EXPECT_THAT(of("c), slice={[70:80]", "[10]"), HasSubstr("slice(y), slice={[6:16]}"));
  EXPECT_THAT(of("c), slice={[66:90:2]", "[12]"), HasSubstr("slice(y), slice={[2:26:2]}"));
  EXPECT_THAT(of("c), slice={[96:112]", "[16]"), HasSubstr("negate(z)"));
  const std::string of_two = of("c), slice={[50:70]", "[20]");
  EXPECT_THAT(of_two, HasSubstr("f32[96]{0} concatenate(x, y)"));
  EXPECT_THAT(of_two, HasSubstr("slice={[50:70]}"));
}

TEST(ClampTest, BetweenConstants) {
  const auto of = [](const std::string& inner, const std::string& outer, const std::string& high) {
    return Simplified(absl::StrCat(
        "  x = s32[4] parameter(0)\n  n = s32[] parameter(1)\n  a = s32[] constant(0)\n"
        "  b = s32[] constant(",
        high,
        ")\n  low = s32[4] broadcast(a), dimensions={}\n  high = s32[4] broadcast(b), "
        "dimensions={}\n  some = s32[4] broadcast(n), dimensions={}\n  y = s32[4] ",
        inner, "\n  ROOT r = s32[4] ", outer, "\n"));
  };
  const auto is_clamp = HasSubstr("clamp(low, x, high)");
  EXPECT_THAT(of("maximum(low, x)", "minimum(y, high)", "7"), is_clamp);
  EXPECT_THAT(of("minimum(x, high)", "maximum(low, y)", "7"), is_clamp);
  EXPECT_THAT(of("maximum(low, x)", "minimum(y, high)", "-1"), Not(is_clamp));
  EXPECT_THAT(of("maximum(low, x)", "minimum(y, some)", "7"), HasSubstr("minimum(y, some)"));
}

// As the compilers of GPUs and TPUs have it after the partitioner.
TEST(ReduceTest, OfWhatAReshapeLeavesAsItIs) {
  const auto sum = [](const std::string& reshaped, const std::string& reduced) {
    return Simplified(
        absl::StrCat("  x = f32[128,160,6] parameter(0)\n  z = f32[] constant(0)\n  r = f32",
                     reshaped, " reshape(x)\n  ROOT s = f32", reduced, ", to_apply=sum\n"),
        kSum);
  };
  EXPECT_THAT(sum("[2,64,160,2,3]", "[2,64,2,3] reduce(r, z), dimensions={2}"),
              HasSubstr("f32[128,6]{1,0} reduce(x, z), dimensions={1}"));
  EXPECT_THAT(sum("[2,64,160,2,3]", "[2,64,3] reduce(r, z), dimensions={2,3}"),
              HasSubstr("reduce(r, z), dimensions={2,3}"));
}

// A maximum of float32, and a sum that JAX widens.
TEST(ReduceTest, OnTpusOfBfloat16BeforeItIsWidened) {
  const auto largest = [](const std::string& begin, const std::string& target) {
    return Simplified(
        absl::StrCat("  x = bf16[8,16] parameter(0)\n  c = f32[8,16] convert(x)\n"
                     "  b = f32[] constant(",
                     begin, ")\n  ROOT r = f32[8] reduce(c, b), dimensions={1}, to_apply=max\n"),
        kMax, target);
  };
  EXPECT_THAT(largest("-inf", kTpu), HasSubstr("bf16[8]{0} reduce(x, "));
  EXPECT_THAT(largest("0", kTpu), HasSubstr("f32[8]{0} reduce(c, b)"));
  EXPECT_THAT(largest("-inf", "h100:8"), HasSubstr("f32[8]{0} reduce(c, b)"));
  const std::string sum =
      "  x = bf16[8,16] parameter(0)\n  c = f32[8,16] convert(x)\n  z = f32[] constant(0)\n"
      "  r = f32[8] reduce(c, z), dimensions={1}, to_apply=sum\n";
  EXPECT_THAT(Simplified(sum + "  ROOT n = bf16[8] convert(r)\n", kSum, kTpu),
              HasSubstr("bf16[8]{0} reduce(x, "));
  EXPECT_THAT(Simplified(sum + "  n = bf16[8] convert(r)\n"
                               "  ROOT t = (f32[8], bf16[8]) tuple(r, n)\n",
                         kSum, kTpu),
              HasSubstr("f32[8]{0} reduce(c, z)"));
}

// JAX's argmax, and a maximum of the same rows.
TEST(ReduceTest, TheLargestIsFoundWithItsPlace) {
  const auto after = [](const std::string& direction, const std::string& target) {
    const std::string argmax = absl::StrCat(
        "argmax {\n  a = f32[] parameter(0)\n  i = s32[] parameter(1)\n  b = f32[] parameter(2)\n"
        "  j = s32[] parameter(3)\n  is = pred[] compare(a, b), direction=",
        direction,
        "\n  v = f32[] select(is, a, b)\n  k = s32[] select(is, i, j)\n"
        "  ROOT t = (f32[], s32[]) tuple(v, k)\n}\n");
    return Simplified(
        "  x = f32[8,16] parameter(0)\n  n = s32[8,16] iota(), iota_dimension=1\n"
        "  low = f32[] constant(-inf)\n  zero = s32[] constant(0)\n"
        "  r = (f32[8], s32[8]) reduce(x, n, low, zero), dimensions={1}, to_apply=argmax\n"
        "  place = s32[8] get-tuple-element(r), index=1\n"
        "  m = f32[8] reduce(x, low), dimensions={1}, to_apply=max\n"
        "  ROOT t = (s32[8], f32[8]) tuple(place, m)\n",
        kMax + argmax, target);
  };
  for (const char* target : {"h100:8", kTpu}) {
    EXPECT_THAT(after("GT", target), Not(HasSubstr("to_apply=max")));
    EXPECT_THAT(after("GT", target), HasSubstr("get-tuple-element(r), index=0"));
    EXPECT_THAT(after("LT", target), HasSubstr("to_apply=max"));
  }
}

TEST(ReduceTest, OfNegatedNumbersIsNegated) {
  const std::string sum =
      "  x = f32[8,16] parameter(0)\n  n = f32[8,16] negate(x)\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[8] reduce(n, z), dimensions={1}, to_apply=sum\n";
  for (const char* target : {"h100:8", kTpu}) {
    EXPECT_THAT(Simplified(sum, kSum, target), HasSubstr("f32[8]{0} negate(")) << target;
  }
}

TEST(TransposeTest, OnTpusOfAnAllReduceIsInFrontOfIt) {
  const std::string text =
      "  x = f32[8,16] parameter(0)\n"
      "  a = f32[8,16] all-reduce(x), channel_id=1, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true, to_apply=sum\n";
  const std::string transposed = text + "  ROOT t = f32[16,8] transpose(a), dimensions={1,0}\n";
  EXPECT_THAT(Simplified(transposed, kSum, kTpu), HasSubstr("f32[16,8]{1,0} all-reduce("));
  EXPECT_THAT(Simplified(transposed, kSum), HasSubstr("f32[8,16]{1,0} all-reduce(x)"));
  EXPECT_THAT(Simplified(text + "  t = f32[16,8] transpose(a), dimensions={1,0}\n"
                                "  ROOT r = (f32[8,16], f32[16,8]) tuple(a, t)\n",
                         kSum, kTpu),
              HasSubstr("all-reduce(x)"));
}

TEST(ReduceTest, OfOnesIsAReshape) {
  const std::string sum =
      "  x = f32[8,16,1] parameter(0)\n"
      "  zero = f32[] constant(0)\n"
      "  ROOT r = f32[8,16] reduce(x, zero), dimensions={2}, to_apply=sum\n";
  EXPECT_THAT(Simplified(sum, kSum), HasSubstr("ROOT reshape = f32[8,16]{1,0} reshape(x)\n"));
  const std::string left =
      "  x = f32[8,1,16] parameter(0)\n"
      "  zero = f32[] constant(0)\n"
      "  ROOT r = f32[8,1] reduce(x, zero), dimensions={2}, to_apply=sum\n";
  EXPECT_THAT(Simplified(left, kSum, "tpu-v5e:2x4"), HasSubstr("dimensions={1,2}, to_apply=sum"));
  EXPECT_THAT(Simplified(left, kSum), HasSubstr("dimensions={2}, to_apply=sum"));
}

TEST(ProductTest, WithTruthsIsAChoice) {
  EXPECT_EQ(Simplified("  p = pred[8] parameter(0)\n"
                       "  x = f32[8] parameter(1)\n"
                       "  c = f32[8] convert(p)\n"
                       "  ROOT m = f32[8] multiply(c, x)\n"),
            "  constant = f32[] constant(0)\n"
            "  broadcast = f32[8]{0} broadcast(constant), dimensions={}\n"
            "  ROOT select = f32[8]{0} select(p, x, broadcast)\n");
}

TEST(DifferenceTest, OfADifferenceIsOne) {
  EXPECT_EQ(Simplified("  i = s32[] parameter(0)\n"
                       "  n = s32[] constant(4)\n"
                       "  one = s32[] constant(1)\n"
                       "  d = s32[] subtract(n, i)\n"
                       "  ROOT e = s32[] subtract(d, one)\n"),
            "  constant = s32[] constant(3)\n"
            "  ROOT subtract = s32[] subtract(constant, i)\n");
}

TEST(DivisionTest, ByAConstantIsAProduct) {
  const std::string division =
      "  x = f32[8] parameter(0)\n"
      "  b = f32[8] broadcast(c), dimensions={}\n"
      "  ROOT d = f32[8] divide(x, b)\n";
  EXPECT_THAT(Simplified("  c = f32[] constant(32)\n" + division),
              AllOf(HasSubstr("constant(0.03125)"), HasSubstr("multiply(x, broadcast)")));
  EXPECT_THAT(Simplified("  c = f32[] constant(3)\n" + division), HasSubstr("0.333333343"));
  EXPECT_THAT(Simplified("  c = f32[] constant(0)\n" + division), HasSubstr("divide(x, b)"));
  EXPECT_THAT(Simplified("  c = f32[] parameter(1)\n" + division), HasSubstr("divide(x, b)"));
}

// Multiplying by a power of two rounds nothing.
TEST(SumTest, OfProductsWithAPowerOfTwoIsAProduct) {
  const std::string products =
      "  x = f32[] parameter(0)\n"
      "  y = f32[] parameter(1)\n"
      "  a = f32[] multiply(x, c)\n"
      "  b = f32[] multiply(c, y)\n"
      "  ROOT s = f32[] add(a, b)\n";
  EXPECT_THAT(Simplified("  c = f32[] constant(0.03125)\n" + products),
              HasSubstr("ROOT multiply = f32[] multiply(add, c)\n"));
  EXPECT_THAT(Simplified("  c = f32[] constant(0.03)\n" + products), Not(HasSubstr("(x, y)")));
  EXPECT_THAT(Simplified("  c = f32[] parameter(2)\n" + products), Not(HasSubstr("(x, y)")));
}

TEST(SumTest, OfProductsWithAnIntegerIsAProduct) {
  EXPECT_EQ(Simplified("  x = s32[4] parameter(0)\n"
                       "  y = s32[4] parameter(1)\n"
                       "  c = s32[4] parameter(2)\n"
                       "  a = s32[4] multiply(c, x)\n"
                       "  b = s32[4] multiply(c, y)\n"
                       "  ROOT s = s32[4] add(a, b)\n"),
            "  add = s32[4]{0} add(x, y)\n"
            "  ROOT multiply = s32[4]{0} multiply(add, c)\n");
}

// The gradient of jnp.take_along_axis.
TEST(ScatterTest, OnTpusOneOfEachRowIsAChoice) {
  const std::string scatter =
      "  i = s32[8,1,1] parameter(0)\n"
      "  u = f32[8,1] parameter(1)\n"
      "  zero = f32[] constant(0)\n"
      "  zeros = f32[8,64] broadcast(zero), dimensions={}\n"
      "  ROOT s = f32[8,64] scatter(zeros, i, u), update_window_dims={}, inserted_window_dims={1}, "
      "scatter_dims_to_operand_dims={1}, input_batching_dims={0}, "
      "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=sum\n";
  EXPECT_EQ(Simplified(scatter, kSum, "tpu-v5e:2x4"),
            "  reshape = s32[8]{0} reshape(i)\n"
            "  broadcast = s32[8,64]{1,0} broadcast(reshape), dimensions={0}\n"
            "  iota = s32[8,64]{1,0} iota(), iota_dimension=1\n"
            "  compare = pred[8,64]{1,0} compare(broadcast, iota), direction=EQ\n"
            "  reshape.1 = f32[8]{0} reshape(u)\n"
            "  broadcast.1 = f32[8,64]{1,0} broadcast(reshape.1), dimensions={0}\n"
            "  zero = f32[] constant(0)\n"
            "  zeros = f32[8,64]{1,0} broadcast(zero), dimensions={}\n"
            "  ROOT select = f32[8,64]{1,0} select(compare, broadcast.1, zeros)\n");
  EXPECT_THAT(Simplified(scatter, kSum), HasSubstr("scatter("));
}

TEST(ScatterTest, OfOneWindowIsAnUpdate) {
  EXPECT_EQ(Simplified("  x = f32[16,32] parameter(0)\n"
                       "  i = s32[1] parameter(1)\n"
                       "  u = f32[32] parameter(2)\n"
                       "  ROOT s = f32[16,32] scatter(x, i, u), update_window_dims={0}, "
                       "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                       "index_vector_dim=0, to_apply=sum\n",
                       kSum),
            "  reshape.1 = s32[] reshape(i)\n"
            "  constant.1 = s32[] constant(0)\n"
            "  compare = pred[] compare(reshape.1, constant.1), direction=GE\n"
            "  constant.2 = s32[] constant(15)\n"
            "  compare.1 = pred[] compare(reshape.1, constant.2), direction=LE\n"
            "  and = pred[] and(compare, compare.1)\n"
            "  broadcast = pred[1,32]{1,0} broadcast(and), dimensions={}\n"
            "  constant = s32[] constant(0)\n"
            "  dynamic-slice = f32[1,32]{1,0} dynamic-slice(x, reshape.1, constant), "
            "dynamic_slice_sizes={1,32}\n"
            "  reshape = f32[1,32]{1,0} reshape(u)\n"
            "  combined = f32[1,32]{1,0} add(dynamic-slice, reshape)\n"
            "  select = f32[1,32]{1,0} select(broadcast, combined, dynamic-slice)\n"
            "  ROOT dynamic-update-slice = f32[16,32]{1,0} dynamic-update-slice(x, select, "
            "reshape.1, constant)\n");
}

TEST(ScatterTest, WhatIsAddedIsAddedToBefore) {
  const std::string zeros =
      "  y = f32[64,8] parameter(0)\n"
      "  z = f32[] constant(0)\n"
      "  b = f32[64,8] broadcast(z), dimensions={}\n";
  EXPECT_THAT(Simplified(zeros + ScatterOf("s", "1") + "  ROOT r = f32[64,8] add(s, y)\n", kSum),
              HasSubstr("scatter(y, at1, row1)"));
  EXPECT_THAT(Simplified(zeros + ScatterOf("s", "1") +
                             "  r = f32[64,8] add(s, y)\n"
                             "  ROOT t = (f32[64,8], f32[64,8]) tuple(r, s)\n",
                         kSum),
              HasSubstr("add(s, y)"));
}

// As the compilers of TPU and GPU (jaxlib 0.12.0.1) make them.
TEST(ScatterTest, TwoAreOneWhereTheyHaveFewerElementsThanTheirSum) {
  const auto sum = [](const std::string& rows, const std::string& i, const std::string& j) {
    return Simplified(
        absl::StrReplaceAll(
            "  z = f32[] constant(0)\n  b = f32[ROWS,8] broadcast(z), dimensions={}\n"
            "  i = s32[FIRST,1] parameter(0)\n  u = f32[FIRST,8] parameter(1)\n"
            "  j = s32[SECOND,1] parameter(2)\n  v = f32[SECOND,8] parameter(3)\n"
            "  s = f32[ROWS,8] scatter(b, i, u), update_window_dims={2}, inserted_window_dims={0}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum\n"
            "  t = f32[ROWS,8] scatter(b, j, v), update_window_dims={2}, inserted_window_dims={0}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=sum\n"
            "  ROOT r = f32[ROWS,8] add(s, t)\n",
            {{"ROWS", rows}, {"FIRST", i}, {"SECOND", j}}),
        kSum);
  };
  EXPECT_THAT(sum("10000", "8,20", "8,128"),
              AllOf(HasSubstr("s32[8,148,1]{2,1,0} concatenate(i, j), dimensions={1}"),
                    HasSubstr("f32[8,148,8]{2,1,0} concatenate(u, v), dimensions={1}"),
                    HasSubstr("scatter(b, concatenate, concatenate.1)")));
  EXPECT_THAT(sum("10000", "8,20", "8,20"), HasSubstr("s32[16,20,1]{2,1,0} concatenate(i, j)"));
  EXPECT_THAT(sum("10000", "8,20", "16,30"), HasSubstr("add(s, t)"));
  EXPECT_THAT(sum("320", "8,20", "8,20"), HasSubstr("add(s, t)"));
}

TEST(BroadcastTest, OfLess) {
  EXPECT_EQ(Simplified("  x = f32[8,1] parameter(0)\n"
                       "  ROOT b = f32[8,1,16] broadcast(x), dimensions={0,1}\n"),
            "  reshape = f32[8]{0} reshape(x)\n"
            "  ROOT broadcast = f32[8,1,16]{2,1,0} broadcast(reshape), dimensions={0}\n");
  EXPECT_EQ(Simplified("  x = f32[8] parameter(0)\n"
                       "  r = f32[8,1] reshape(x)\n"
                       "  ROOT b = f32[8,1,16] broadcast(r), dimensions={0,1}\n"),
            "  ROOT broadcast = f32[8,1,16]{2,1,0} broadcast(x), dimensions={0}\n");
  EXPECT_EQ(Simplified("  x = f32[8] parameter(0)\n"
                       "  a = f32[8,4] broadcast(x), dimensions={0}\n"
                       "  ROOT b = f32[2,4,8] broadcast(a), dimensions={2,1}\n"),
            "  ROOT broadcast = f32[2,4,8]{2,1,0} broadcast(x), dimensions={2}\n");
  EXPECT_EQ(Simplified("  x = f32[8] parameter(0)\n"
                       "  ROOT b = f32[1,8] broadcast(x), dimensions={1}\n"),
            "  ROOT reshape = f32[1,8]{1,0} reshape(x)\n");
}

TEST(ConvertTest, InFrontOfABroadcast) {
  EXPECT_EQ(Simplified("  x = f32[8] parameter(0)\n"
                       "  b = f32[8,4] broadcast(x), dimensions={0}\n"
                       "  ROOT c = bf16[8,4] convert(b)\n"),
            "  c.1 = bf16[8]{0} convert(x)\n"
            "  ROOT broadcast = bf16[8,4]{1,0} broadcast(c.1), dimensions={0}\n");
}

TEST(ReshapeTest, OfReshapesAndBroadcasts) {
  EXPECT_EQ(Simplified("  x = f32[8,4] parameter(0)\n"
                       "  r = f32[32] reshape(x)\n"
                       "  ROOT s = f32[8,4] reshape(r)\n"),
            "");
  EXPECT_EQ(Simplified("  x = f32[8] parameter(0)\n"
                       "  b = f32[8,4,2] broadcast(x), dimensions={0}\n"
                       "  ROOT r = f32[8,8] reshape(b)\n"),
            "  ROOT broadcast = f32[8,8]{1,0} broadcast(x), dimensions={0}\n");
  EXPECT_THAT(Simplified("  x = f32[8] parameter(0)\n"
                         "  b = f32[8,4] broadcast(x), dimensions={0}\n"
                         "  ROOT r = f32[32] reshape(b)\n"),
              HasSubstr("reshape(b)"));
}

TEST(PadTest, NothingBetweenOneElement) {
  EXPECT_THAT(Simplified("  x = f32[1,4] parameter(0)\n"
                         "  z = f32[] constant(0)\n"
                         "  ROOT p = f32[2,7] pad(x, z), padding=0_1_1x0_0_1\n"),
              HasSubstr("padding=0_1_0x0_0_1"));
}

// As recorded from both compilers; of three operands and of copies of a row nothing is made.
TEST(ConcatenateTest, OneNumberIsPadding) {
  const auto joined = [](const std::string& operands, const std::string& target) {
    return Simplified(
        "  x = f32[64,64] parameter(0)\n"
        "  s = f32[] parameter(1)\n"
        "  y = f32[64] parameter(2)\n"
        "  n = f32[64,8] broadcast(s), dimensions={}\n"
        "  r = f32[64,8] broadcast(y), dimensions={0}\n"
        "  ROOT c = f32[64,72] concatenate(" +
            operands + "), dimensions={1}\n",
        "", target);
  };
  for (const char* const target : {kTpu, "h100:8"}) {
    EXPECT_THAT(joined("x, n", target), HasSubstr("f32[64,72]{1,0} pad(x, s), padding=0_0x0_8"));
    EXPECT_THAT(joined("n, x", target), HasSubstr("f32[64,72]{1,0} pad(x, s), padding=0_0x8_0"));
  }
  EXPECT_THAT(joined("x, r", kTpu), HasSubstr("concatenate(x, r)"));
  EXPECT_THAT(Simplified("  x = f32[4] parameter(0)\n"
                         "  s = f32[] parameter(1)\n"
                         "  n = f32[2] broadcast(s), dimensions={}\n"
                         "  ROOT c = f32[8] concatenate(n, x, n), dimensions={0}\n",
                         "", kTpu),
              HasSubstr("concatenate(n, x, n)"));
}

TEST(TopKTest, IsACallOfItsKernel) {
  const std::string text = Simplified(
      "  x = f32[8,4,16] parameter(0)\n"
      "  ROOT t = (f32[8,4,2], s32[8,4,2]) topk(x), k=2, largest=true\n");
  EXPECT_THAT(text, HasSubstr("f32[32,16]{1,0} reshape(x)"));
  EXPECT_THAT(text, HasSubstr("(f32[32,2]{1,0}, s32[32,2]{1,0}) custom-call(reshape), "
                              "custom_call_target=\"TopK\""));
}

// As the compiler of TPUs (libtpu 0.0.50.1) leaves the same in front of Shardy.
TEST(TopKTest, OnTpusIsASortOrItsKernel) {
  const auto largest = [](const std::string& from, const std::string& to, int k) {
    return Simplified(absl::StrCat("  x = f32", from, " parameter(0)\n  ROOT t = (f32", to, ", s32",
                                   to, ") topk(x), k=", k, ", largest=true\n"),
                      "", "tpu-v5e:2x4");
  };
  const std::string sorted = largest("[8,64,4096]", "[8,64,8]", 8);
  EXPECT_THAT(sorted, HasSubstr("s32[8,64,4096]{2,1,0} iota(), iota_dimension=2\n"));
  EXPECT_THAT(sorted, HasSubstr("sort(x, iota), dimensions={2}, to_apply=compare-greater-than"));
  EXPECT_THAT(sorted, HasSubstr("slice={[0:8], [0:64], [0:8]}"));
  EXPECT_THAT(largest("[64,1024]", "[64,4]", 4), HasSubstr("custom_call_target=\"TopK\""));
  EXPECT_THAT(largest("[64,16]", "[64,2]", 2), HasSubstr("sort("));
  EXPECT_THAT(largest("[64,256]", "[64,128]", 128), HasSubstr("sort("));
  EXPECT_THAT(largest("[64,4096]", "[64,128]", 128), HasSubstr("sort("));
  EXPECT_THAT(largest("[4096]", "[8]", 8), HasSubstr("sort("));
}

// The compiler's own text of jnp.cumsum(x, 0).
TEST(PrefixSumTest, OnTpusInRowsOf128) {
  const std::string window =
      "  x = f32[1024,16] parameter(0)\n"
      "  z = f32[] constant(0)\n"
      "  ROOT w = f32[1024,16] reduce-window(x, z), window={size=1024x1 pad=1023_0x0_0}, "
      "to_apply=sum\n";
  EXPECT_EQ(Simplified(window, kSum, "tpu-v5e:2x4"),
            "  transpose = f32[16,1024]{1,0} transpose(x), dimensions={1,0}\n"
            "  reshape = f32[16,8,128]{2,1,0} reshape(transpose)\n"
            "  z = f32[] constant(0)\n"
            "  w.1 = f32[16,8,128]{2,1,0} reduce-window(reshape, z), window={size=1x1x128 "
            "pad=0_0x0_0x127_0}, to_apply=sum\n"
            "  slice = f32[16,8,1]{2,1,0} slice(w.1), slice={[0:16], [0:8], [127:128]}\n"
            "  reshape.1 = f32[16,8]{1,0} reshape(slice)\n"
            "  w.2 = f32[16,9]{1,0} reduce-window(reshape.1, z), window={size=1x8 pad=0_0x8_0}, "
            "to_apply=sum\n"
            "  slice.1 = f32[16,8]{1,0} slice(w.2), slice={[0:16], [0:8]}\n"
            "  broadcast = f32[16,8,128]{2,1,0} broadcast(slice.1), dimensions={0,1}\n"
            "  prefix-sum = f32[16,8,128]{2,1,0} add(w.1, broadcast)\n"
            "  reshape.2 = f32[16,1024]{1,0} reshape(prefix-sum)\n"
            "  ROOT transpose.1 = f32[1024,16]{1,0} transpose(reshape.2), dimensions={1,0}\n");
  EXPECT_THAT(Simplified(window, kSum), HasSubstr("reduce-window(x, z)"));
  EXPECT_THAT(Simplified("  x = f32[128] parameter(0)\n"
                         "  z = f32[] constant(0)\n"
                         "  ROOT w = f32[128] reduce-window(x, z), window={size=128 pad=127_0}, "
                         "to_apply=sum\n",
                         kSum, "tpu-v5e:2x4"),
              HasSubstr("reduce-window(x, z)"));
}

// One-hot vectors; of what moves, only the numbers of the rows are there in memory.
TEST(RearrangedTreeTest, OnTpusLeavesMove) {
  const std::string hot =
      "  x = s32[16,256,2] parameter(0)\n"
      "  b = s32[16,256,2,8] broadcast(x), dimensions={0,1,2}\n"
      "  i = s32[16,256,2,8] iota(), iota_dimension=3\n"
      "  c = pred[16,256,2,8] compare(b, i), direction=EQ\n"
      "  h = f32[16,256,2,8] convert(c)\n";
  const std::string moved = Simplified(
      hot + "  ROOT t = f32[16,256,8,2] transpose(h), dimensions={0,1,3,2}\n", "", "tpu-v5e:2x4");
  EXPECT_THAT(moved, HasSubstr("s32[16,256,8,2]{3,2,1,0} broadcast(x), dimensions={0,1,3}\n"));
  EXPECT_THAT(moved, HasSubstr("iota(), iota_dimension=2\n"));
  EXPECT_THAT(moved, Not(HasSubstr("transpose(")));
  const std::string flat =
      Simplified(hot + "  ROOT r = f32[16,512,8] reshape(h)\n", "", "tpu-v5e:2x4");
  EXPECT_THAT(flat, HasSubstr("s32[16,512]{1,0} reshape(x)\n"));
  EXPECT_THAT(flat, HasSubstr("broadcast(reshape), dimensions={0,1}\n"));
  EXPECT_THAT(flat, HasSubstr("f32[16,512,8]{2,1,0} convert("));
  EXPECT_THAT(Simplified(hot + "  ROOT r = f32[16,256,16] reshape(h)\n", "", "tpu-v5e:2x4"),
              HasSubstr("reshape(h)"));
  EXPECT_THAT(Simplified(hot + "  ROOT r = f32[16,512,8] reshape(h)\n"), HasSubstr("reshape(h)"));
}

// The product with a table that lies transposed, and its gradient.
TEST(DotTest, OnTpusTransposesGoIntoIt) {
  const std::string tied =
      "  w = f32[1024,256] parameter(0)\n"
      "  x = bf16[16,128,256] parameter(1)\n"
      "  t = f32[256,1024] transpose(w), dimensions={1,0}\n"
      "  c = bf16[256,1024] convert(t)\n"
      "  ROOT d = bf16[16,128,1024] dot(x, c), lhs_contracting_dims={2}, "
      "rhs_contracting_dims={0}\n";
  EXPECT_EQ(Simplified(tied, "", "tpu-v5e:2x4"),
            "  convert = bf16[1024,256]{1,0} convert(w)\n"
            "  ROOT d.1 = bf16[16,128,1024]{2,1,0} dot(x, convert), lhs_contracting_dims={2}, "
            "rhs_contracting_dims={1}\n");
  EXPECT_THAT(Simplified(tied), HasSubstr("dot(x, t.1)"));
  EXPECT_EQ(Simplified("  x = bf16[16,128,256] parameter(0)\n"
                       "  g = bf16[16,128,4,64] parameter(1)\n"
                       "  d = bf16[4,64,256] dot(g, x), lhs_contracting_dims={0,1}, "
                       "rhs_contracting_dims={0,1}\n"
                       "  ROOT t = bf16[256,4,64] transpose(d), dimensions={2,0,1}\n",
                       "", "tpu-v5e:2x4"),
            "  ROOT d.1 = bf16[256,4,64]{2,1,0} dot(x, g), lhs_contracting_dims={0,1}, "
            "rhs_contracting_dims={0,1}\n");
}

TEST(ReshapeMoverTest, AfterWhatIsElementWise) {
  const std::string reshaped =
      "  x = f32[8,1,4] parameter(0)\n"
      "  r = f32[8,4] reshape(x)\n"
      "  c = f32[] constant(2)\n"
      "  b = f32[8,4] broadcast(c), dimensions={}\n"
      "  m = f32[8,4] multiply(r, b)\n";
  const std::string moved = Simplified(reshaped + "  ROOT n = f32[8,4] negate(m)\n");
  EXPECT_THAT(moved, HasSubstr("f32[8,1,4]{2,1,0} multiply(x, "));
  EXPECT_THAT(moved, HasSubstr("f32[8,1,4]{2,1,0} negate("));
  EXPECT_THAT(Simplified(reshaped + "  ROOT t = (f32[8,4], f32[8,4]) tuple(r, m)\n"),
              HasSubstr("f32[8,4]{1,0} multiply(r, b)"));
}

// rsqrt of a mean, which the backward pass reads, too.
TEST(ReshapeMoverTest, OnTpusOnesGoWhoeverElseReadsThem) {
  const std::string text =
      "  x = f32[8] parameter(0)\n  r = f32[8,1] reshape(x)\n  n = f32[8,1] rsqrt(r)\n"
      "  ROOT t = (f32[8,1], f32[8,1]) tuple(r, n)\n";
  EXPECT_THAT(Simplified(text, "", kTpu), HasSubstr("f32[8]{0} rsqrt(x)"));
  EXPECT_THAT(Simplified(text), HasSubstr("f32[8,1]{1,0} rsqrt(r)"));
}

// Its two branches, of s32[8]: f doubles, g does `more`.
std::string Branched(const std::string& index, const std::string& more, const std::string& target) {
  const std::string branches =
      "f {\n  p = (s32[8]) parameter(0)\n  a = s32[8] get-tuple-element(p), index=0\n"
      "  t = s32[8] add(a, a)\n  ROOT r = (s32[8]) tuple(t)\n}\n"
      "g {\n  q = (s32[8]) parameter(0)\n" +
      more + "}\n";
  return Simplified(absl::StrCat("  x = s32[8] parameter(0)\n", index,
                                 "  of_x = (s32[8]) tuple(x)\n"
                                 "  c = (s32[8]) conditional(i, of_x, of_x), "
                                 "branch_computations={f, g}\n"
                                 "  ROOT y = s32[8] get-tuple-element(c), index=0\n"),
                    branches, target);
}

constexpr char kElement[] = "  b = s32[8] get-tuple-element(q), index=0\n";

TEST(ConditionalTest, OfAKnownBranchIsThatBranch) {
  const std::string more = absl::StrCat(kElement,
                                        "  s = s32[8] reverse(b), dimensions={0}\n"
                                        "  ROOT u = (s32[8]) tuple(s)\n");
  for (const std::string target : {"h100:8", "tpu-v5e:2x4"}) {
    EXPECT_EQ(Branched("  i = s32[] constant(0)\n", more, target),
              "  ROOT t.1 = s32[8]{0} add(x, x)\n");
    for (const std::string number : {"1", "2", "-1"}) {
      EXPECT_EQ(Branched(absl::StrCat("  i = s32[] constant(", number, ")\n"), more, target),
                "  ROOT s.1 = s32[8]{0} reverse(x), dimensions={0}\n");
    }
  }
}

TEST(ConditionalTest, OfTwoCheapBranchesIsASelect) {
  const std::string of_truth = "  p = pred[] parameter(1)\n  i = s32[] convert(p)\n";
  const std::string cheap = absl::StrCat(kElement,
                                         "  n = s32[8] negate(b)\n"
                                         "  ROOT u = (s32[8]) tuple(n)\n");
  EXPECT_THAT(Branched(of_truth, cheap, "h100:8"), HasSubstr("select(broadcast, n.1, t.1)"));
  EXPECT_THAT(Branched(of_truth, cheap, "tpu-v5e:2x4"), HasSubstr("conditional("));
  EXPECT_THAT(Branched("  i = s32[] parameter(1)\n", cheap, "h100:8"), HasSubstr("conditional("));
  const std::string moved = absl::StrCat(kElement,
                                         "  n = s32[8] reverse(b), dimensions={0}\n"
                                         "  ROOT u = (s32[8]) tuple(n)\n");
  EXPECT_THAT(Branched(of_truth, moved, "h100:8"), HasSubstr("conditional("));
  const std::string given_back = absl::StrCat(kElement, "  ROOT u = (s32[8]) tuple(b)\n");
  EXPECT_THAT(Branched(of_truth, given_back, "h100:8"), HasSubstr("conditional("));
  const std::string effect =
      absl::StrCat(kElement,
                   "  n = s32[8] custom-call(b), custom_call_target=\"log\", "
                   "custom_call_has_side_effect=true\n"
                   "  ROOT u = (s32[8]) tuple(n)\n");
  EXPECT_THAT(Branched("  i = s32[] constant(1)\n", effect, "h100:8"), HasSubstr("conditional("));
}

// An instruction with the user's annotation stays.
TEST(SimplifierTest, AnnotatedInstructionsStay) {
  EXPECT_THAT(Simplified("  x = f32[8,4] parameter(0)\n"
                         "  r = f32[32] reshape(x), sharding={devices=[8]<=[8]}\n"
                         "  ROOT s = f32[8,4] reshape(r), sharding={devices=[8,1]<=[8]}\n"),
              HasSubstr("s = f32[8,4]{1,0} reshape(r)"));
}

TEST(SimplifierTest, MetadataIsThatOfTheOldOne) {
  auto module = hlo::ParseModule(
      "HloModule m\n\nENTRY e {\n  x = f32[8,1] parameter(0)\n  ROOT b = f32[8,1,16] broadcast(x), "
      "dimensions={0,1}, metadata={op_name=\"spread\"}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  Context context(*std::move(module), *ParseTarget("h100:8"), XlaFlags());
  ASSERT_TRUE(SimplifyForShardy(context).ok());
  const hlo::Module after = std::move(context.program).Release();
  EXPECT_EQ(after.entry().instructions.size(), 3);
  for (const InstructionId id : after.entry().instructions) {
    const bool is_made = after.instruction(id).opcode != Opcode::kParameter;
    EXPECT_EQ(hlo::GetOpName(after, id), is_made ? "spread" : "") << id;
  }
}

}  // namespace
}  // namespace tessera::target
