// Rules that the compiler of TPUs was seen to have, and those that both compilers have for counts and choices. Each
// text is what libtpu 0.0.50.1 and jax-cuda12-plugin 0.12.0.1 make of a small program in front of Shardy.

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/simplify/simplifier.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::string_view kTpu = "tpu-v5e:2x4";
constexpr absl::string_view kGpu = "h100:8";

std::string Simplified(const std::string& lines, absl::string_view target,
                       absl::Status (*pass)(Context&) = SimplifyForShardy) {
  const std::string text = absl::StrCat(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n",
      "ENTRY e {\n", lines, "}\n");
  return After(pass, text, XlaFlags(), std::string(target));
}

// x.at[jnp.arange(8), i]: an index counts from the end where it is negative.
TEST(KnownChoicesTest, NoIotaIsNegative) {
  const std::string lines =
      "  i = s32[8] iota(), iota_dimension=0\n  z = s32[] constant(0)\n"
      "  zs = s32[8] broadcast(z), dimensions={}\n"
      "  l = pred[8] compare(i, zs), direction=LT\n  n = s32[8] parameter(0)\n"
      "  s = s32[8] select(l, n, i)\n  ROOT t = s32[8] negate(s)\n";
  for (const absl::string_view target : {kTpu, kGpu}) {
    EXPECT_THAT(Simplified(lines, target),
                AllOf(HasSubstr("negate(i)"), Not(HasSubstr("select("))));
  }
}

TEST(KnownChoicesTest, AnIotaMayBeLessThanOne) {
  EXPECT_THAT(Simplified("  i = s32[8] iota(), iota_dimension=0\n  z = s32[] constant(1)\n"
                         "  zs = s32[8] broadcast(z), dimensions={}\n"
                         "  ROOT l = pred[8] compare(i, zs), direction=LT\n",
                         kTpu),
              HasSubstr("compare(i, zs)"));
}

// jnp.tril of a mask that is true everywhere.
TEST(KnownChoicesTest, AChoiceOfTrueAndFalseIsTheMask) {
  const auto chosen = [](const std::string& yes, const std::string& no) {
    return Simplified(absl::StrCat("  p = pred[8] parameter(0)\n  y = pred[] constant(", yes,
                                   ")\n  ys = pred[8] broadcast(y), dimensions={}\n"
                                   "  n = pred[] constant(",
                                   no,
                                   ")\n  ns = pred[8] broadcast(n), dimensions={}\n"
                                   "  s = pred[8] select(p, ys, ns)\n  ROOT r = pred[8] not(s)\n"),
                      kGpu);
  };
  EXPECT_THAT(chosen("true", "false"), HasSubstr("not(p)"));
  EXPECT_THAT(chosen("false", "true"), HasSubstr("not(s)"));
}

TEST(QuotientOfQuotientTest, FloatsAreDividedOnce) {
  const auto divided = [](const std::string& type) {
    return Simplified(
        absl::StrCat("  a = ", type, "[8] parameter(0)\n  b = ", type,
                     "[8] parameter(1)\n  c = ", type, "[8] parameter(2)\n  d = ", type,
                     "[8] divide(a, b)\n  ROOT e = ", type, "[8] divide(d, c)\n"),
        kGpu);
  };
  EXPECT_THAT(divided("f32"), AllOf(HasSubstr("multiply(b, c)"), HasSubstr("divide(a, multiply")));
  EXPECT_THAT(divided("s32"), HasSubstr("divide(d, c)"));
}

// A pipeline whose first stage is set.
TEST(SliceOfUpdateTest, IsASliceOfTheArrayOrOfTheUpdate) {
  const auto sliced = [](const std::string& index, const std::string& ranges) {
    return Simplified(
        absl::StrCat("  x = f32[4,8] parameter(0)\n  u = f32[1,8] parameter(1)\n",
                     "  z = s32[] constant(0)\n", index,
                     "  d = f32[4,8] dynamic-update-slice(x, u, i, z)\n  s = f32[1,8] slice(d), "
                     "slice={",
                     ranges, "}\n  ROOT n = f32[1,8] negate(s)\n"),
        kGpu);
  };
  const std::string known = "  i = s32[] constant(1)\n", unknown = "  i = s32[] parameter(2)\n";
  EXPECT_THAT(sliced(known, "[1:2], [0:8]"), HasSubstr("negate(u)"));
  EXPECT_THAT(sliced(known, "[2:3], [0:8]"), HasSubstr("slice(x), slice={[2:3], [0:8]}"));
  EXPECT_THAT(sliced(unknown, "[2:3], [0:8]"), HasSubstr("slice(d)"));
}

// The gradient of a factor for each head.
TEST(ReduceOfReshapeTest, OnTpusWholeDimensionsAreReducedFirst) {
  const std::string lines =
      "  x = f32[16,1024,2048] parameter(0)\n  y = f32[16,1024,2048] parameter(1)\n"
      "  r = f32[16,1024,32,64] reshape(x)\n  q = f32[16,1024,32,64] reshape(y)\n"
      "  n = f32[16,1024,32,64] sine(r)\n  m = f32[16,1024,32,64] multiply(r, q)\n"
      "  z = f32[] constant(0)\n"
      "  d = f32[32] reduce(m, z), dimensions={0,1,3}, to_apply=sum\n"
      "  ROOT t = (f32[32], f32[16,1024,32,64]) tuple(d, n)\n";
  const std::string on_tpu = Simplified(lines, kTpu);
  EXPECT_THAT(on_tpu, HasSubstr("f32[16,1024,2048]{2,1,0} multiply(x, y)"));
  EXPECT_THAT(on_tpu, HasSubstr("z), dimensions={0,1}, to_apply=sum"));
  EXPECT_THAT(on_tpu, HasSubstr("f32[32,64]{1,0} reshape("));
  EXPECT_THAT(on_tpu, HasSubstr("z), dimensions={1}, to_apply=sum"));
  EXPECT_THAT(Simplified(lines, kGpu), HasSubstr("dimensions={0,1,3}"));
}

// Tokens are in chunks, and all of them go.
TEST(ReduceOfReshapeTest, OnTpusADimensionInPartsIsReducedAsAWhole) {
  const std::string sums = Simplified(
      "  x = f32[16,1024,2048] parameter(0)\n  r = f32[16,8,128,32,64] reshape(x)\n"
      "  z = f32[] constant(0)\n"
      "  ROOT d = f32[32] reduce(r, z), dimensions={0,1,2,4}, to_apply=sum\n",
      kTpu);
  EXPECT_THAT(sums, HasSubstr("f32[2048]{0} reduce(x, z), dimensions={0,1}, to_apply=sum"));
  EXPECT_THAT(sums, HasSubstr("f32[32,64]{1,0} reshape("));
}

// Half of the heads is turned by the other half, as in rotary embeddings.
TEST(RearrangedTreeTest, OnTpusAReshapeIsUndoneAtTheLeaves) {
  const std::string lines =
      "  x = f32[8,64,1] parameter(0)\n  y = f32[8] parameter(1)\n  r = f32[8,64] reshape(x)\n"
      "  b = f32[8,64] broadcast(y), dimensions={0}\n  m = f32[8,64] multiply(r, b)\n"
      "  o = f32[8,64,1] reshape(m)\n  ROOT t = (f32[8,64,1], f32[8,64]) tuple(o, r)\n";
  EXPECT_THAT(Simplified(lines, kTpu), HasSubstr("f32[8,64,1]{2,1,0} multiply(x, "));
  EXPECT_THAT(Simplified(lines, kGpu), HasSubstr("f32[8,64]{1,0} multiply(r, b)"));
}

std::string Product(const std::string& narrow, const std::string& wide, absl::string_view target) {
  return Simplified(
      absl::StrCat("  x = ", wide, "[16,8] parameter(0)\n  y = ", narrow,
                   "[4,8,2] parameter(1)\n  c = ", wide, "[4,8,2] convert(y)\n  r = ", wide,
                   "[8,8] reshape(c)\n  ROOT d = ", wide,
                   "[16,8] dot(x, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"),
      target);
}

TEST(WidenedOperandsTest, OnTpusADotReadsTheNarrowType) {
  EXPECT_THAT(Product("s8", "bf16", kTpu),
              AllOf(HasSubstr("s8[8,8]{1,0} reshape(y)"), HasSubstr("bf16[16,8]{1,0} dot(x, ")));
  EXPECT_THAT(Product("bf16", "f32", kTpu), HasSubstr("bf16[8,8]{1,0} reshape(y)"));
  EXPECT_THAT(Product("f8e4m3fn", "bf16", kTpu), HasSubstr("f8e4m3fn[8,8]{1,0} reshape(y)"));
  EXPECT_THAT(Product("s16", "bf16", kTpu), HasSubstr("bf16[8,8]{1,0} reshape(c)"));
  EXPECT_THAT(Product("f16", "bf16", kTpu), HasSubstr("bf16[8,8]{1,0} reshape(c)"));
  EXPECT_THAT(Product("s8", "bf16", kGpu), HasSubstr("bf16[8,8]{1,0} reshape(c)"));
}

// The mean square of rows that were joined, which a norm reads beside its rows.
TEST(ReduceOfReshapeTest, OnTpusSquaresAreSummedInFrontOfTheReshape) {
  const std::string lines =
      "  x = bf16[8,4,16] parameter(0)\n  r = bf16[32,16] reshape(x)\n"
      "  c = f32[32,16] convert(r)\n  m = f32[32,16] multiply(c, c)\n"
      "  z = f32[] constant(0)\n  s = f32[32] reduce(m, z), dimensions={1}, to_apply=sum\n"
      "  n = f32[32,16] negate(c)\n  ROOT t = (f32[32], f32[32,16]) tuple(s, n)\n";
  EXPECT_THAT(Simplified(lines, kTpu, SimplifyInPlace), HasSubstr("f32[8,4]{1,0} reduce("));
  EXPECT_THAT(Simplified(lines, kGpu, SimplifyInPlace), HasSubstr("f32[32]{0} reduce(m, z)"));
}

// The gradient of a norm of groups: its features were joined in groups, and the gradient has them in a row.
TEST(ReduceOfReshapeTest, OnTpusJoinedArraysAreReshapedAsTheyAre) {
  const std::string lines =
      "  a = f32[2,4,4,16] parameter(0)\n  b = f32[2,4,4,16] parameter(1)\n"
      "  c = f32[2,4,8,16] concatenate(a, b), dimensions={2}\n  n = f32[2,4,8,16] negate(c)\n"
      "  x = f32[2,4,128] parameter(2)\n  r = f32[2,4,8,16] reshape(x)\n"
      "  m = f32[2,4,8,16] multiply(n, r)\n  z = f32[] constant(0)\n"
      "  ROOT s = f32[2,8] reduce(m, z), dimensions={1,3}, to_apply=sum\n";
  EXPECT_THAT(
      Simplified(lines, kTpu, SimplifyInPlace),
      AllOf(HasSubstr("f32[2,4,128]{2,1,0} reshape(c)"), HasSubstr("f32[2,128]{1,0} reduce(")));
}

// The compiler's own texts: ids of two halves of a batch that look up a table, and the transpose of the same.
TEST(RearrangedLeavesTest, OnTpusAReshapeGoesInFrontOfAConcatenate) {
  const auto read = [](const std::string& reader) {
    return Simplified(
        absl::StrCat(
            "  a = s32[16,8] parameter(0)\n  b = s32[16,8] parameter(1)\n"
            "  c = s32[32,8] concatenate(a, b), dimensions={0}\n  n = s32[32,8] negate(c)\n"
            "  ROOT r = s32",
            reader, "\n"),
        kTpu, SimplifyInPlace);
  };
  EXPECT_THAT(read("[32,2,4] reshape(n)"), AllOf(HasSubstr("s32[16,2,4]{2,1,0} reshape(b)"),
                                                 HasSubstr("s32[32,2,4]{2,1,0} concatenate(")));
  EXPECT_THAT(read("[32,8,1] reshape(c)"), HasSubstr("s32[32,8,1]{2,1,0} reshape(c)"));
  EXPECT_THAT(read("[256] reshape(n)"), HasSubstr("s32[256]{0} reshape(n)"));
  EXPECT_THAT(read("[8,32] transpose(n), dimensions={1,0}"), HasSubstr("transpose(n)"));
}

// As libtpu does: features of an encoder beside those of a decoder, in groups. Two of 4 + 2 rows stay.
TEST(RearrangedLeavesTest, OnTpusAReshapeSplitsTheLastDimensionBetweenOperandsOfOneSize) {
  const auto read = [](const std::string& b, const std::string& joined, const std::string& reader) {
    return Simplified(
        absl::StrCat("  a = s32[8,64] parameter(0)\n  b = s32", b, " parameter(1)\n  c = s32",
                     joined, " concatenate(a, b), ", reader, "\n"),
        kTpu, SimplifyInPlace);
  };
  EXPECT_THAT(read("[8,64]", "[8,128]",
                   "dimensions={1}\n  n = s32[8,128] negate(c)\n  ROOT r = s32[8,8,16] reshape(n)"),
              AllOf(HasSubstr("s32[8,4,16]{2,1,0} reshape(b)"),
                    HasSubstr("s32[8,8,16]{2,1,0} concatenate(")));
  EXPECT_THAT(read("[8,32]", "[8,96]",
                   "dimensions={1}\n  n = s32[8,96] negate(c)\n  ROOT r = s32[8,6,16] reshape(n)"),
              HasSubstr("s32[8,6,16]{2,1,0} reshape(n)"));
  EXPECT_THAT(read("[8,64]", "[16,64]",
                   "dimensions={0}\n  n = s32[16,64] negate(c)\n  ROOT r = s32[4,4,64] reshape(n)"),
              HasSubstr("s32[4,4,64]{2,1,0} reshape(n)"));
}

// Means of groups of features beside an image of features, and sums of rows that were joined.
TEST(RearrangedLeavesTest, OnTpusPartsOfAReshapeAreFilled) {
  const std::string norm = Simplified(
      "  x = f32[4,6] parameter(0)\n  m = f32[4,2] parameter(1)\n"
      "  r = f32[4,2,3] reshape(x)\n  b = f32[4,2,3] broadcast(m), dimensions={0,1}\n"
      "  s = f32[4,2,3] subtract(r, b)\n  ROOT y = f32[4,6] reshape(s)\n",
      kTpu, SimplifyInPlace);
  EXPECT_THAT(norm, AllOf(HasSubstr("f32[4,2,3]{2,1,0} broadcast(m)"),
                          HasSubstr("f32[4,6]{1,0} subtract(x, ")));
}

TEST(RearrangedLeavesTest, OnTpusReshapesGoToGathersAndReductionsInTheFirstRound) {
  const auto read = [](const std::string& result, absl::Status (*pass)(Context&)) {
    return Simplified(
        absl::StrCat("  x = f32[8,4] parameter(0)\n  i = s32[6,1] parameter(1)\n"
                     "  z = f32[] constant(0)\n  p = f32[6] parameter(2)\n",
                     result,
                     "  b = f32[6,4] broadcast(p), dimensions={0}\n"
                     "  m = f32[6,4] multiply(g, b)\n  ROOT r = f32[2,3,4] reshape(m)\n"),
        kTpu, pass);
  };
  const std::string gather =
      "  g = f32[6,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n";
  const std::string sum =
      "  y = f32[6,4,5] parameter(3)\n"
      "  g = f32[6,4] reduce(y, z), dimensions={2}, to_apply=sum\n";
  for (const std::string& result : {gather, sum}) {
    EXPECT_THAT(read(result, SimplifyInPlace), HasSubstr("f32[2,3,4]{2,1,0} reshape(g)"));
    EXPECT_THAT(read(result, SimplifyForShardy), HasSubstr("f32[6,4]{1,0} multiply(g, b)"));
  }
  EXPECT_THAT(read("  g = f32[6,4] parameter(3)\n", SimplifyInPlace), HasSubstr("multiply(g, b)"));
}

// A transpose after a mask goes to the transpose and the product that it is of, not to other arrays.
TEST(RearrangedLeavesTest, OnTpusTransposesGoToTransposesAndProducts) {
  const auto read = [](const std::string& masked) {
    return Simplified(
        absl::StrCat("  x = f32[3,8] parameter(0)\n  y = f32[8,6] parameter(1)\n  v = f32[2,9] "
                     "parameter(4)\n"
                     "  z = f32[6,3] parameter(2)\n  p = f32[3] parameter(3)\n",
                     "  b = f32[3,6] broadcast(p), dimensions={0}\n  q = f32[3,6] ", masked,
                     "\n  m = f32[3,6] multiply(q, b)\n"
                     "  ROOT r = f32[6,3] transpose(m), dimensions={1,0}\n"),
        kTpu, SimplifyInPlace);
  };
  EXPECT_THAT(read("transpose(z), dimensions={1,0}"), HasSubstr("f32[6,3]{1,0} multiply(z, "));
  EXPECT_THAT(read("dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
              AllOf(HasSubstr("f32[6,3]{1,0} dot(y, x)"), HasSubstr("f32[6,3]{1,0} multiply(")));
  EXPECT_THAT(read("reshape(v)"), HasSubstr("f32[3,6]{1,0} multiply(q, b)"));
}

// The compiler's own texts of (x @ w[i]).reshape(..), where w is a stack of layers; not of a table that is no reshape,
// nor where the product is read as it is, too.
TEST(ReshapedDotTest, OnTpusWeightsOutOfAStackAreReshaped) {
  const auto product = [](const std::string& weights, const std::string& more) {
    return Simplified(absl::StrCat("  x = bf16[4,5,8] parameter(0)\n", weights,
                                   "  d = bf16[4,5,12] dot(x, w), lhs_contracting_dims={2}, "
                                   "rhs_contracting_dims={0}\n  r = bf16[4,5,3,4] reshape(d)\n",
                                   more),
                      kTpu, SimplifyInPlace);
  };
  const std::string stack =
      "  l = f32[1,8,12] parameter(1)\n  q = f32[8,12] reshape(l)\n"
      "  w = bf16[8,12] convert(q)\n";
  EXPECT_THAT(
      product(stack, "  ROOT n = bf16[4,5,3,4] negate(r)\n"),
      AllOf(HasSubstr("bf16[12,8]{1,0} transpose(w)"), HasSubstr("bf16[3,4,8]{2,1,0} reshape("),
            HasSubstr("rhs_contracting_dims={2}")));
  EXPECT_THAT(product("  w = bf16[8,12] parameter(1)\n", "  ROOT n = bf16[4,5,3,4] negate(r)\n"),
              HasSubstr("bf16[4,5,12]{2,1,0} dot(x, w)"));
  EXPECT_THAT(product(stack, "  ROOT t = (bf16[4,5,3,4], bf16[4,5,12]) tuple(r, d)\n"),
              HasSubstr("bf16[4,5,12]{2,1,0} dot(x, w)"));
}

// A batch of one sequence: its dimension goes out of the dot and does not come back.
TEST(ReshapedDotTest, DimensionsOfOneStayOutside) {
  EXPECT_THAT(Simplified("  x = bf16[1,4,8] parameter(0)\n  l = f32[1,8,12] parameter(1)\n"
                         "  q = f32[8,12] reshape(l)\n  w = bf16[8,12] convert(q)\n"
                         "  ROOT d = bf16[1,4,12] dot(x, w), lhs_contracting_dims={2}, "
                         "rhs_contracting_dims={0}\n",
                         kTpu, SimplifyInPlace),
              AllOf(HasSubstr("bf16[4,12]{1,0} dot("), Not(HasSubstr("bf16[1,4,12]{2,1,0} dot("))));
}

// Converts of one array on both sides of a reshape would be one if it moved before equal ones are merged.
TEST(ReshapeMoverTest, OnTpusReshapesMoveInTheSecondRound) {
  const std::string lines =
      "  x = f32[8,4] parameter(0)\n  r = f32[32] reshape(x)\n  ROOT n = f32[32] negate(r)\n";
  EXPECT_THAT(Simplified(lines, kTpu, SimplifyInPlace), HasSubstr("negate(r)"));
  EXPECT_THAT(Simplified(lines, kTpu), HasSubstr("negate(x)"));
}

// The compiler's own text of jnp.sum(jnp.concatenate([x, y])), beside another reader of the joined array.
TEST(ReduceOfConcatenateTest, OnTpusEachPartIsReduced) {
  const auto reduced = [](absl::string_view shape, absl::string_view dim) {
    return Simplified(absl::StrCat("  x = f32[16,12] parameter(0)\n  y = f32[8,12] parameter(1)\n"
                                   "  z = f32[] constant(0)\n"
                                   "  c = f32[24,12] concatenate(x, y), dimensions={0}\n  r = ",
                                   shape, " reduce(c, z), dimensions={", dim, "}, to_apply=sum\n",
                                   "  ROOT t = (", shape, ", f32[24,12]) tuple(r, c)\n"),
                      kTpu);
  };
  for (const auto& dims : {std::pair("f32[12]", "0"), std::pair("f32[]", "0,1")}) {
    EXPECT_THAT(reduced(dims.first, dims.second),
                AllOf(HasSubstr("reduce(x, z)"), HasSubstr("reduce(y, z)"), HasSubstr(" add("),
                      HasSubstr("concatenate(x, y)")));
  }
  EXPECT_THAT(reduced("f32[24]", "1"), HasSubstr("reduce(c, z)"));
}

// The compiler's own texts of jnp.sort(x, 0), jnp.argsort(x, 0), and of the gradient of a sort, whose places are u32.
TEST(StableSortTest, OnTpusPlacesAreSortedToo) {
  const auto sorted = [](const std::string& places, absl::string_view shape,
                         const std::string& more) {
    std::string less = "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n";
    for (int k = 2; k < 4 && !places.empty(); ++k) {
      absl::StrAppend(&less, "  p", k, " = ", places, "[] parameter(", k, ")\n");
    }
    const std::string iota =
        places.empty() ? "" : absl::StrCat("  i = ", places, "[8,4] iota(), iota_dimension=0\n");
    return After(SimplifyForShardy,
                 absl::StrCat(less, "  ROOT l = pred[] compare(a, b), direction=LT\n}\nENTRY e {\n",
                              "  x = f32[8,4] parameter(0)\n", iota, "  ROOT s = ", shape,
                              " sort(x", places.empty() ? "" : ", i", "), dimensions={0}, ", more,
                              "to_apply=less\n}\n"),
                 XlaFlags(), std::string(kTpu));
  };
  const std::string stable = "is_stable=true, ";
  EXPECT_THAT(sorted("", "f32[8,4]", stable),
              AllOf(HasSubstr("(f32[8,4]{1,0}, s32[8,4]{1,0}) sort(x, iota)"),
                    Not(HasSubstr("is_stable")), HasSubstr("direction=EQ")));
  EXPECT_THAT(sorted("u32", "(f32[8,4], u32[8,4])", stable), HasSubstr(" sort(x, i, iota)"));
  EXPECT_THAT(sorted("s32", "(f32[8,4], s32[8,4])", stable), HasSubstr(" sort(x, i)"));
  EXPECT_THAT(sorted("", "f32[8,4]", ""), HasSubstr(" sort(x)"));
}

// Both compilers' texts of lax.dynamic_slice(x, (63, 0), (4, 24)), and of one that starts at a number they do not know.
TEST(SliceAtConstantsTest, ConstantsAreMovedInside) {
  const auto sliced = [](const std::string& start, absl::string_view target) {
    return Simplified(absl::StrCat("  x = f32[64,24] parameter(0)\n  i = s32[] ", start,
                                   "\n  z = s32[] constant(0)\n  ROOT d = f32[4,24] "
                                   "dynamic-slice(x, i, z), dynamic_slice_sizes={4,24}\n"),
                      target);
  };
  for (const absl::string_view target : {kTpu, kGpu}) {
    EXPECT_THAT(sliced("constant(63)", target), HasSubstr("slice={[60:64], [0:24]}"));
    EXPECT_THAT(sliced("constant(3)", target), HasSubstr("slice={[3:7], [0:24]}"));
    EXPECT_THAT(sliced("parameter(1)", target), HasSubstr("dynamic-slice(x, i, z)"));
  }
}

// Both compilers' texts: of a factor that a scan repeats, of padding that is cut off, and of parts that are put together.
TEST(SliceBeforeBroadcastTest, WhatIsRepeatedIsNotCut) {
  const auto cut = [](const std::string& part, absl::string_view target) {
    return Simplified(absl::StrCat("  x = f32[24] parameter(0)\n  i = s32[] parameter(1)\n"
                                   "  z = s32[] constant(0)\n"
                                   "  b = f32[64,24] broadcast(x), dimensions={1}\n  s = ",
                                   part, "\n  ROOT t = (f32[64,24], ",
                                   part.substr(0, part.find(' ')), ") tuple(b, s)\n"),
                      target);
  };
  for (const absl::string_view target : {kTpu, kGpu}) {
    EXPECT_THAT(cut("f32[8,24] slice(b), slice={[1:17:2], [0:24]}", target),
                HasSubstr("f32[8,24]{1,0} broadcast(x), dimensions={1}"));
    EXPECT_THAT(cut("f32[8,4] slice(b), slice={[1:9], [3:7]}", target),
                AllOf(HasSubstr("f32[4]{0} slice(x), slice={[3:7]}"),
                      HasSubstr("f32[8,4]{1,0} broadcast(slice)")));
    EXPECT_THAT(cut("f32[8,24] dynamic-slice(b, i, z), dynamic_slice_sizes={8,24}", target),
                HasSubstr("f32[8,24]{1,0} broadcast(x), dimensions={1}"));
    EXPECT_THAT(cut("f32[8,4] dynamic-slice(b, i, i), dynamic_slice_sizes={8,4}", target),
                HasSubstr("dynamic-slice(b, i, i)"));
  }
}

TEST(SliceBeforePadTest, PaddingIsNotCut) {
  const auto cut = [](absl::string_view range, absl::string_view size, absl::string_view padding) {
    return Simplified(
        absl::StrCat("  x = f32[8] parameter(0)\n  z = f32[] parameter(1)\n",
                     "  p = f32[16] pad(x, z), padding=", padding, "\n  ROOT s = f32[", size,
                     "] slice(p), slice={[", range, "]}\n"),
        kTpu);
  };
  EXPECT_THAT(cut("5:10", "5", "4_4"), HasSubstr("slice(x), slice={[1:6]}"));
  EXPECT_THAT(cut("0:3", "3", "4_4"), HasSubstr("broadcast(z)"));
  EXPECT_THAT(cut("2:6", "4", "4_4"), HasSubstr("slice(p)"));
  EXPECT_THAT(cut("5:10", "5", "0_1_1"), HasSubstr("slice(p)"));
}

TEST(JoinSlicesTest, PartsOneAfterAnotherAreOne) {
  const auto joined = [](absl::string_view first, absl::string_view second, int size) {
    return Simplified(
        absl::StrCat("  x = f32[64] parameter(0)\n  y = f32[4] parameter(1)\n"
                     "  a = f32[8] slice(x), slice={[",
                     first, "]}\n  b = f32[", size - 12, "] slice(x), slice={[", second,
                     "]}\n  ROOT c = f32[", size, "] concatenate(a, b, y), dimensions={0}\n"),
        kTpu);
  };
  EXPECT_THAT(joined("0:8", "8:20", 24), AllOf(HasSubstr("f32[20]{0} slice(x), slice={[0:20]}"),
                                               HasSubstr("concatenate(slice, y)")));
  EXPECT_THAT(joined("0:8", "8:64", 68), HasSubstr("concatenate(x, y)"));
  EXPECT_THAT(joined("56:64", "0:56", 68), HasSubstr("concatenate(a, b, y)"));
}

// Of jnp.var: a sum of 24 squares, divided by what is left of 24, or NaN. Both compilers have a product.
TEST(ConstantNumbersTest, AVarianceIsAProduct) {
  const auto variance = [](absl::string_view left, absl::string_view target) {
    return Simplified(
        absl::StrCat("  x = f32[8] parameter(0)\n  n = f32[] parameter(1)\n"
                     "  c = s32[] constant(24)\n  f = f32[] convert(c)\n  z = f32[] constant(0)\n"
                     "  l = f32[] subtract(",
                     left,
                     ", z)\n  g = pred[] compare(l, z), direction=GT\n"
                     "  gs = pred[8] broadcast(g), dimensions={}\n"
                     "  ls = f32[8] broadcast(l), dimensions={}\n  d = f32[8] divide(x, ls)\n"
                     "  q = f32[] constant(nan)\n  qs = f32[8] broadcast(q), dimensions={}\n"
                     "  ROOT s = f32[8] select(gs, d, qs)\n"),
        target);
  };
  for (const absl::string_view target : {kTpu, kGpu}) {
    EXPECT_THAT(variance("f", target),
                AllOf(HasSubstr("multiply(x, "), Not(HasSubstr("select(")), HasSubstr("0.0416")));
    EXPECT_THAT(variance("n", target), HasSubstr("select("));
  }
}

// Both compilers' texts, but for the padding between the elements of a slice, which stays on TPUs.
TEST(NegativePadTest, WhatIsCutIsASlice) {
  const auto padded = [](absl::string_view size, absl::string_view padding,
                         absl::string_view target) {
    return Simplified(absl::StrCat("  x = f32[8] parameter(0)\n  z = f32[] parameter(1)\n",
                                   "  ROOT p = f32[", size, "] pad(x, z), padding=", padding, "\n"),
                      target);
  };
  for (const absl::string_view target : {kTpu, kGpu}) {
    EXPECT_THAT(padded("7", "-1_0", target), HasSubstr("slice(x), slice={[1:8]}"));
    EXPECT_THAT(padded("9", "-1_2", target),
                AllOf(HasSubstr("f32[10]{0} pad(x, z), padding=0_2"), HasSubstr("slice={[1:10]}")));
    EXPECT_THAT(padded("14", "-1_0_1", target), HasSubstr("padding=0_0_1"));
  }
}

TEST(NegativePadTest, OneElementHasNoSteps) {
  const std::string one =
      Simplified("  x = f32[4] parameter(0)\n  ROOT s = f32[1] slice(x), slice={[2:4:2]}\n", kTpu);
  EXPECT_THAT(one, HasSubstr("slice={[2:3]}"));
}

TEST(NegativePadTest, OnTpusThePaddingOfASliceStays) {
  const auto padded = [](absl::string_view x, absl::string_view target) {
    return Simplified(absl::StrCat("  y = f32[8] parameter(0)\n  z = f32[] parameter(1)\n"
                                   "  s = f32[1] slice(y), slice={[0:1]}\n"
                                   "  n = f32[1] negate(s)\n  ROOT p = f32[2] pad(",
                                   x, ", z), padding=0_1_1\n"),
                      target);
  };
  EXPECT_THAT(padded("s", kTpu), HasSubstr("padding=0_1_1"));
  EXPECT_THAT(padded("n", kTpu), Not(HasSubstr("padding=0_1_1")));
  EXPECT_THAT(padded("s", kGpu), Not(HasSubstr("padding=0_1_1")));
}

// The compiler's own text of jnp.cumsum(x, 1): 157 rows of 128, and two rows of 128 over these.
TEST(PrefixSumTest, OnTpusRowsAreFilledAndAddedUpInRows) {
  const std::string sums = Simplified(
      "  x = f32[32,20000] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT w = f32[32,20000] reduce-window(x, z), window={size=1x20000 pad=0_0x19999_0}, "
      "to_apply=sum\n",
      kTpu);
  for (const char* const line :
       {"f32[32,20096]{1,0} pad(x, z), padding=0_0x0_96\n",
        "window={size=1x1x128 pad=0_0x0_0x127_0}", "f32[32,256]{1,0} pad(",
        "f32[32,3]{1,0} reduce-window(", "window={size=1x2 pad=0_0x2_0}", "f32[32,158]{1,0} pad(",
        "padding=0_0x1_0\n", "f32[32,157,128]{2,1,0} add(", "f32[32,20000]{1,0} slice("}) {
    EXPECT_THAT(sums, HasSubstr(line));
  }
}

}  // namespace
}  // namespace tessera::target
