#include "tessera/target/fusion/kept_values.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> KeptIn(const std::string& text, const Chip& chip = {}) {
  const auto module = hlo::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  std::vector<int64_t> bytes;
  for (const Value& value : flow->values) {
    const bool is_wide = value.shape->element_type() == layout::ElementType::kF32;
    bytes.push_back(*value.shape->NumElements() * (is_wide ? 4 : 2));
  }
  const KeptValues kept = FindKeptValues(*flow, bytes, chip);
  std::vector<std::string> names;
  for (ValueId v = 0; v < kept.is_kept.size(); ++v) {
    if (kept.is_kept[v] && flow->values[v].node != kNone)
      names.emplace_back(module->instruction(flow->NodeOf(v)->instruction).name);
  }
  return names;
}

// `name` = x @ y.
std::string Dot(const std::string& name, const std::string& x, const std::string& y) {
  return absl::StrCat("  ", name, " = bf16[128,128] dot(", x, ", ", y,
                      "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
}

// A softmax p of exponentials e, and much later a backward pass. That reads e, runs `between` more products, and reads
// p.
std::string Softmax(int between) {
  std::string text = absl::StrCat(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  z = f32[] constant(0)\n",
      Dot("s", "x", "x"), "  w = f32[128,128] convert(s)\n",
      "  l = f32[128,128] reduce-window(w, z), window={size=1x255 pad=0_0x127_127}, to_apply=sum\n",
      "  n = f32[128,128] subtract(w, l)\n  e = f32[128,128] exponential(n)\n",
      "  r = f32[128] reduce(e, z), dimensions={1}, to_apply=sum\n"
      "  q = f32[128,128] broadcast(r), dimensions={0}\n  d = f32[128,128] divide(e, q)\n"
      "  p = bf16[128,128] convert(d)\n",
      Dot("h0", "p", "x"));
  int last = 0;
  const auto add = [&](int count) {
    for (int k = 0; k < count; ++k, ++last) {
      absl::StrAppend(&text, Dot(absl::StrCat("h", last + 1), absl::StrCat("h", last), "x"));
    }
  };
  add(8);
  absl::StrAppend(&text, "  f = bf16[128,128] convert(e)\n  m = bf16[128,128] multiply(f, h8)\n",
                  Dot("t", "m", "x"));
  add(between);
  return absl::StrCat(text, Dot("v", "p", absl::StrCat("h", last)), Dot("u", "t", "v"),
                      "  ROOT o = bf16[128,128] negate(u)\n}\n");
}

// The slice `s` is a part of the logits `d`. Three instructions read it as float32.
std::string SlicedLogits(const std::string& s) {
  return absl::StrCat(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  z = f32[] constant(0)\n",
      Dot("d", "x", "x"), "  s = bf16[", s, "\n",
      "  w = f32[127,128] convert(s)\n  m = f32[127] reduce(w, z), dimensions={1}, to_apply=sum\n"
      "  b = f32[127,128] broadcast(m), dimensions={0}\n  n = f32[127,128] subtract(w, b)\n"
      "  ROOT t = (f32[127,128], f32[127,128]) tuple(w, n)\n}\n");
}

// The kernel of a product writes a slice of it, in the narrower type.
TEST(KeptValuesTest, ASliceIsPartOfItsProduct) {
  EXPECT_THAT(KeptIn(SlicedLogits("127,128] slice(d), slice={[0:127], [0:128]}")),
              AllOf(Contains("s"), Not(Contains("d"))));
}

// The compiler of TPUs keeps the float32 exponentials for the backward pass, and no softmax beside them.
TEST(KeptValuesTest, ASoftmaxIsComputedAnewFromExponentialsThatStay) {
  EXPECT_THAT(KeptIn(Softmax(1)), Contains("e"));
  EXPECT_THAT(KeptIn(Softmax(1)), Not(Contains("p")));
  EXPECT_THAT(KeptIn(Softmax(6)), Contains("p"));
}

// Scores w of one head, as float32 of the product s, and their exponentials e.
std::string Scores(int64_t row) {
  return absl::StrReplaceAll(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = bf16[ROW,128] parameter(0)\n  y = bf16[128,ROW] parameter(1)\n"
      "  z = f32[] constant(0)\n  s = bf16[ROW,ROW] dot(x, y), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n  w = f32[ROW,ROW] convert(s)\n"
      "  l = f32[ROW,ROW] reduce-window(w, z), window={size=1xSIZE pad=0_0xPAD_PAD}, "
      "to_apply=sum\n  n = f32[ROW,ROW] subtract(w, l)\n  e = f32[ROW,ROW] exponential(n)\n"
      "  r = f32[ROW] reduce(e, z), dimensions={1}, to_apply=sum\n"
      "  q = f32[ROW,ROW] broadcast(r), dimensions={0}\n  ROOT d = f32[ROW,ROW] divide(e, q)\n}\n",
      {{"ROW", absl::StrCat(row)},
       {"SIZE", absl::StrCat(2 * row - 1)},
       {"PAD", absl::StrCat(row - 1)}});
}

// As compilers of v5e, v5p and v6e do in grouped attention without a backward pass: one kernel computes short rows and
// their exponentials. Of long rows the product writes the float32 scores that the window and the exponentials read, but
// on v6e.
TEST(KeptValuesTest, ScoresOfShortRowsAreInNoMemory) {
  EXPECT_THAT(KeptIn(Scores(1024)), AllOf(Contains("e"), Not(Contains("s")), Not(Contains("w"))));
  EXPECT_THAT(KeptIn(Scores(2048)), AllOf(Contains("e"), Contains("w"), Not(Contains("s"))));
  EXPECT_THAT(KeptIn(Scores(2048), *ParseTarget("tpu-v6e:2x4")->chip),
              AllOf(Contains("e"), Not(Contains("w")), Not(Contains("s"))));
}

// The kernel of the exponentials writes them beside their sums, also where these are a window, as where no backward
// pass reads them.
TEST(KeptValuesTest, ExponentialsThatAWindowSumsAreInMemory) {
  const std::string text = absl::StrReplaceAll(
      Scores(1024), {{"r = f32[1024] reduce(e, z), dimensions={1}, to_apply=sum",
                      "q = f32[1024,1024] reduce-window(e, z), "
                      "window={size=1x2047 pad=0_0x1023_1023}, to_apply=sum"},
                     {"  q = f32[1024,1024] broadcast(r), dimensions={0}\n", ""}});
  EXPECT_THAT(KeptIn(text), AllOf(Contains("e"), Not(Contains("s"))));
}

// A gradient g of the scores of attention, for two products.
std::string Gradient(const std::string& type) {
  return absl::StrCat("ENTRY e {\n  x = bf16[128,128] parameter(0)\n  y = ", type,
                      "[128,128] parameter(1)\n  z = ", type,
                      "[128,128] parameter(2)\n  g = ", type, "[128,128] multiply(y, z)\n",
                      Dot("a", "g", "x"), Dot("b", "x", "g"),
                      "  ROOT o = bf16[128,128] add(a, b)\n}\n");
}

// As compilers of v5e, v5p and v6e do: products narrow a float32 operand anyway, and make it on the way.
TEST(KeptValuesTest, AFloat32OperandOfProductsIsComputedAnew) {
  EXPECT_THAT(KeptIn(Gradient("f32")), Not(Contains("g")));
  EXPECT_THAT(KeptIn(Gradient("bf16")), Contains("g"));
}

// What two products read, g, is computed of two arrays that `made` names.
TEST(KeptValuesTest, WhatCollectivesLeaveIsComputedAnewForTwoProducts) {
  const auto gated = [](const std::string& made) {
    return absl::StrCat(
        "sum {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT c = bf16[] add(a, "
        "b)\n}\n"
        "ENTRY e {\n  x = bf16[128,128] parameter(0)\n",
        Dot("p", "x", "x"), "  s = bf16[128,128] all-reduce(p), replica_groups={}, to_apply=sum\n",
        Dot("q", "s", "x"),
        "  r = bf16[128,128] all-reduce(q), replica_groups={}, to_apply=sum\n  n = bf16[128,128] "
        "tanh(",
        made, ")\n  g = bf16[128,128] multiply(n, s)\n", Dot("t", "g", "x"), Dot("u", "x", "g"),
        "  ROOT o = bf16[128,128] add(t, u)\n}\n");
  };
  EXPECT_THAT(KeptIn(gated("r")), AllOf(Contains("s"), Contains("r"), Not(Contains("g"))));
  EXPECT_THAT(KeptIn(gated("q")), Contains("g"));
}

// The gradient of logits: the bias reads its sum, weights and inputs read it in products. The compiler of v5e
// (libtpu 0.0.50.1) has only the logits in memory, of either type.
TEST(KeptValuesTest, AnOperandOfProductsAndASumIsComputedAnew) {
  const auto kept = [](const std::string& type) {
    return KeptIn(absl::StrReplaceAll(
        absl::StrCat("sum {\n  a = TYPE[] parameter(0)\n  b = TYPE[] parameter(1)\n  ROOT c = "
                     "TYPE[] add(a, b)\n}\n"
                     "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  y = TYPE[128,128] "
                     "parameter(1)\n  z = TYPE[] constant(0)\n  g = TYPE[128,128] "
                     "exponential(y)\n  r = TYPE[128] reduce(g, z), dimensions={0}, to_apply=sum\n",
                     Dot("a", "g", "x"), Dot("b", "x", "g"),
                     "  ROOT t = (TYPE[128], bf16[128,128], bf16[128,128]) tuple(r, a, b)\n}\n"),
        {{"TYPE", type}}));
  };
  EXPECT_THAT(kept("f32"), Not(Contains("g")));
  EXPECT_THAT(kept("bf16"), Not(Contains("g")));
}

// The compiler of v5p keeps the softmax of an attention for the backward pass, those of v5e and v6e do not.
TEST(KeptValuesTest, AQuotientStaysForProductsOnSomeChips) {
  EXPECT_THAT(KeptIn(Softmax(1), *ParseTarget("tpu-v5p:2x2x2")->chip), Contains("p"));
  EXPECT_THAT(KeptIn(Softmax(1), *ParseTarget("tpu-v5e:2x4")->chip), Not(Contains("p")));
}

// A relu r of a product s, for two products soon.
std::string Relu(const std::string& last) {
  return absl::StrCat(
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n", Dot("s", "x", "x"),
      "  z = bf16[] constant(0)\n  zeros = bf16[128,128] broadcast(z), dimensions={}\n"
      "  r = bf16[128,128] maximum(s, zeros)\n",
      Dot("a", "r", "x"), Dot("b", "x", "r"),
      "  c = bf16[128,128] add(a, b)\n  ROOT o = bf16[128,128] add(c, ", last, ")\n}\n");
}

// As the compiler of v5e (libtpu 0.0.50.1) does between convolutions, where the mask of the backward pass reads s.
TEST(KeptValuesTest, AReluOfWhatStaysIsComputedAnewForTwoProducts) {
  EXPECT_THAT(KeptIn(Relu("s")), AllOf(Contains("s"), Not(Contains("r"))));
  EXPECT_THAT(KeptIn(Relu("x")), AllOf(Not(Contains("s")), Contains("r")));
}

// A sigmoid d of a product, for two products far apart: no softmax, as its divisor is no sum that a row shares.
TEST(KeptValuesTest, ASigmoidStaysOnNoChip) {
  std::string text =
      absl::StrCat("ENTRY e {\n  x = bf16[128,128] parameter(0)\n", Dot("s", "x", "x"),
                   "  e = bf16[128,128] exponential(s)\n"
                   "  d = bf16[128,128] divide(s, e)\n",
                   Dot("h0", "d", "x"));
  for (int k = 0; k < 9; ++k) {
    absl::StrAppend(&text, Dot(absl::StrCat("h", k + 1), absl::StrCat("h", k), "x"));
  }
  absl::StrAppend(&text, Dot("u", "d", "h9"), "  ROOT o = bf16[128,128] add(u, s)\n}\n");
  EXPECT_THAT(KeptIn(text, *ParseTarget("tpu-v5p:2x2x2")->chip), Not(Contains("d")));
}

// An image that a convolution reads enlarged, as the compiler of v6e writes it (libtpu 0.0.50.1); beside a relu it is
// part of the convolution.
TEST(KeptValuesTest, ARepeatedImageIsInMemory) {
  const std::string text =
      "ENTRY e {\n  x = bf16[8,16,16,64] parameter(0)\n  k = bf16[3,3,64,64] parameter(1)\n"
      "  b = bf16[8,16,16,2,64] broadcast(x), dimensions={0,1,2,4}\n"
      "  i = bf16[8,16,32,64] reshape(b)\n";
  const std::string convolution =
      "  ROOT o = bf16[8,16,32,64] convolution(i, k), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f\n}\n";
  EXPECT_THAT(KeptIn(text + convolution), Contains("b"));
  const std::string tanh = "  t = bf16[8,16,32,64] tanh(i)\n";
  EXPECT_THAT(KeptIn(text + tanh + absl::StrReplaceAll(convolution, {{"(i,", "(t,"}})),
              Not(Contains("b")));
}

// A scatter reads its updates from memory, in the order of the sorted rows.
TEST(KeptValuesTest, UpdatesOfAScatterAreInMemory) {
  EXPECT_THAT(KeptIn("sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT c = f32[] add(a, b)\n}\n"
                     "ENTRY e {\n  x = f32[1024,128] parameter(0)\n  i = s32[512,1] parameter(1)\n"
                     "  u = f32[512,128] parameter(2)\n  t = f32[512,128] tanh(u)\n"
                     "  ROOT s = f32[1024,128] scatter(x, i, t), update_window_dims={1}, "
                     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                     "index_vector_dim=1, to_apply=sum\n}\n"),
              Contains("t"));
}

// In the compiler's modules a scatter writes the zeros that it adds to itself.
TEST(KeptValuesTest, TheFillOfAScatterIsInNoMemory) {
  EXPECT_THAT(KeptIn("sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                     "  ROOT c = f32[] add(a, b)\n}\n"
                     "ENTRY e {\n  z = f32[] constant(0)\n  i = s32[512,1] parameter(0)\n"
                     "  u = f32[512,128] parameter(1)\n  b = f32[1024,128] broadcast(z), "
                     "dimensions={}\n"
                     "  ROOT s = f32[1024,128] scatter(b, i, u), update_window_dims={1}, "
                     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                     "index_vector_dim=1, to_apply=sum\n}\n"),
              Not(Contains("b")));
}

// The product m of two arrays that are small and repeated, and what `moves` make of it.
std::vector<std::string> KeptOfMoved(const std::string& moves) {
  return KeptIn(
      "ENTRY e {\n  x = bf16[8,128] parameter(0)\n  y = bf16[128] parameter(1)\n  z = bf16[] "
      "constant(0)\n"
      "  a = bf16[8,128,128] broadcast(x), dimensions={0,1}\n"
      "  b = bf16[8,128,128] broadcast(y), dimensions={2}\n"
      "  m = bf16[8,128,128] multiply(a, b)\n" +
      moves + "}\n");
}

// What the compilers of TPUs keep of an associative scan, whose levels slice with stride 2 and pad between elements.
TEST(KeptValuesTest, StridesAndInteriorPaddingReadFromMemory) {
  const auto outer = KeptOfMoved(
      "  s = bf16[4,128,128] slice(m), slice={[0:8:2], [0:128], [0:128]}\n"
      "  ROOT t = bf16[4,128,128] tanh(s)\n");
  EXPECT_THAT(outer, AllOf(Contains("m"), Not(Contains("s"))));
  const auto in_tiles = KeptOfMoved(
      "  s = bf16[8,64,128] slice(m), slice={[0:8], [0:128:2], [0:128]}\n"
      "  ROOT t = bf16[8,64,128] tanh(s)\n");
  EXPECT_THAT(in_tiles, AllOf(Contains("m"), Contains("s")));
  const auto padded = KeptOfMoved(
      "  s = bf16[15,128,128] pad(m, z), padding=0_0_1x0_0x0_0\n"
      "  ROOT t = bf16[15,128,128] tanh(s)\n");
  EXPECT_THAT(padded, AllOf(Contains("m"), Contains("s")));
}

// Of one slice XLA computes only what it takes.
TEST(KeptValuesTest, SeveralSlicesReadFromMemory) {
  const std::string first = "  s = bf16[4,128,128] slice(m), slice={[0:4], [0:128], [0:128]}\n";
  EXPECT_THAT(KeptOfMoved(first + "  ROOT t = bf16[4,128,128] tanh(s)\n"), Not(Contains("m")));
  EXPECT_THAT(
      KeptOfMoved(first + "  r = bf16[4,128,128] slice(m), slice={[4:8], [0:128], [0:128]}\n"
                          "  ROOT t = bf16[4,128,128] add(s, r)\n"),
      Contains("m"));
}

// Of the gradients of queries, keys and values, which are one sum.
TEST(KeptValuesTest, AKernelComputesOneProductOfASum) {
  const auto kept = KeptIn(absl::StrCat(
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  y = bf16[128,128] parameter(1)\n",
      Dot("a", "x", "x"), Dot("b", "x", "y"), "  s = bf16[128,128] add(a, b)\n", Dot("c", "y", "y"),
      "  ROOT t = bf16[128,128] add(s, c)\n}\n"));
  EXPECT_THAT(kept, AllOf(Not(Contains("a")), Contains("b"), Contains("c"), Not(Contains("s"))));
}

TEST(KeptValuesTest, AMaskIsComparedAnewFromWhatStays) {
  const auto kept = KeptIn(absl::StrCat(
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  y = bf16[128,128] parameter(1)\n",
      Dot("z", "x", "x"), Dot("w", "x", "y"),
      "  m = pred[128,128] compare(z, w), direction=GT\n  s = bf16[128,128] select(m, z, w)\n",
      Dot("d", "s", "x"), "  t = bf16[128,128] select(m, w, z)\n", Dot("f", "t", "x"),
      "  ROOT r = (bf16[128,128], bf16[128,128], bf16[128,128], bf16[128,128]) tuple(d, f, z, w)\n"
      "}\n"));
  EXPECT_THAT(kept, AllOf(Contains("z"), Contains("w"), Not(Contains("m"))));
}

// A gated layer: the gradient of its weights stands last, but may run when that of its result is there.
TEST(KeptValuesTest, SourcesStayUntilAReaderMayRun) {
  std::string text = absl::StrCat(
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  y = bf16[128,128] parameter(1)\n",
      Dot("a", "x", "x"), Dot("b", "x", "y"), "  m = bf16[128,128] multiply(a, b)\n",
      Dot("h0", "m", "x"));
  const auto add = [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      absl::StrAppend(&text, Dot(absl::StrCat("h", k + 1), absl::StrCat("h", k), "x"));
    }
  };
  add(0, 8);
  absl::StrAppend(&text, "  t = bf16[128,128] multiply(h8, a)\n", Dot("u", "t", "x"),
                  "  s = bf16[128,128] multiply(h8, b)\n", Dot("w", "s", "u"), Dot("h9", "w", "x"));
  add(9, 12);
  const auto kept = KeptIn(absl::StrCat(text, Dot("g", "m", "h8"), Dot("r", "h12", "g"), "}\n"));
  EXPECT_THAT(kept, AllOf(Contains("a"), Contains("b"), Not(Contains("m"))));
}

// A sum that a norm reads as float32, in its own pass and in the gradient.
TEST(KeptValuesTest, WhatSeveralWidenIsInMemoryAsItIs) {
  const auto kept = KeptIn(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  x = bf16[128,128] parameter(0)\n  z = f32[] constant(0)\n"
      "  a = bf16[128,128] all-reduce(x), replica_groups={}, to_apply=sum\n"
      "  b = bf16[128,128] all-gather(x), dimensions={0}, replica_groups={}\n"
      "  n = bf16[128,128] add(a, b)\n  f = f32[128,128] convert(n)\n"
      "  r = f32[128] reduce(f, z), dimensions={1}, to_apply=sum\n"
      "  q = f32[128,128] broadcast(r), dimensions={0}\n"
      "  ROOT m = f32[128,128] multiply(f, q)\n}\n");
  EXPECT_THAT(kept, AllOf(Contains("n"), Not(Contains("f"))));
}

// Gates of a state-space model: much smaller arrays are repeated in front of the loop.
TEST(KeptValuesTest, WhatALoopReadsIsInMemory) {
  const auto kept = KeptIn(
      "body {\n  p = (s32[], f32[128], f32[4,128]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  c = f32[128] get-tuple-element(p), index=1\n"
      "  q = f32[4,128] get-tuple-element(p), index=2\n  z = s32[] constant(0)\n"
      "  d = f32[1,128] dynamic-slice(q, i, z), dynamic_slice_sizes={1,128}\n"
      "  r = f32[128] reshape(d)\n  s = f32[128] add(c, r)\n  o = s32[] constant(1)\n"
      "  j = s32[] add(i, o)\n  ROOT t = (s32[], f32[128], f32[4,128]) tuple(j, s, q)\n}\n"
      "most {\n  p = (s32[], f32[128], f32[4,128]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(4)\n"
      "  ROOT t = pred[] compare(i, n), direction=LT\n}\n"
      "ENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[128] parameter(1)\n  z = s32[] constant(0)\n"
      "  b = f32[4,128] broadcast(x), dimensions={0}\n  g = f32[4,128] exponential(b)\n"
      "  v = (s32[], f32[128], f32[4,128]) tuple(z, y, g)\n"
      "  w = (s32[], f32[128], f32[4,128]) while(v), condition=most, body=body\n"
      "  ROOT r = f32[128] get-tuple-element(w), index=1\n}\n");
  EXPECT_THAT(kept, Contains("g"));
}

TEST(KeptValuesTest, TopKComputesItsOperand) {
  const auto kept = [](const std::string& target) {
    return KeptIn(
        absl::StrCat("ENTRY e {\n  x = f32[128,128] parameter(0)\n  n = f32[128,128] negate(x)\n"
                     "  ROOT k = (f32[128,2], s32[128,2]) custom-call(n), custom_call_target=\"",
                     target, "\"\n}\n"));
  };
  EXPECT_THAT(kept("TopK"), Not(Contains("n")));
  EXPECT_THAT(kept("other"), Contains("n"));
}

}  // namespace
}  // namespace tessera::target
