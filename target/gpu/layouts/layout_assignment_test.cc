// Expected modules are what XLA's GPU compiler (jax-cuda12-plugin 0.12.0.1) has after layout_normalization,
// up to bitcasts that change nothing.

#include "tessera/target/gpu/layouts/layout_assignment.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

// The transposes of data that are left, without names of operands.
std::vector<std::string> TransposesIn(const std::string& text) {
  std::vector<std::string> found;
  for (const absl::string_view line : absl::StrSplit(After(AssignLayouts, text), '\n')) {
    if (!absl::StrContains(line, " transpose(")) continue;
    const size_t shape = line.find("= ") + 2;
    found.push_back(std::string(line.substr(shape, line.find('{', shape) - shape)) +
                    std::string(line.substr(line.rfind(' '))));
  }
  return found;
}

// A product has three readers. Two of them ask for orders, once in each order of the text.
TEST(LayoutAssignmentTest, TheOrderOfTheTextDoesNotCount) {
  const auto moved = [](const char* first, const char* last) {
    return TransposesIn(absl::Substitute(
        "ENTRY e {\n"
        "  x = f32[64,32] parameter(0)\n  y = f32[32,48] parameter(1)\n"
        "  q = f32[4,12,64] parameter(2)\n"
        "  d = f32[64,48] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  r = f32[64,4,12] reshape(d)\n  t = f32[4,12,64] transpose(r), dimensions={1,2,0}\n"
        "$0$1"
        "  e = f32[4,12,64] exponential(t)\n$2"
        "  a = f32[4,12,64] all-to-all(n), channel_id=1, dimensions={1}, "
        "replica_groups={{0,1,2,3},{4,5,6,7}}\n"
        "  g = f32[4,48,64] all-gather(m), channel_id=2, dimensions={1}, "
        "replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true\n"
        "  o = f32[4,12,64] all-to-all(e), channel_id=3, dimensions={2}, "
        "replica_groups={{0,1,2,3},{4,5,6,7}}\n"
        "  ROOT z = (f32[4,12,64], f32[4,48,64], f32[4,12,64]) tuple(a, g, o)\n}\n",
        first, "  m = f32[4,12,64] multiply(t, q)\n", last));
  };
  const char* const negate = "  n = f32[4,12,64] negate(t)\n";
  EXPECT_THAT(moved("", negate), UnorderedElementsAreArray(moved(negate, "")));
}

// Both operands have their batch in front, and lie row-major.
TEST(LayoutAssignmentTest, OperandsOfABatchedProductAreMoved) {
  EXPECT_THAT(
      TransposesIn("ENTRY e {\n"
                   "  q = f32[8,64,4,32] parameter(0)\n"
                   "  k = f32[8,64,4,32] parameter(1)\n"
                   "  s = f32[8,4,64,32] transpose(q), dimensions={0,2,1,3}\n"
                   "  t = f32[8,4,32,64] transpose(k), dimensions={0,2,3,1}\n"
                   "  ROOT d = f32[8,4,64,64] dot(s, t), lhs_batch_dims={0,1}, "
                   "rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
                   "rhs_contracting_dims={2}\n"
                   "}\n"),
      ElementsAre("f32[8,4,64,32] dimensions={0,2,1,3}", "f32[8,4,32,64] dimensions={0,2,3,1}"));
}

// A product reads each operand in both orders: nothing moves.
TEST(LayoutAssignmentTest, ATransposeThatAProductReadsIsFree) {
  const std::string text = After(AssignLayouts,
                                 "ENTRY e {\n"
                                 "  x = f32[64,32] parameter(0)\n"
                                 "  w = f32[16,32] parameter(1)\n"
                                 "  t = f32[32,16] transpose(w), dimensions={1,0}\n"
                                 "  ROOT d = f32[64,16] dot(x, t), lhs_contracting_dims={1}, "
                                 "rhs_contracting_dims={0}\n"
                                 "}\n");
  EXPECT_THAT(text, HasSubstr("f32[32,16]{0,1} bitcast(w)"));
}

constexpr char kLoop[] =
    "cond {\n"
    "  p = (s32[], f32[64,32], f32[32,64]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  n = s32[] constant(10)\n"
    "  ROOT lt = pred[] compare(i, n), direction=LT\n"
    "}\n"
    "body {\n"
    "  p = (s32[], f32[64,32], f32[32,64]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  x = f32[64,32] get-tuple-element(p), index=1\n"
    "  w = f32[32,64] get-tuple-element(p), index=2\n"
    "  one = s32[] constant(1)\n"
    "  j = s32[] add(i, one)\n"
    "  s = f32[64,32] sine(x)\n"
    "  t = f32[32,64] transpose(s), dimensions={1,0}\n"
    "  u = f32[32,64] add(t, w)\n"
    "  v = f32[64,32] transpose(u), dimensions={1,0}\n"
    "  ROOT r = (s32[], f32[64,32], f32[32,64]) tuple(j, v, u)\n"
    "}\n";

// The body moves nothing: what it carries has the order of its sine.
TEST(LayoutAssignmentTest, ALoopCarriesWhatItsBodyLeaves) {
  const std::string entry =
      "ENTRY e {\n"
      "  x = f32[64,32] parameter(0)\n"
      "  w = f32[32,64] parameter(1)\n"
      "  z = s32[] constant(0)\n"
      "  init = (s32[], f32[64,32], f32[32,64]) tuple(z, x, w)\n"
      "  l = (s32[], f32[64,32], f32[32,64]) while(init), condition=cond, body=body\n"
      "  ROOT o = f32[64,32] get-tuple-element(l), index=1\n"
      "}\n";
  EXPECT_THAT(TransposesIn(kLoop + entry), ElementsAre("f32[64,32] dimensions={1,0}"));
}

// As above, with the carry of the loop as a parameter and as the result: both are row-major.
TEST(LayoutAssignmentTest, TuplesThatAreTakenAndGivenAreMoved) {
  const std::string entry =
      "ENTRY e {\n"
      "  p = (s32[], f32[64,32], f32[32,64]) parameter(0)\n"
      "  ROOT l = (s32[], f32[64,32], f32[32,64]) while(p), condition=cond, body=body\n"
      "}\n";
  EXPECT_THAT(TransposesIn(kLoop + entry),
              ElementsAre("f32[32,64] dimensions={1,0}", "f32[64,32] dimensions={1,0}"));
}

// An array that is the result has rows, as a tuple's have.
TEST(LayoutAssignmentTest, AResultOfACollectiveIsMoved) {
  EXPECT_THAT(TransposesIn("ENTRY e {\n"
                           "  x = f32[16,8] parameter(0)\n"
                           "  ROOT g = f32[16,64] all-gather(x), dimensions={1}, "
                           "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                           "}\n"),
              ElementsAre("f32[8,16] dimensions={1,0}", "f32[16,64] dimensions={1,0}"));
}

// The convolution writes the order that the transpose asks for, and the product another one.
// The reduction reads columns and writes rows: its own dimensions are those of the columns.
TEST(LayoutAssignmentTest, AReductionWritesInTheOrderOfItsReader) {
  const std::string text =
      After(AssignLayouts,
            "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n"
            "ENTRY e {\n"
            "  x = s32[3,4,1] parameter(0)\n"
            "  g = s32[3,4,4] all-gather(x), replica_groups=[1,4]<=[4], dimensions={2}, "
            "channel_id=1, use_global_device_ids=true\n"
            "  z = s32[] constant(0)\n"
            "  ROOT r = s32[3,4] reduce(g, z), dimensions={1}, to_apply=add\n"
            "}\n");
  EXPECT_THAT(text, HasSubstr("g = s32[3,4,4]{1,0,2} all-gather(x)"));
  EXPECT_THAT(text, HasSubstr("s32[4,3]{0,1} reduce("));
  EXPECT_THAT(text, HasSubstr("s32[3,4]{1,0} bitcast("));
}

TEST(LayoutAssignmentTest, ATransposeThatMovesNothingIsItsOperand) {
  const std::string after = After(
      AssignLayouts,
      "ENTRY e {\n"
      "  x = f32[2,6,16,8] parameter(0)\n  k = f32[3,3,8,72] parameter(1)\n"
      "  r = f32[4,72,16] parameter(2)\n"
      "  c = f32[2,4,14,72] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f\n"
      "  t = f32[4,2,14,72] transpose(c), dimensions={1,0,2,3}\n"
      "  m = f32[4,28,72] reshape(t)\n"
      "  ROOT d = f32[4,28,16] dot(m, r), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={1}\n}\n");
  EXPECT_THAT(after, testing::HasSubstr("c.1 = f32[2,4,14,72]"));
  EXPECT_THAT(after,
              testing::Not(testing::HasSubstr("\n   = ")));  // an instruction that was removed
}

TEST(LayoutAssignmentTest, AReshapeOfAFreeTransposeMoves) {
  EXPECT_THAT(TransposesIn("ENTRY e {\n"
                           "  x = f32[64,128] parameter(0)\n"
                           "  t = f32[128,64] transpose(x), dimensions={1,0}\n"
                           "  s = f32[128,64] sine(t)\n"
                           "  ROOT r = f32[8192] reshape(s)\n"
                           "}\n"),
              ElementsAre("f32[128,64] dimensions={1,0}"));
}

TEST(LayoutAssignmentTest, AProductOf8BitIntegersReadsRows) {
  EXPECT_THAT(TransposesIn("ENTRY e {\n"
                           "  x = s8[64,128] parameter(0)\n"
                           "  w = s8[128,32] parameter(1)\n"
                           "  ROOT d = s32[64,32] dot(x, w), lhs_contracting_dims={1}, "
                           "rhs_contracting_dims={0}\n"
                           "}\n"),
              ElementsAre("s8[32,128] dimensions={1,0}"));
}

constexpr char kCustomCall[] =
    "ENTRY e {\n"
    "  x = f32[64,128] parameter(0)\n"
    "  t = f32[128,64] transpose(x), dimensions={1,0}\n"
    "  s = f32[128,64] sine(t)\n"
    "  c = f32[64,128] custom-call(s), custom_call_target=\"Foreign\"$0\n"
    "  u = f32[128,64] transpose(c), dimensions={1,0}\n"
    "  ROOT o = f32[128,64] cosine(u)\n"
    "}\n";

TEST(LayoutAssignmentTest, ACustomCallThatSaysLayoutsHasRows) {
  EXPECT_THAT(TransposesIn(absl::Substitute(kCustomCall, "")), IsEmpty());
  EXPECT_THAT(TransposesIn(
                  absl::Substitute(kCustomCall, ", operand_layout_constraints={f32[128,64]{1,0}}")),
              ElementsAre("f32[128,64] dimensions={1,0}", "f32[128,64] dimensions={1,0}"));
}

// The operand of a collective over dimension 1 lies in columns.
TEST(LayoutAssignmentTest, AMoveGoesAfterAnOperationOnCells) {
  const std::string text = After(AssignLayouts,
                                 "ENTRY e {\n"
                                 "  x = f32[16,8] parameter(0)\n"
                                 "  n = f32[16,8] exponential(x)\n"
                                 "  ROOT g = f32[16,64] all-gather(n), dimensions={1}, "
                                 "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                                 "}\n");
  EXPECT_THAT(text, HasSubstr("f32[16,8]{1,0} exponential(x)"));
  EXPECT_THAT(text, HasSubstr("f32[8,16]{1,0} transpose("));
}

// An array in columns is worked on with its dimensions exchanged.
TEST(LayoutAssignmentTest, OperationsHaveTheirDimensionsAsTheyLie) {
  const std::string text = After(AssignLayouts,
                                 "ENTRY e {\n"
                                 "  x = f32[16,8] parameter(0)\n"
                                 "  b = f32[16] parameter(1)\n"
                                 "  z = f32[] constant(0)\n"
                                 "  g = f32[16,64] all-gather(x), dimensions={1}, "
                                 "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                                 "  s = f32[16,40] slice(g), slice={[0:16], [8:48]}\n"
                                 "  p = f32[16,41] pad(s, z), padding=0_0x1_0\n"
                                 "  c = f32[16,41] broadcast(b), dimensions={0}\n"
                                 "  m = f32[16,41] multiply(p, c)\n"
                                 "  ROOT r = f32[16,82] concatenate(m, m), dimensions={1}\n"
                                 "}\n");
  EXPECT_THAT(text, HasSubstr("slice={[8:48], [0:16]}"));
  EXPECT_THAT(text, HasSubstr("padding=1_0x0_0"));
  EXPECT_THAT(text, HasSubstr("f32[41,16]{1,0} broadcast(b), dimensions={1}"));
  EXPECT_THAT(text, HasSubstr("f32[82,16]{1,0} concatenate("));
}

// Passes know an all-reduce by its instruction: it stays.
TEST(LayoutAssignmentTest, AnAllReduceStaysTheInstructionThatItIs) {
  const std::string text = After(AssignLayouts,
                                 "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                                 "  ROOT s = f32[] add(a, b)\n}\n"
                                 "ENTRY e {\n"
                                 "  x = f32[16,8] parameter(0)\n"
                                 "  g = f32[16,64] all-gather(x), dimensions={1}, "
                                 "replica_groups={{0,1,2,3,4,5,6,7}}\n"
                                 "  r = f32[16,64] all-reduce(g), "
                                 "replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=sum\n"
                                 "  ROOT n = f32[16,64] exponential(r)\n"
                                 "}\n");
  EXPECT_THAT(text, HasSubstr("  r = f32[64,16]{1,0} all-reduce("));
}

// A U-Net after conv-rewriter. Both directions read one transpose of the filter, and the gradient of the filter keeps
// the layout of its convolution.
TEST(LayoutAssignmentTest, ConvolutionsHaveTheLayoutsOfCudnn) {
  const std::string text = After(
      AssignLayouts,
      "ENTRY e {\n"
      "  x = bf16[16,64,64,64] parameter(0)\n"
      "  w = bf16[3,3,64,128] parameter(1)\n"
      "  d = bf16[16,64,64,128] parameter(2)\n"
      "  y = bf16[16,64,64,128] convolution(x, w), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f\n"
      "  b = bf16[16,64,64,64] convolution(d, w), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, "
      "dim_labels=b01f_01oi->b01f, backend_config=\"__cudnn$convBackwardInput\"\n"
      "  g = bf16[3,3,64,128] convolution(x, d), window={size=64x64 pad=1_1x1_1}, "
      "dim_labels=f01b_i01o->01bf\n"
      "  ROOT t = (bf16[16,64,64,128], bf16[16,64,64,64], bf16[3,3,64,128]) tuple(y, b, g)\n"
      "}\n");
  EXPECT_THAT(text, HasSubstr("bf16[128,3,3,64]{3,2,1,0} transpose(w), dimensions={3,0,1,2}"));
  EXPECT_THAT(text, HasSubstr("dim_labels=b01f_o01i->b01f"));
  EXPECT_THAT(text, HasSubstr("dim_labels=b01f_i01o->b01f"));
  EXPECT_THAT(text, HasSubstr("dim_labels=f01b_i01o->f01b"));
}

// XLA writes one of one element in its own form, too: a bitcast stands before it, and the conversion can join others.
TEST(LayoutAssignmentTest, AFilterOfOneElementIsABitcast) {
  EXPECT_THAT(After(AssignLayouts,
                    "ENTRY e {\n"
                    "  d = bf16[16,64,64,3] parameter(0)\n"
                    "  w = bf16[1,1,64,3] parameter(1)\n"
                    "  ROOT b = bf16[16,64,64,64] convolution(d, w), window={size=1x1}, "
                    "dim_labels=b01f_01oi->b01f\n"
                    "}\n"),
              HasSubstr("bf16[64,1,1,3]{3,2,1,0} bitcast(w)"));
}

// Nothing to move, and nothing to stumble over.
TEST(LayoutAssignmentTest, TuplesTokensScalarsAndEmptyArrays) {
  EXPECT_THAT(TransposesIn("ENTRY e {\n"
                           "  p = (f32[64,128], (f32[0,4], f32[16,32])) parameter(0)\n"
                           "  q = (f32[0,4], f32[16,32]) get-tuple-element(p), index=1\n"
                           "  x = f32[16,32] get-tuple-element(q), index=1\n"
                           "  y = f32[0,4] get-tuple-element(q), index=0\n"
                           "  b = f32[512] bitcast(x)\n"
                           "  n = f32[0] reshape(y)\n"
                           "  k = token[] after-all()\n"
                           "  o = token[] outfeed(x, k), outfeed_shape=f32[16,32]{1,0}\n"
                           "  c = (f32[16,32], f32[16,32], u32[]) copy-start(x)\n"
                           "  s = f32[16,32] copy-done(c)\n"
                           "  m = (f32[16,32], token[]) tuple(s, o)\n"
                           "  ROOT r = (f32[512], f32[0], (f32[16,32], token[])) tuple(b, n, m)\n"
                           "}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace tessera::target
