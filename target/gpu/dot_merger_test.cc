// XLA's GPU compiler merges the same products (jax-cuda12-plugin 0.12.0.1): the limits were asked of it.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/after_pass.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kMatrices[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

std::string TwoOf(const std::string& columns_a, const std::string& columns_b) {
  return "ENTRY e {\n"
         "  x = f32[1024,1024] parameter(0)\n"
         "  v = f32[1024," +
         columns_a +
         "] parameter(1)\n"
         "  w = f32[1024," +
         columns_b +
         "] parameter(2)\n"
         "  a = f32[1024," +
         columns_a + "] dot(x, v)" + kMatrices + "  b = f32[1024," + columns_b + "] dot(x, w)" +
         kMatrices + "  ROOT t = (f32[1024," + columns_a + "], f32[1024," + columns_b +
         "]) tuple(a, b)\n}\n";
}

TEST(DotMergerTest, TheOtherOperandsAreConcatenated) {
  EXPECT_THAT(
      After(MergeDots, TwoOf("64", "128")),
      AllOf(HasSubstr("f32[1024,192]{1,0} concatenate(w, v), dimensions={1}"),
            HasSubstr("f32[1024,192]{1,0} dot(x, concatenate)"),
            HasSubstr("slice={[0:1024], [0:128]}"), HasSubstr("slice={[0:1024], [128:192]}")));
}

TEST(DotMergerTest, AMultipleOfAHigherPowerOfTwoComesFirst) {
  EXPECT_THAT(After(MergeDots, TwoOf("64", "96")), HasSubstr("concatenate(v, w)"));
  EXPECT_THAT(After(MergeDots, TwoOf("320", "128")), HasSubstr("concatenate(w, v)"));
  EXPECT_THAT(After(MergeDots, TwoOf("7", "9")), HasSubstr("concatenate(w, v)"));
  EXPECT_THAT(After(MergeDots, TwoOf("64", "64")), HasSubstr("concatenate(v, w)"));
}

TEST(DotMergerTest, UpTo64MiBAndSixteenTimesAsMuch) {
  EXPECT_THAT(After(MergeDots, TwoOf("8192", "8192")), HasSubstr("concatenate"));
  EXPECT_THAT(After(MergeDots, TwoOf("8256", "8256")), Not(HasSubstr("concatenate")));
  EXPECT_THAT(After(MergeDots, TwoOf("8192", "16384")), HasSubstr("concatenate"));
  EXPECT_THAT(After(MergeDots, TwoOf("64", "1024")), HasSubstr("concatenate"));
  EXPECT_THAT(After(MergeDots, TwoOf("64", "2048")), Not(HasSubstr("concatenate")));
}

TEST(DotMergerTest, NotWhereOneNeedsTheOther) {
  EXPECT_THAT(After(MergeDots, std::string("ENTRY e {\n"
                                           "  x = f32[64,64] parameter(0)\n"
                                           "  w = f32[64,64] parameter(1)\n"
                                           "  a = f32[64,64] dot(x, w)") +
                                   kMatrices + "  n = f32[64,64] negate(a)\n" +
                                   "  ROOT b = f32[64,64] dot(x, n)" + kMatrices + "}\n"),
              Not(HasSubstr("concatenate")));
}

TEST(DotMergerTest, ThreeBecomeOne) {
  const std::string text =
      After(MergeDots, std::string("ENTRY e {\n"
                                   "  x = f32[64,64] parameter(0)\n"
                                   "  u = f32[64,8] parameter(1)\n"
                                   "  v = f32[64,16] parameter(2)\n"
                                   "  w = f32[64,8] parameter(3)\n"
                                   "  a = f32[64,8] dot(x, u)") +
                           kMatrices + "  b = f32[64,16] dot(x, v)" + kMatrices +
                           "  c = f32[64,8] dot(x, w)" + kMatrices +
                           "  ROOT t = (f32[64,8], f32[64,16], f32[64,8]) tuple(a, b, c)\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("f32[64,32]{1,0} concatenate(v, u, w), dimensions={1}"),
                          HasSubstr("slice={[0:64], [0:16]}"), HasSubstr("slice={[0:64], [16:24]}"),
                          HasSubstr("slice={[0:64], [24:32]}")));
  EXPECT_THAT(text, Not(HasSubstr("slice(slice")));
}

TEST(DotMergerTest, TheyFollowInPostOrder) {
  EXPECT_THAT(After(MergeDots, std::string("ENTRY e {\n"
                                           "  x = f32[64,64] parameter(0)\n"
                                           "  u = f32[64,8] parameter(1)\n"
                                           "  v = f32[64,8] parameter(2)\n"
                                           "  b = f32[64,8] dot(x, v)") +
                                   kMatrices + "  a = f32[64,8] dot(x, u)" + kMatrices +
                                   "  ROOT t = (f32[64,8], f32[64,8]) tuple(a, b)\n}\n"),
              HasSubstr("concatenate(u, v)"));
}

// After the first two are one, the third would need itself: it reads one of them, and the other reads it.
TEST(DotMergerTest, NotWhereAMergedOneWouldNeedTheOther) {
  EXPECT_THAT(
      After(MergeDots, std::string("ENTRY e {\n"
                                   "  x = f32[64,64] parameter(0)\n"
                                   "  v = f32[64,64] parameter(1)\n"
                                   "  w = f32[64,64] parameter(2)\n"
                                   "  a = f32[64,64] dot(x, v)") +
                           kMatrices + "  b = f32[64,64] dot(x, w)" + kMatrices +
                           "  n = f32[64,64] negate(b)\n" + "  c = f32[64,64] dot(x, n)" +
                           kMatrices + "  ROOT t = (f32[64,64], f32[64,64]) tuple(a, c)\n}\n"),
      AllOf(HasSubstr("dot(x, concatenate)"), HasSubstr("dot(x, n)")));
}

// A gradient of weights and one of what they read: x on the left of the one, and transposed on the right of the other.
TEST(DotMergerTest, OnDifferentSidesItIsTheRightOne) {
  EXPECT_THAT(After(MergeDots, std::string("ENTRY e {\n"
                                           "  x = f32[64,32] parameter(0)\n"
                                           "  v = f32[32,8] parameter(1)\n"
                                           "  w = f32[4,32] parameter(2)\n"
                                           "  a = f32[64,8] dot(x, v)") +
                                   kMatrices +
                                   "  b = f32[4,64] dot(w, x), lhs_contracting_dims={1}, "
                                   "rhs_contracting_dims={1}\n"
                                   "  ROOT t = (f32[64,8], f32[4,64]) tuple(a, b)\n}\n"),
              AllOf(HasSubstr("f32[32,4]{1,0} transpose(w), dimensions={1,0}"),
                    HasSubstr("f32[32,12]{1,0} concatenate(v, transpose), dimensions={1}"),
                    HasSubstr("f32[12,64]{1,0} dot(concatenate, x), lhs_contracting_dims={0}, "
                              "rhs_contracting_dims={1}"),
                    HasSubstr("slice={[0:8], [0:64]}"), HasSubstr("slice={[8:12], [0:64]}"),
                    HasSubstr("f32[64,8]{1,0} transpose(slice")));
}

// Of x[4,128,512], as dot_decomposer leaves it.
std::string Rows(const std::string& dots) {
  return "ENTRY e {\n"
         "  x = f32[4,128,512] parameter(0)\n"
         "  rows = f32[512,512] reshape(x)\n"
         "  turned = f32[512,4,128] transpose(x), dimensions={2,0,1}\n"
         "  columns = f32[512,512] reshape(turned)\n"
         "  v = f32[512,128] parameter(1)\n"
         "  w = f32[512,256] parameter(2)\n" +
         dots + "}\n";
}

TEST(DotMergerTest, ResultsAreCutAsTheRowsWere) {
  EXPECT_THAT(After(MergeDots, Rows(std::string("  a = f32[512,128] dot(rows, v)") + kMatrices +
                                    "  b = f32[512,256] dot(rows, w)" + kMatrices +
                                    "  ROOT t = (f32[512,128], f32[512,256]) tuple(a, b)\n")),
              AllOf(HasSubstr("f32[4,128,384]{2,1,0} reshape(b.1)"),
                    HasSubstr("slice={[0:4], [0:128], [0:256]}"),
                    HasSubstr("slice={[0:4], [0:128], [256:384]}")));
}

TEST(DotMergerTest, RowsAndColumnsOfOneArray) {
  EXPECT_THAT(
      After(MergeDots, Rows(std::string("  a = f32[512,128] dot(rows, v)") + kMatrices +
                            "  b = f32[256,512] dot(w, columns), lhs_contracting_dims={0}, "
                            "rhs_contracting_dims={0}\n"
                            "  ROOT t = (f32[512,128], f32[256,512]) tuple(a, b)\n")),
      AllOf(HasSubstr("concatenate(w, v), dimensions={1}"),
            HasSubstr("dot(concatenate, rows), lhs_contracting_dims={0}, rhs_contracting_dims={1}"),
            HasSubstr("f32[384,4,128]{2,1,0} reshape(b.1)"),
            HasSubstr("slice={[256:384], [0:4], [0:128]}")));
}

}  // namespace
}  // namespace tessera::target
