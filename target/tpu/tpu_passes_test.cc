// The passes that only TPUs have: what they change and what they leave alone. Whole programs:
// testing/targets.sh.

#include "tessera/target/tpu/tpu_passes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/passes/passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSum[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

std::string OnV5e(absl::Status (*run)(Context&), const std::string& text,
                  const std::string& target = "tpu-v5e:2x4") {
  return After(run, text, XlaFlags(), target);
}

// --- Gathers -------------------------------------------------------------------------------------

TEST(ReshapeBeforeSumsTest, WhereNothingElseReadsTheSum) {
  const auto summed = [](const std::string& root) {
    return OnV5e(ReshapeBeforeSums,
                 absl::StrCat(kSum, "ENTRY e {\n  x = f32[8,4] parameter(0)\n",
                              "  s = f32[8,4] all-reduce(x), replica_groups={}, to_apply=sum\n",
                              "  r = f32[2,4,4] reshape(s)\n  ROOT ", root, "\n}\n"));
  };
  EXPECT_THAT(summed("n = f32[2,4,4] negate(r)"), HasSubstr("f32[2,4,4]{2,1,0} all-reduce("));
  EXPECT_THAT(summed("t = (f32[2,4,4], f32[8,4]) tuple(r, s)"), HasSubstr("all-reduce(x)"));
}

// A mesh of 4 x 2: columns first, then rows.
TEST(GatherDimensionsAtOnceTest, OneGatherOfBothDimensions) {
  const std::string text =
      "ENTRY e {\n"
      "  x = f32[4,8] parameter(0)\n"
      "  a = f32[4,16] all-gather(x), dimensions={1}, channel_id=1, "
      "replica_groups={{0,1},{2,3},{4,5},{6,7}}, use_global_device_ids=true\n"
      "  ROOT b = f32[16,16] all-gather(a), dimensions={0}, channel_id=2, "
      "replica_groups={{0,2,4,6},{1,3,5,7}}, use_global_device_ids=true\n"
      "}\n";
  EXPECT_THAT(OnV5e(GatherDimensionsAtOnce, text),
              AllOf(HasSubstr("f32[8,4,8]{2,1,0} all-gather("),
                    HasSubstr("replica_groups={{0,1,2,3,4,5,6,7}}"),
                    HasSubstr("f32[4,2,4,8]{3,2,1,0} reshape("),
                    HasSubstr("f32[4,4,2,8]{3,2,1,0} transpose("),
                    HasSubstr("dimensions={0,2,1,3}"), Not(HasSubstr("f32[4,16]"))));
  // From the first dimension to the last: two reshards.
  const std::string other = absl::StrReplaceAll(text, {{"dimensions={1}", "dimensions={0}"},
                                                       {"dimensions={0}", "dimensions={1}"},
                                                       {"f32[4,16]", "f32[8,8]"},
                                                       {"f32[16,16]", "f32[8,32]"}});
  EXPECT_THAT(OnV5e(GatherDimensionsAtOnce, other), HasSubstr("f32[8,8]{1,0} all-gather(x)"));
}

// So that they can be found equal afterwards.
// Both gather from device 0: no mesh has such axes.
TEST(GatherDimensionsAtOnceTest, OverlappingGroupsStayApart) {
  const std::string text =
      "ENTRY e {\n  x = f32[4,8] parameter(0)\n"
      "  a = f32[4,32] all-gather(x), channel_id=1, replica_groups=[1,4]<=[4], dimensions={1}, "
      "use_global_device_ids=true\n"
      "  ROOT b = f32[8,32] all-gather(a), channel_id=2, replica_groups=[2,2]<=[4], "
      "dimensions={0}, use_global_device_ids=true\n}\n";
  EXPECT_THAT(OnV5e(GatherDimensionsAtOnce, text), HasSubstr("f32[8,32]{1,0} all-gather(a)"));
}

TEST(GatherDimensionsAtOnceTest, EqualGathersHaveOneOperand) {
  constexpr char kText[] =
      "ENTRY e {\n"
      "  x = f32[4,8] parameter(0)\n"
      "  a = f32[4,16] all-gather(x), dimensions={1}, channel_id=1, replica_groups=[4,2]<=[8]\n"
      "  b = f32[16,16] all-gather(a), dimensions={0}, channel_id=2, "
      "replica_groups=[2,4]<=[4,2]T(1,0)\n"
      "  c = f32[4,16] all-gather(x), dimensions={1}, channel_id=3, replica_groups=[4,2]<=[8]\n"
      "  d = f32[16,16] all-gather(c), dimensions={0}, channel_id=4, "
      "replica_groups=[2,4]<=[4,2]T(1,0)\n"
      "  ROOT t = (f32[16,16], f32[16,16]) tuple(b, d)\n"
      "}\n";
  const std::string text =
      absl::StrReplaceAll(kText, {{"channel_id", "use_global_device_ids=true, channel_id"}});
  const std::vector<std::string> parts =
      absl::StrSplit(OnV5e(GatherDimensionsAtOnce, text), "= f32[1,4,8]");
  EXPECT_EQ(parts.size(), 2u) << "one reshape";
}

// Two of four devices, written as a list and as an iota.
constexpr char kTwice[] =
    "ENTRY e {\n"
    "  x = f32[8] parameter(0)\n"
    "  a = f32[16] all-gather(x), dimensions={0}, channel_id=1, "
    "replica_groups={{0,1},{2,3},{4,5},{6,7}}, use_global_device_ids=true\n"
    "  b = f32[16] all-gather(x), dimensions={0}, channel_id=2, replica_groups=[4,2]<=[8], "
    "use_global_device_ids=true\n"
    "  ROOT t = (f32[16], f32[16]) tuple(a, b)\n"
    "}\n";

TEST(MergeNearGathersTest, ChannelsAndSpellingsOfGroupsSayNothing) {
  EXPECT_THAT(OnV5e(MergeNearGathers, kTwice), HasSubstr("tuple(a, a)"));
  const std::string others = absl::StrReplaceAll(kTwice, {{"<=[8]", "<=[2,4]T(1,0)"}});
  EXPECT_THAT(OnV5e(MergeNearGathers, others), HasSubstr("tuple(a, b)"));
  EXPECT_THAT(OnV5e(MergeEqualCollectives, kTwice), HasSubstr("tuple(a, b)"));
}

// The second one is needed at the end of a chain of so many steps.
std::string FarApart(int steps) {
  std::string chain;
  for (int i = 0; i < steps; ++i) {
    absl::StrAppend(&chain, "  n", i + 1, " = f32[16] negate(n", i, ")\n");
  }
  return absl::StrReplaceAll(
      kTwice, {{"  b = ", absl::StrCat("  n0 = f32[16] abs(a)\n", chain, "  b = ")},
               {"(f32[16], f32[16]) tuple(a, b)", absl::StrCat("f32[16] add(n", steps, ", b)")}});
}

// XLA's limit. `a` is read by abs, which is as many steps from the sum as the chain is long.
TEST(MergeNearGathersTest, OnlyOfNeighbours) {
  EXPECT_THAT(OnV5e(MergeNearGathers, FarApart(100)), Not(HasSubstr("b = ")));
  EXPECT_THAT(OnV5e(MergeNearGathers, FarApart(101)), HasSubstr("b = "));
  for (const char* nothing : {"copy", "reshape"}) {
    const std::string nearer = absl::StrReplaceAll(
        FarApart(101), {{"n7 = f32[16] negate", absl::StrCat("n7 = f32[16] ", nothing)}});
    EXPECT_THAT(OnV5e(MergeNearGathers, nearer), Not(HasSubstr("b = "))) << nothing;
  }
}

TEST(MergeNearGathersTest, CopiesAreTheirOperand) {
  const std::string of_copy = absl::StrReplaceAll(
      FarApart(1),
      {{"  b = f32[16] all-gather(x)", "  c = f32[8] copy(x)\n  b = f32[16] all-gather(c)"}});
  EXPECT_THAT(of_copy, HasSubstr("all-gather(c)"));
  EXPECT_THAT(OnV5e(MergeNearGathers, of_copy), Not(HasSubstr("b = ")));
}

// A reduce that keeps a dimension of size one is a step more than one that does not, but not later on.
TEST(MergeNearGathersTest, ReducesLoseOnesBeforeTheSecondRun) {
  const auto stays = [](absl::Status (*run)(Context&), int steps, const std::string& one) {
    const std::string sum = absl::StrReplaceAll(
        "n0 = f32[16] abs(a)\n  zero = f32[] constant(0)\n"
        "  wide = f32[1,16,2] broadcast(n0), dimensions={1}\n"
        "  less = f32[ONE16] reduce(wide, zero), dimensions={DIMS}, to_apply=sum\n"
        "  m0 = f32[16] reshape(less)\n",
        {{"ONE", one}, {"DIMS", one.empty() ? "0,2" : "2"}});
    const std::string text = absl::StrReplaceAll(
        FarApart(steps), {{"n0 = f32[16] abs(a)\n", sum}, {"negate(n0)", "negate(m0)"}});
    return absl::StrContains(OnV5e(run, absl::StrCat(kSum, text)), "b = f32[16]");
  };
  EXPECT_FALSE(stays(MergeNearGathers, 98, ""));
  EXPECT_TRUE(stays(MergeNearGathers, 98, "1,"));
  EXPECT_FALSE(stays(MergeNearGathersAgain, 98, "1,"));
  EXPECT_TRUE(stays(MergeNearGathersAgain, 99, "1,"));
}

TEST(MergeNearGathersTest, TheSecondRunGathersWithoutOnes) {
  const std::string text = absl::StrReplaceAll(
      kTwice, {{"  b = f32[16] all-gather(x), dimensions={0}",
                "  r = f32[1,8,1] reshape(x)\n  b = f32[1,16,1] all-gather(r), dimensions={1}"},
               {"(f32[16], f32[16])", "(f32[16], f32[1,16,1])"}});
  EXPECT_THAT(OnV5e(MergeNearGathers, text), HasSubstr("tuple(a, b)"));
  EXPECT_THAT(OnV5e(MergeNearGathersAgain, text),
              AllOf(Not(HasSubstr("all-gather(r)")), HasSubstr("f32[1,16,1]{2,1,0} reshape(a)")));
  const std::string along_one = absl::StrReplaceAll(
      text, {{"f32[1,16,1]", "f32[2,8,1]"}, {"dimensions={1}", "dimensions={0}"}});
  EXPECT_THAT(OnV5e(MergeNearGathersAgain, along_one), HasSubstr("tuple(a, b)"));
}

// Permutes are merged at any distance, and what gathers them then reads one array.
TEST(MergeNearGathersTest, PermutesAreOne) {
  const auto after = [](int steps) {
    return OnV5e(
        MergeNearGathers,
        absl::StrReplaceAll(FarApart(steps),
                            {{"  a = f32[16] all-gather(x)",
                              "  p = f32[8] collective-permute(x), channel_id=3, "
                              "source_target_pairs={{0,1},{1,0}}\n  a = f32[16] all-gather(p)"},
                             {"  b = f32[16] all-gather(x)",
                              "  q = f32[8] collective-permute(x), channel_id=4, "
                              "source_target_pairs={{0,1},{1,0}}\n  b = f32[16] all-gather(q)"}}));
  };
  EXPECT_THAT(after(100), AllOf(Not(HasSubstr("q = ")), Not(HasSubstr("b = "))));
  EXPECT_THAT(after(101), AllOf(Not(HasSubstr("q = ")), HasSubstr("b = f32[16]{0} all-gather(p)")));
}

// A product of one row reads and gives arrays without the row: two reshapes, which the text does not have.
TEST(MergeNearGathersTest, ReshapesAroundProductsAreSteps) {
  const auto after = [](int steps, const std::string& rows) {
    const std::string product = absl::StrCat(
        "n0 = f32[16] abs(a)\n  row = f32[", rows,
        "] broadcast(n0), dimensions={1}\n  w = f32[16,16] "
        "parameter(1)\n  less = f32[",
        rows, "] negate(row)\n  d = f32[", rows,
        "] dot(less, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  more = f32[", rows,
        "] negate(d)\n  zero = f32[] constant(0)\n"
        "  m0 = f32[16] reduce(more, zero), dimensions={0}, to_apply=sum\n");
    return OnV5e(
        MergeNearGathers,
        absl::StrCat(kSum, absl::StrReplaceAll(FarApart(steps), {{"n0 = f32[16] abs(a)\n", product},
                                                                 {"negate(n0)", "negate(m0)"}})));
  };
  EXPECT_THAT(after(95, "2,16"), Not(HasSubstr("b = f32[16]")));
  EXPECT_THAT(after(96, "2,16"), HasSubstr("b = f32[16]"));
  EXPECT_THAT(after(93, "1,16"), Not(HasSubstr("b = f32[16]")));
  EXPECT_THAT(after(94, "1,16"), HasSubstr("b = f32[16]"));
}

// The third gather is near the second, which is far from the first.
TEST(MergeNearGathersTest, TheNearerOneOfTwo) {
  const std::string text = absl::StrReplaceAll(
      FarApart(150), {{"  ROOT t = f32[16] add(n150, b)",
                       "  c = f32[16] all-gather(x), dimensions={0}, channel_id=3, "
                       "replica_groups=[4,2]<=[8], use_global_device_ids=true\n"
                       "  d = f32[16] add(n150, b)\n  ROOT t = f32[16] add(d, c)"}});
  EXPECT_THAT(OnV5e(MergeNearGathers, text), AllOf(HasSubstr("add(d, b)"), HasSubstr("abs(a)")));
}

// A copy of what was gathered, as constraints leave it: each device keeps its own part.
TEST(TpuPassesTest, CopiesGoBeforeSlicedGathers) {
  const auto all = [](Context& context) -> absl::Status {
    for (const Pass& pass : TpuPasses()) TESSERA_RETURN_IF_ERROR(pass.run(context));
    return absl::OkStatus();
  };
  const std::string text =
      "HloModule m, num_partitions=8\n\nENTRY e {\n  x = f32[8] parameter(0)\n"
      "  g = f32[64] all-gather(x), dimensions={0}, channel_id=1, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true\n"
      "  c = f32[64] copy(g)\n  p = u32[] partition-id()\n"
      "  starts = s32[8] constant({0, 8, 16, 24, 32, 40, 48, 56})\n"
      "  row = s32[1] dynamic-slice(starts, p), dynamic_slice_sizes={1}\n"
      "  start = s32[] reshape(row)\n"
      "  ROOT own = f32[8] dynamic-slice(c, start), dynamic_slice_sizes={8}\n}\n";
  EXPECT_THAT(OnV5e(all, text), Not(HasSubstr("all-gather(")));
}

TEST(MergeEqualCollectivesTest, SumsOfAnyChannel) {
  const std::string sums = absl::StrReplaceAll(
      kTwice,
      {{"f32[16]", "f32[8]"}, {"all-gather(x), dimensions={0}", "all-reduce(x), to_apply=sum"}});
  EXPECT_THAT(OnV5e(MergeEqualCollectives, absl::StrCat(kSum, sums)), HasSubstr("tuple(a, a)"));
}

// A constraint and what has a sharding stay.
TEST(MergeBeforeShardyTest, WhatHasNoSharding) {
  const std::string text =
      "ENTRY e {\n  x = f32[8] parameter(0)\n  a = f32[8] negate(x)\n  b = f32[8] negate(x)\n"
      "  ROOT t = (f32[8], f32[8]) tuple(a, b)\n}\n";
  EXPECT_THAT(OnV5e(MergeBeforeShardy, text), HasSubstr("tuple(a, a)"));
  const std::string cut = absl::StrReplaceAll(
      text, {{"b = f32[8] negate(x)", "b = f32[8] negate(x), sharding={devices=[8]<=[8]}"}});
  EXPECT_THAT(OnV5e(MergeBeforeShardy, cut), HasSubstr("tuple(a, b)"));
}

// The compiler merges sums of any channel before it inlines calls only.
TEST(MergeEqualCollectivesTest, WhatAFunctionSumsStaysApart) {
  const std::string sum =
      " = f32[8] all-reduce(x), to_apply=sum, use_global_device_ids=true, "
      "replica_groups=[1,8]<=[8], channel_id=";
  const std::string text =
      absl::StrCat(kSum, "f {\n  x = f32[8] parameter(0)\n  ROOT c", sum,
                   "1\n}\n\nENTRY e {\n  x = f32[8] parameter(0)\n  a", sum, "2\n  b", sum,
                   "3\n  d = f32[8] call(x), to_apply=f\n  ROOT t = (f32[8], f32[8], f32[8]) "
                   "tuple(a, b, d)\n}\n");
  const auto merge_and_inline = [](Context& context) -> absl::Status {
    TESSERA_RETURN_IF_ERROR(MergeEqualCollectives(context));
    TESSERA_RETURN_IF_ERROR(InlineCalls(context));
    return EliminateCommonSubexpressions(context);
  };
  EXPECT_THAT(OnV5e(merge_and_inline, text),
              AllOf(HasSubstr("tuple(a, a, c"), HasSubstr("ROOT t")));
}

// A forward pass that the backward pass computes again stays apart.
TEST(MergeEqualCollectivesTest, WhatStandsAfterABarrierStays) {
  const std::string text = absl::StrCat(
      kSum,
      "ENTRY e {\n  x = f32[8] parameter(0)\n"
      "  a = f32[8] all-reduce(x), to_apply=sum, channel_id=1, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true\n"
      "  b = f32[8] opt-barrier(x)\n"
      "  c = f32[8] all-reduce(b), to_apply=sum, channel_id=2, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true\n"
      "  ROOT t = (f32[8], f32[8]) tuple(a, c)\n}\n");
  EXPECT_THAT(OnV5e(MergeEqualCollectives, text), HasSubstr("tuple(a, c)"));
  EXPECT_THAT(
      OnV5e(MergeEqualCollectives, absl::StrReplaceAll(text, {{"opt-barrier(x)", "copy(x)"},
                                                              {"all-reduce(b)", "all-reduce(x)"}})),
      HasSubstr("tuple(a, a)"));
}

// A combined sum would have to run after what it makes.
TEST(AllReduceCombinerTest, NotAcrossABarrier) {
  const auto text = [](const std::string& second) {
    return absl::StrCat(
        kSum,
        "ENTRY e {\n  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n"
        "  a = f32[8] all-reduce(x), to_apply=sum, channel_id=1, replica_groups=[1,8]<=[8], "
        "use_global_device_ids=true\n"
        "  i = (f32[8], f32[8]) tuple(a, y)\n  b = (f32[8], f32[8]) opt-barrier(i)\n"
        "  g = f32[8] get-tuple-element(b), index=1\n"
        "  c = f32[8] all-reduce(",
        second,
        "), to_apply=sum, channel_id=2, replica_groups=[1,8]<=[8], "
        "use_global_device_ids=true\n"
        "  ROOT t = (f32[8], f32[8]) tuple(a, c)\n}\n");
  };
  EXPECT_THAT(OnV5e(CombineTpuAllReduces, text("y")),
              HasSubstr("(f32[8]{0}, f32[8]{0}) all-reduce("));
  EXPECT_THAT(OnV5e(CombineTpuAllReduces, text("g")),
              Not(HasSubstr("(f32[8]{0}, f32[8]{0}) all-reduce(")));
}

std::string Gathered(int64_t group) {
  return absl::StrCat("ENTRY e {\n  x = f32[2,8] parameter(0)\n  ROOT g = f32[", 2 * group,
                      ",8] all-gather(x), dimensions={0}, channel_id=1, replica_groups=[",
                      64 / group, ",", group, "]<=[64], use_global_device_ids=true\n}\n");
}

TEST(DecomposeAllGathersTest, OnlyWholeLargeTori) {
  const auto after = [](int64_t group, const std::string& target) {
    return OnV5e(DecomposeAllGathers, Gathered(group), target);
  };
  EXPECT_THAT(after(64, "tpu-v5p:4x4x4"),
              AllOf(HasSubstr("f32[128,8]{1,0} all-reduce("), HasSubstr("dynamic-update-slice("),
                    Not(HasSubstr("all-gather("))));
  EXPECT_THAT(after(32, "tpu-v5p:4x4x4"), Not(HasSubstr("all-reduce(")));
  EXPECT_THAT(after(64, "tpu-v5p:2x4x8"), Not(HasSubstr("all-reduce(")));
  EXPECT_THAT(after(64, "tpu-v5e:8x8"), HasSubstr("all-reduce("));
  EXPECT_THAT(after(8, "tpu-v5e:8x8"), Not(HasSubstr("all-reduce(")));
  EXPECT_THAT(after(32, "tpu-v5e:4x8"), Not(HasSubstr("all-reduce(")));
}

TEST(DecomposeAllGathersTest, OfTwoDimensionsOnlyUpTo16MiB) {
  const auto after = [](int64_t rows) {
    return OnV5e(DecomposeAllGathers,
                 absl::StrCat("ENTRY e {\n  x = bf16[", rows,
                              ",1024] parameter(0)\n  ROOT g = bf16[", 64 * rows,
                              ",1024] all-gather(x), dimensions={0}, channel_id=1, "
                              "replica_groups=[1,64]<=[64], use_global_device_ids=true\n}\n"),
                 "tpu-v6e:8x8");
  };
  EXPECT_THAT(after(128), HasSubstr("all-reduce("));
  EXPECT_THAT(after(129), Not(HasSubstr("all-reduce(")));
}

// Groups of four devices on a chip of two dimensions, as the compiler has it.
TEST(DecomposeAllGathersTest, VectorsWhosePartsFillNoTiles) {
  const auto after = [](const std::string& part, const std::string& whole) {
    return OnV5e(
        DecomposeAllGathers,
        absl::StrCat("ENTRY e {\n  x = ", part, " parameter(0)\n  ROOT g = ", whole,
                     " all-gather(x), dimensions={0}, channel_id=1, replica_groups=[2,4]<=[8]"
                     ", use_global_device_ids=true\n}\n"));
  };
  EXPECT_THAT(after("f32[192]", "f32[768]"),
              AllOf(HasSubstr("f32[768]{0} all-reduce("),
                    HasSubstr("constant({0, 192, 384, 576, 0, 192, 384, 576})")));
  EXPECT_THAT(after("s32[16,1]", "s32[64,1]"), HasSubstr("s32[64,1]{1,0} all-reduce("));
  EXPECT_THAT(after("f32[128]", "f32[512]"), HasSubstr("all-gather("));
  EXPECT_THAT(after("f32[16,3]", "f32[64,3]"), HasSubstr("all-gather("));
  EXPECT_THAT(after("s8[16]", "s8[64]"), HasSubstr("all-gather("));
}

// --- Loops ---------------------------------------------------------------------------------------

// Exchanges x in each trip.
std::string Loop(int trips) {
  return absl::StrCat(
      "body {\n  p = (s32[], f32[8]) parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  x = f32[8] get-tuple-element(p), index=1\n  one = s32[] constant(1)\n"
      "  j = s32[] add(i, one)\n"
      "  y = f32[8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
      "  ROOT t = (s32[], f32[8]) tuple(j, y)\n}\n"
      "condition {\n  p = (s32[], f32[8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(",
      trips,
      ")\n  ROOT less = pred[] compare(i, n), direction=LT\n}\n"
      "ENTRY e {\n  x = f32[8] parameter(0)\n  zero = s32[] constant(0)\n"
      "  start = (s32[], f32[8]) tuple(zero, x)\n"
      "  w = (s32[], f32[8]) while(start), condition=condition, body=body\n"
      "  ROOT r = f32[8] get-tuple-element(w), index=1\n}\n");
}

TEST(UnrollOneTripLoopsTest, OnlyLoopsThatRunOnce) {
  EXPECT_THAT(OnV5e(UnrollOneTripLoops, Loop(1)),
              AllOf(HasSubstr("collective-permute("), Not(HasSubstr("while("))));
  EXPECT_THAT(OnV5e(UnrollOneTripLoops, Loop(2)), HasSubstr("while("));
}

// The loop adds up in f32 what devices sum in bf16.
constexpr char kAddedUp[] =
    "sum {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n  ROOT s = bf16[] add(a, b)\n}\n"
    "body {\n  p = (s32[], f32[8], bf16[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n"
    "  j = s32[] add(i, one)\n  k = f32[8] get-tuple-element(p), index=1\n"
    "  g = bf16[8] get-tuple-element(p), index=2\n"
    "  r = bf16[8] all-reduce(g), channel_id=1, replica_groups=[1,8]<=[8], "
    "use_global_device_ids=true, to_apply=sum\n"
    "  wide = f32[8] convert(r)\n  next = f32[8] add(k, wide)\n"
    "  ROOT t = (s32[], f32[8], bf16[8]) tuple(j, next, g)\n}\n"
    "condition {\n  p = (s32[], f32[8], bf16[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(4)\n"
    "  ROOT less = pred[] compare(i, n), direction=LT\n}\n"
    "ENTRY e {\n  x = f32[8] parameter(0)\n  g = bf16[8] parameter(1)\n"
    "  zero = s32[] constant(0)\n"
    "  start = (s32[], f32[8], bf16[8]) tuple(zero, x, g)\n"
    "  w = (s32[], f32[8], bf16[8]) while(start), condition=condition, body=body\n"
    "  ROOT result = f32[8] get-tuple-element(w), index=1\n}\n";

TEST(MoveAddedSumsOutOfLoopsTest, TheSumHasTheTypeOfTheElement) {
  EXPECT_THAT(OnV5e(MoveAddedSumsOutOfLoops, kAddedUp),
              AllOf(HasSubstr("f32[8]{0} all-reduce("), Not(HasSubstr("bf16[8]{0} all-reduce("))));
}

// What is stacked has it not: gradients of biases in bf16, over layers.
TEST(MoveAddedSumsOutOfLoopsTest, AStackIsSummedInTheTypeOfTheSums) {
  const std::string text =
      absl::StrReplaceAll(kAddedUp, {{"x = f32[8] parameter(0)", "x = f32[4,8] parameter(0)"},
                                     {"k = f32[8] get", "k = f32[4,8] get"},
                                     {"(s32[], f32[8], bf16[8])", "(s32[], f32[4,8], bf16[8])"},
                                     {"next = f32[8] add(k, wide)",
                                      "row = f32[1,8] reshape(wide)\n  none = s32[] constant(0)\n"
                                      "  next = f32[4,8] dynamic-update-slice(k, row, i, none)"},
                                     {"ROOT result = f32[8]", "ROOT result = f32[4,8]"}});
  EXPECT_THAT(OnV5e(MoveAddedSumsOutOfLoops, text), HasSubstr("bf16[4,8]{1,0} all-reduce("));
}

// A loop that exchanges what it is given: `weights` of its third element.
std::string Exchanging(const std::string& weights, const std::string& next = "g") {
  return absl::StrReplaceAll(
      kAddedUp, {{"  r = bf16[8] all-reduce(g), channel_id=1, replica_groups=[1,8]<=[8], "
                  "use_global_device_ids=true, to_apply=sum\n",
                  absl::StrCat(weights,
                               "  r = bf16[8] collective-permute(v), channel_id=1, "
                               "source_target_pairs={{0,1},{1,0}}\n")},
                 {"tuple(j, next, g)", absl::StrCat("tuple(j, next, ", next, ")")}});
}

bool IsInLoop(const std::string& text) {
  const std::string after = OnV5e(MoveInvariantExchanges, text);
  return after.find("collective-permute(") < after.find("ENTRY");
}

TEST(MoveInvariantExchangesTest, OfWhatDoesNotChange) {
  EXPECT_FALSE(IsInLoop(Exchanging("  v = bf16[8] negate(g)\n")));
  EXPECT_TRUE(IsInLoop(Exchanging("  v = bf16[8] negate(g)\n", "v"))) << "changed by the loop";
  EXPECT_TRUE(IsInLoop(Exchanging("  v = bf16[8] convert(k)\n"))) << "another element";
  EXPECT_TRUE(IsInLoop(Exchanging("  h = bf16[8] opt-barrier(g)\n  v = bf16[8] negate(h)\n")))
      << "after a barrier";
  EXPECT_TRUE(IsInLoop(Exchanging("  w = s8[8] convert(g)\n  v = bf16[8] convert(w)\n")))
      << "wider than what it reads";
}

// The loop would carry more than it was given.
TEST(MoveInvariantExchangesTest, NotOfABroadcast) {
  const std::string after = OnV5e(MoveInvariantExchanges,
                                  Exchanging("  b = bf16[4,8] broadcast(g), dimensions={1}\n"
                                             "  e = bf16[4,8] collective-permute(b), channel_id=2, "
                                             "source_target_pairs={{0,1},{1,0}}\n"
                                             "  q = bf16[1,8] slice(e), slice={[0:1], [0:8]}\n"
                                             "  v = bf16[8] reshape(q)\n"));
  EXPECT_LT(after.find("bf16[4,8]{1,0} collective-permute("), after.find("ENTRY"));
}

TEST(MoveInvariantExchangesTest, OfAllToAlls) {
  const std::string text = absl::StrReplaceAll(
      Exchanging("  v = bf16[8] negate(g)\n"),
      {{"collective-permute(v), channel_id=1, source_target_pairs={{0,1},{1,0}}",
        "all-to-all(v), channel_id=1, dimensions={0}, replica_groups=[1,8]<=[8]"}});
  const std::string after = OnV5e(MoveInvariantExchanges, text);
  EXPECT_GT(after.find("all-to-all("), after.find("ENTRY"));
}

TEST(MoveInvariantExchangesTest, TheLoopCarriesIt) {
  const std::string after = OnV5e(MoveInvariantExchanges, Exchanging("  v = bf16[8] negate(g)\n"));
  EXPECT_THAT(after, HasSubstr("(s32[], f32[8]{0}, bf16[8]{0}, bf16[8]{0}) while("));
  EXPECT_THAT(after, HasSubstr("get-tuple-element(p), index=3"));
}

// As the compiler has both.
TEST(ReassociateAllReducesTest, NotOfWhatIsWidened) {
  const auto after = [](const std::string& widened) {
    const std::string sum =
        " all-reduce(x), to_apply=sum, channel_id=1, replica_groups=[1,8]<=[8], "
        "use_global_device_ids=true\n";
    return OnV5e(ReassociateAllReduces,
                 absl::StrCat("sum {\n  a = bf16[] parameter(0)\n  b = bf16[] parameter(1)\n"
                              "  ROOT s = bf16[] add(a, b)\n}\nENTRY e {\n"
                              "  x = bf16[512,1024] parameter(0)\n  a = bf16[512,1024]",
                              sum, "  b = bf16[512,1024]", sum, widened, "}\n"));
  };
  EXPECT_THAT(after("  ROOT t = bf16[512,1024] add(a, b)\n"), HasSubstr("all-reduce(t"));
  EXPECT_THAT(after("  c = f32[512,1024] convert(a)\n  d = f32[512,1024] convert(b)\n"
                    "  ROOT t = f32[512,1024] add(c, d)\n"),
              HasSubstr("add(c, d)"));
  EXPECT_THAT(after("  z = bf16[] constant(0)\n"
                    "  p = bf16[1024,1024] pad(a, z), padding=0_512x0_0\n"
                    "  q = bf16[1024,1024] pad(b, z), padding=512_0x0_0\n"
                    "  c = f32[1024,1024] convert(p)\n  d = f32[1024,1024] convert(q)\n"
                    "  ROOT t = f32[1024,1024] add(c, d)\n"),
              AllOf(HasSubstr("pad(a, z)"), HasSubstr("pad(b, z)")));
}

// A gradient of two crops of images, summed over one axis, cut, and summed over the other.
TEST(ReassociateAllReducesTest, SumsOfSums) {
  const auto two = [](const std::string& x, const std::string& y) {
    return absl::StrCat(
        "  a.", x, " = f32[64,128] all-reduce(", x, "), to_apply=sum, channel_id=", y,
        ", replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true\n  s.", x,
        " = f32[32,128] dynamic-slice(a.", x, ", place, zero), dynamic_slice_sizes={32,128}\n  b.",
        x, " = f32[32,128] all-reduce(s.", x, "), to_apply=sum, channel_id=1", y,
        ", replica_groups=[2,4]<=[8], use_global_device_ids=true\n");
  };
  const std::string after = OnV5e(
      ReassociateAllReduces,
      absl::StrCat(kSum,
                   "ENTRY e {\n  x = f32[64,128] parameter(0)\n  y = f32[64,128] parameter(1)\n"
                   "  place = s32[] parameter(2)\n  zero = s32[] constant(0)\n",
                   two("x", "1"), two("y", "2"), "  ROOT t = f32[32,128] add(b.x, b.y)\n}\n"));
  EXPECT_THAT(after, HasSubstr("f32[64,128]{1,0} add(x, y)"));
  EXPECT_THAT(after, Not(HasSubstr("all-reduce(s.x)")));
}

// A loop that stacks one sum of so many elements in each of four trips.
std::string Stacked(int64_t size) {
  const std::string row = absl::StrCat("f32[1,", size, "]"),
                    all = absl::StrCat("f32[4,", size, "]");
  const std::string state = absl::StrCat("(s32[], ", all, ", ", row, ")");
  return absl::StrCat(
      kSum, "condition {\n  p = ", state, " parameter(0)\n",
      "  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(4)\n"
      "  ROOT c = pred[] compare(i, n), direction=LT\n}\n\nbody {\n  p = ",
      state, " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  a = ", all,
      " get-tuple-element(p), index=1\n  g = ", row, " get-tuple-element(p), index=2\n  r = ", row,
      " all-reduce(g), to_apply=sum, channel_id=1, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true\n  zero = s32[] constant(0)\n  u = ",
      all, " dynamic-update-slice(a, r, i, zero)\n  one = s32[] constant(1)\n",
      "  next = s32[] add(i, one)\n  ROOT t = ", state,
      " tuple(next, u, g)\n}\n\nENTRY e {\n  a = ", all, " parameter(0)\n  g = ", row,
      " parameter(1)\n  zero = s32[] constant(0)\n  start = ", state,
      " tuple(zero, a, g)\n  w = ", state,
      " while(start), condition=condition, body=body\n  ROOT result = ", all,
      " get-tuple-element(w), index=1\n}\n");
}

TEST(MoveAddedSumsOutOfLoopsTest, StackedSumsUpTo10Kibibytes) {
  EXPECT_THAT(OnV5e(MoveAddedSumsOutOfLoops, Stacked(640)),
              HasSubstr("f32[4,640]{1,0} all-reduce("));
  EXPECT_THAT(OnV5e(MoveAddedSumsOutOfLoops, Stacked(641)),
              HasSubstr("f32[1,641]{1,0} all-reduce("));
}

// --- Sums and slices -----------------------------------------------------------------------------

// Four of eight devices sum an array, and each keeps its part along one dimension: f32[64,256] -> 16 rows.
struct Cut {
  std::string type;
  std::vector<int64_t> whole;
  size_t dimension;
};

std::string CutText(const Cut& cut) {
  std::vector<int64_t> part = cut.whole;
  part[cut.dimension] /= 4;
  const auto shape = [&](const std::vector<int64_t>& dims) {
    return absl::StrCat(cut.type, "[", absl::StrJoin(dims, ","), "]");
  };
  std::string index, places;
  for (size_t d = 0; d < part.size(); ++d) {
    absl::StrAppend(&index, ", ", d == cut.dimension ? "place" : "zero");
  }
  for (int64_t device = 0; device < 8; ++device) {
    absl::StrAppend(&places, device == 0 ? "" : ", ", device % 4 * part[cut.dimension]);
  }
  return absl::StrCat(
      absl::StrReplaceAll(kSum, {{"f32", cut.type}}), "ENTRY e {\n  x = ", shape(cut.whole),
      " parameter(0)\n  r = ", shape(cut.whole),
      " all-reduce(x), to_apply=sum, channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, "
      "use_global_device_ids=true\n  list = s32[8] constant({",
      places, "})\n  id = u32[] partition-id()\n",
      "  one = s32[1] dynamic-slice(list, id), dynamic_slice_sizes={1}\n",
      "  place = s32[] reshape(one)\n  zero = s32[] constant(0)\n  ROOT d = ", shape(part),
      " dynamic-slice(r", index, "), dynamic_slice_sizes={", absl::StrJoin(part, ","), "}\n}\n");
}

bool IsScattered(const Cut& cut) {
  return absl::StrContains(OnV5e(FuseSumsWithSlices, CutText(cut)), "reduce-scatter(");
}

// What the compiler made of the same sums on v5e:2x4; the comment is the layout there.
TEST(FuseSumsWithSlicesTest, WhatTheCompilerScatters) {
  const Cut kScattered[] = {
      {"f32", {512, 512}, 1},      // {1,0}: 128 columns are a tile of words
      {"bf16", {512, 1024}, 1},    // 256 columns are
      {"f32", {512, 8, 32}, 0},    // {0,2,1}: the first dimension is columns
      {"bf16", {1024, 8, 32}, 0},  //
      {"f32", {4, 32, 256}, 1},    // {2,1,0}: 8 rows
      {"bf16", {4, 64, 256}, 1},   // 16 rows
      {"f32", {256, 64, 256}, 1},  // 256 pieces
      {"f32", {1000, 256}, 0},     // 250 rows are padded to 256
      {"f32", {20, 256}, 0},       // 5 rows to 8
      {"f32", {44, 256}, 0},       // 11 rows to 16
      {"f32", {64, 128}, 0},       // two tiles
      {"bf16", {4, 16, 128}, 0},   //
      {"f32", {9, 2048}, 1},       // rows may be padded
      {"f32", {7112, 4096}, 1},    // 7 x 127 rows of tiles in 127 chunks
  };
  for (const Cut& cut : kScattered) EXPECT_TRUE(IsScattered(cut)) << CutText(cut);
}

TEST(FuseSumsWithSlicesTest, WhatTheCompilerDoesNotScatter) {
  const Cut kSummed[] = {
      {"bf16", {512, 512}, 1},     // 128 columns are half of a tile of words
      {"bf16", {512, 8, 32}, 0},   //
      {"bf16", {4, 32, 256}, 1},   // so are 8 rows
      {"f32", {4, 16, 256}, 1},    // 4 rows
      {"f32", {424, 4096}, 1},     // 53 rows of tiles, and 38 fit: no equal chunks but of one row
      {"f32", {4064, 4096}, 1},    // 4 x 127 rows of tiles
      {"f32", {257, 64, 256}, 1},  // 257 pieces
      {"f32", {40, 256}, 0},       // 10 rows are padded to 16: more than by half
      {"f32", {16, 256}, 0},       // tiles of 4 rows
      {"f32", {32, 128}, 0},       // one tile
      {"f32", {4, 8, 128}, 0},     //
      {"f32", {2, 129, 2048}, 2},  // {2,0,1}: tiles of 2 rows
      {"f32", {1024}, 0},          //
      {"s32", {64, 256}, 0},       // of float32 and bfloat16 only
      {"f16", {64, 256}, 0},       //
  };
  for (const Cut& cut : kSummed) EXPECT_FALSE(IsScattered(cut)) << CutText(cut);
}

// Newton-Schulz steps of a gradient that is cut: bf16[384,192]{0,1} would need no padding, and {1,0} is no whole tiles.
TEST(FuseSumsWithSlicesTest, WhatOnlyProductsReadIsRowMajor) {
  const Cut cut = {"bf16", {384, 768}, 1};
  EXPECT_TRUE(IsScattered(cut));
  const std::string read = absl::StrReplaceAll(
      CutText(cut), {{"ROOT d", "d"},
                     {"{384,192}\n}\n",
                      "{384,192}\n  n = bf16[384,192] negate(d)\n  y = bf16[192,64] parameter(1)\n"
                      "  ROOT p = bf16[384,64] dot(n, y), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}\n}\n"}});
  EXPECT_THAT(read, HasSubstr("dot(n, y)"));
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, read), Not(HasSubstr("reduce-scatter(")));
}

// Messages that meet at nodes: heads and their features are joined for a product, so that heads stay tiles of 4 rows.
TEST(FuseSumsWithSlicesTest, WhatIsReshapedForProductsIsRowMajor) {
  const auto is_scattered = [](const std::string& reads) {
    const std::string text = absl::StrReplaceAll(
        CutText({"f32", {8192, 4, 64}, 0}),
        {{"ROOT d", "d"}, {"{2048,4,64}\n}\n", absl::StrCat("{2048,4,64}\n", reads, "}\n")}});
    return absl::StrContains(OnV5e(FuseSumsWithSlices, text), "reduce-scatter(");
  };
  EXPECT_TRUE(is_scattered(
      "  ROOT p = f32[64,64] dot(d, d), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}\n"));
  EXPECT_FALSE(is_scattered(
      "  n = f32[2048,256] reshape(d)\n"
      "  ROOT p = f32[256,256] dot(n, n), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"));
}

// Over all devices, as the compiler has it on 18 topologies.
TEST(FuseSumsWithSlicesTest, WholeTori) {
  const auto is_scattered = [](int64_t devices, const std::string& target) {
    const std::string text = absl::StrCat(
        kSum, "ENTRY e {\n  x = f32[4096,1024] parameter(0)\n  a = f32[4096,1024] all-reduce(x), ",
        "channel_id=1, replica_groups=[1,", devices, "]<=[", devices,
        "], use_global_device_ids=true, to_apply=sum\n  p = u32[] partition-id()\n  s = s32[] "
        "convert(p)\n  part = s32[] constant(",
        4096 / devices,
        ")\n  o = s32[] multiply(s, part)\n"
        "  zero = s32[] constant(0)\n  ROOT d = f32[",
        4096 / devices, ",1024] dynamic-slice(a, o, zero), dynamic_slice_sizes={", 4096 / devices,
        ",1024}\n}\n");
    return absl::StrContains(OnV5e(FuseSumsWithSlices, text, target), "reduce-scatter(");
  };
  EXPECT_TRUE(is_scattered(4, "tpu-v5e:2x2"));
  EXPECT_TRUE(is_scattered(32, "tpu-v5e:4x8"));
  EXPECT_TRUE(is_scattered(64, "tpu-v5p:2x4x8"));
  EXPECT_FALSE(is_scattered(16, "tpu-v6e:4x4"));
  EXPECT_FALSE(is_scattered(8, "tpu-v5p:2x2x2"));
  EXPECT_FALSE(is_scattered(32, "tpu-v5p:2x4x4"));
}

TEST(DecomposeReduceScattersTest, OverAWholeTorusWithEqualSides) {
  const std::string text =
      absl::StrCat(kSum, "ENTRY e {\n  x = f32[4096,1024] parameter(0)\n  ROOT r = f32[512,1024] ",
                   "reduce-scatter(x), dimensions={0}, channel_id=1, replica_groups=[1,8]<=[8], "
                   "use_global_device_ids=true, to_apply=sum\n}\n");
  EXPECT_THAT(
      OnV5e(DecomposeReduceScatters, text, "tpu-v5p:2x2x2"),
      AllOf(HasSubstr("f32[4096,1024]{1,0} all-reduce(x)"),
            HasSubstr("s64[8]{0} constant({0, 512, 1024, 1536, 2048, 2560, 3072, 3584})"),
            HasSubstr("dynamic_slice_sizes={512,1024}"), Not(HasSubstr("reduce-scatter("))));
  EXPECT_THAT(OnV5e(DecomposeReduceScatters, text), HasSubstr("reduce-scatter(x)"));
}

// Of the key's weights in a transformer, which a product makes: {2,0,1}, not tiles of two rows.
TEST(FuseSumsWithSlicesTest, RowsOfAProduct) {
  EXPECT_TRUE(IsScattered({"bf16", {768, 2, 128}, 0}));
}

// 128 of 512 features are half of a tile of words, 256 are a whole one. The compiler has {3,0,2,1}, where
// pieces of a part lie 16 times.
TEST(FuseSumsWithSlicesTest, FeaturesOfAConvolution) {
  const auto text = [](int64_t features) {
    return absl::StrReplaceAll(
        CutText({"bf16", {8, 4, 4, features}, 3}),
        {{"  r = ", absl::StrCat("  k = bf16[1,1,", features, ",", features,
                                 "] parameter(1)\n  c = bf16[8,4,4,", features,
                                 "] convolution(x, k), window={size=1x1}, "
                                 "dim_labels=b01f_01io->b01f\n  r = ")},
         {"all-reduce(x)", "all-reduce(c)"}});
  };
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, text(1024)), HasSubstr("reduce-scatter("));
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, text(512)), Not(HasSubstr("reduce-scatter(")));
}

// The gradient of a table whose rows are read and that a product reads, too; each device keeps some columns. The
// compiler has {0,1}, though it gathers rows in {1,0}.
TEST(FuseSumsWithSlicesTest, AProductOfTheSizesOfATable) {
  const std::string sum = absl::StrReplaceAll(
      CutText({"bf16", {51866, 256}, 1}),
      {{"  r = ",
        "  i = s32[64,1] parameter(1)\n  h = bf16[64,51866] parameter(2)\n"
        "  g = bf16[64,256] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, "
        "start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}\n"
        "  p = bf16[51866,256] dot(h, g), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
        "  r = "}});
  EXPECT_THAT(
      OnV5e(FuseSumsWithSlices, absl::StrReplaceAll(sum, {{"all-reduce(x)", "all-reduce(p)"}})),
      HasSubstr("reduce-scatter("));
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, sum), Not(HasSubstr("reduce-scatter(")));
}

// Eight devices keep an eighth of the rows each.
constexpr char kRows[] =
    "ENTRY e {\n  x = f32[64,256] parameter(0)\n"
    "  r = f32[64,256] all-reduce(x), to_apply=sum, channel_id=1, replica_groups=[1,8]<=[8], "
    "use_global_device_ids=true\n"
    "  list = s32[8] constant({0,8,16,24,32,40,48,56})\n  id = u32[] partition-id()\n"
    "  one = s32[1] dynamic-slice(list, id), dynamic_slice_sizes={1}\n"
    "  place = s32[] reshape(one)\n  zero = s32[] constant(0)\n"
    "  ROOT d = f32[8,256] dynamic-slice(r, place, zero), dynamic_slice_sizes={8,256}\n}\n";

// The other operand of the add is sliced, too.
TEST(MoveSlicesToSumsTest, ThroughWhatIsAdded) {
  const auto after = [](const std::string& added) {
    const std::string text = absl::StrReplaceAll(
        CutText({"f32", {64, 256}, 0}),
        {{"  ROOT d = ", absl::StrCat("  y = f32[64,256] parameter(1)\n", added, "  ROOT d = ")},
         {"dynamic-slice(r,", "dynamic-slice(added,"}});
    return OnV5e(MoveSlicesToSums, text);
  };
  EXPECT_THAT(after("  n = f32[64,256] negate(y)\n  added = f32[64,256] add(n, r)\n"),
              AllOf(HasSubstr("dynamic-slice(r, "), HasSubstr("dynamic-slice(n, "),
                    HasSubstr("f32[16,256]{1,0} add(")));
  EXPECT_THAT(after("  n = f32[64,256] negate(y)\n  added = f32[64,256] add(n, y)\n"),
              HasSubstr("dynamic-slice(added, "));
  EXPECT_THAT(after("  m = f32[64,256] add(y, r)\n  added = f32[64,256] multiply(m, m)\n"),
              HasSubstr("f32[16,256]{1,0} multiply("));
}

// Queries and keys of one product, cut along rows: each is a part of the sum, which stays one.
TEST(MoveSlicesToSumsTest, OfWhatIsCutFurther) {
  const auto cut = [](absl::string_view of) {
    const std::string text = absl::StrReplaceAll(
        absl::StrCat(kSum, kRows),
        {{"  ROOT d = ", "  d = "},
         {"}\n}\n", absl::StrCat("}\n  n = f32[8,256] negate(d)\n  q = f32[8,128] slice(", of,
                                 "), slice={[0:8], [0:128]}\n  k = f32[8,128] slice(", of,
                                 "), slice={[0:8], [128:256]}\n"
                                 "  ROOT t = (f32[8,128], f32[8,128]) tuple(q, k)\n}\n")}});
    return OnV5e(MoveSlicesToSums, text);
  };
  EXPECT_THAT(cut("d"), AllOf(HasSubstr("f32[8,128]{1,0} dynamic-slice(r, place, zero)"),
                              HasSubstr("s32[] constant(128)"),
                              HasSubstr("f32[8,128]{1,0} dynamic-slice(r, place, add"),
                              Not(HasSubstr(" slice("))));
  EXPECT_THAT(cut("n"), AllOf(HasSubstr(" slice(n)"), HasSubstr("dynamic-slice(r, place, zero)")));
}

TEST(FuseSumsWithSlicesTest, NotOverAWholeTorusOfThreeDimensions) {
  const std::string text = absl::StrCat(kSum, kRows);
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, text), HasSubstr("f32[8,256]{1,0} reduce-scatter("));
  EXPECT_THAT(OnV5e(FuseSumsWithSlices, text, "tpu-v5p:2x2x2"), Not(HasSubstr("reduce-scatter(")));
}

// Of rows that are one, and of a column that is the same in each.
TEST(ReorderGathersOfBroadcastsTest, WhatIsRepeatedIsGatheredFirst) {
  const auto gathered = [](const std::string& x, const std::string& places, const std::string& part,
                           const std::string& whole, int dimension) {
    return OnV5e(ReorderGathersOfBroadcasts,
                 absl::StrCat("ENTRY e {\n  x = ", x, " parameter(0)\n  b = ", part,
                              " broadcast(x), dimensions={", places, "}\n  ROOT g = ", whole,
                              " all-gather(b), dimensions={", dimension,
                              "}, channel_id=1, replica_groups=[2,4]<=[8], "
                              "use_global_device_ids=true\n}\n"));
  };
  EXPECT_THAT(gathered("s32[1]", "1", "s32[16,1]", "s32[16,4]", 1),
              AllOf(HasSubstr("s32[4]{0} all-gather(x)"), HasSubstr("s32[16,4]{1,0} broadcast(")));
  EXPECT_THAT(
      gathered("f32[5]", "2", "f32[4,6,5]", "f32[16,6,5]", 0),
      AllOf(HasSubstr("f32[4,5]{1,0} all-gather("), HasSubstr("f32[4,4,6,5]{3,2,1,0} broadcast(")));
  EXPECT_THAT(gathered("f32[5]", "1", "f32[4,5]", "f32[16,5]", 0), HasSubstr("all-gather(b)"));
  EXPECT_THAT(gathered("f32[]", "", "f32[4,6]", "f32[16,6]", 0),
              AllOf(HasSubstr("f32[4]{0} all-gather("), HasSubstr("f32[4,4,6]{2,1,0} broadcast(")));
}

// --- Tables --------------------------------------------------------------------------------------

// A table whose rows are gathered and added to. As the compiler has it: copy, gather, scatter, copy.
std::string Table(int64_t columns) {
  return absl::StrReplaceAll(
      absl::StrCat(
          kSum,
          "ENTRY e {\n  t = f32[100000,COLUMNS] parameter(0)\n  i = s32[4096,1] parameter(1)\n"
          "  g = f32[4096,COLUMNS] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
          "start_index_map={0}, index_vector_dim=1, slice_sizes={1,COLUMNS}\n"
          "  ROOT s = f32[100000,COLUMNS] scatter(t, i, g), update_window_dims={1}, "
          "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
          "index_vector_dim=1, to_apply=sum\n}\n"),
      {{"COLUMNS", absl::StrCat(columns)}});
}

TEST(CopyTablesTest, OfRowsShorterThanATile) {
  const std::string after = OnV5e(CopyTables, Table(64));
  EXPECT_THAT(after,
              AllOf(HasSubstr("gather(table-copy, i)"), HasSubstr("scatter(table-copy, i, g)"),
                    HasSubstr("ROOT table-copy.1 = f32[100000,64]{1,0} reverse(s)")));
  EXPECT_THAT(OnV5e(CopyTables, Table(256)), Not(HasSubstr("table-copy")));
}

// A table that a step of gradient descent changes: rows of zeros to which gradients are added.
std::string UpdatedTable(const std::string& columns) {
  return absl::StrReplaceAll(
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n  t = f32[100000,C] parameter(0)\n  i = s32[4096,1] parameter(1)\n"
      "  g = f32[4096,C] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,C}\n"
      "  z = f32[] constant(0)\n  zeros = f32[100000,C] broadcast(z), dimensions={}\n"
      "  d = f32[100000,C] scatter(zeros, i, g), update_window_dims={1}, "
      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
      "to_apply=sum\n  n = f32[100000,C] negate(d)\n  u = f32[100000,C] add(t, n)\n"
      "  m = f32[100000,C] negate(t)\n"
      "  ROOT r = (f32[100000,C], f32[100000,C]) tuple(u, m)\n}\n",
      {{",C", absl::StrCat(",", columns)}});
}

TEST(CopyTablesTest, AnUpdateByAScatteredGradientReadsTheCopy) {
  EXPECT_THAT(OnV5e(CopyTables, UpdatedTable("64")),
              AllOf(HasSubstr("add(table-copy, n)"), HasSubstr("negate(t)")));
}

TEST(CopyTablesTest, AnUpdateOfNarrowRowsDoesNot) {
  EXPECT_THAT(OnV5e(CopyTables, UpdatedTable("40")), HasSubstr("add(table-copy, n)"));
  EXPECT_THAT(OnV5e(CopyTables, UpdatedTable("32")),
              AllOf(HasSubstr("gather(table-copy"), HasSubstr("add(t, n)")));
}

TEST(CopyTablesTest, OfGatheredRowsThatFillNoTiles) {
  const auto after = [](int64_t indices, int64_t columns = 64) {
    return OnV5e(CopyTables,
                 absl::StrReplaceAll(
                     "ENTRY e {\n  t = f32[100000,COLUMNS] parameter(0)\n"
                     "  i = s32[4096,INDICES,1] parameter(1)\n"
                     "  g = f32[4096,INDICES,COLUMNS] gather(t, i), offset_dims={2}, "
                     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
                     "slice_sizes={1,COLUMNS}\n"
                     "  ROOT n = f32[4096,INDICES,COLUMNS] negate(g)\n}\n",
                     {{"INDICES", absl::StrCat(indices)}, {"COLUMNS", absl::StrCat(columns)}}));
  };
  EXPECT_THAT(after(26), HasSubstr("negate(rows-copy)"));
  EXPECT_THAT(after(50, 256), HasSubstr("negate(rows-copy)"));
  EXPECT_THAT(after(32), HasSubstr("negate(g)"));
}

// The biases of positions, of 8 heads: as a list they have tiles of rows, their copy has not.
TEST(CopyTablesTest, NarrowRowsAreAListThatIsCopied) {
  const std::string after =
      OnV5e(CopyTables,
            "ENTRY e {\n  t = f32[32,8] parameter(0)\n  i = s32[512,256] parameter(1)\n"
            "  g = f32[512,256,8] gather(t, i), offset_dims={2}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=2, slice_sizes={1,8}\n"
            "  ROOT n = f32[512,256,8] negate(g)\n}\n");
  EXPECT_THAT(after, AllOf(HasSubstr("s32[131072,1]"), HasSubstr("f32[131072,8]"),
                           HasSubstr("offset_dims={1}"), HasSubstr("index_vector_dim=1"),
                           HasSubstr("negate(rows-copy)")));
}

// Each of 512 batches has a table of its own.
TEST(CopyTablesTest, RowsOfBatchesAreNoList) {
  EXPECT_THAT(
      OnV5e(CopyTables,
            "ENTRY e {\n  t = f32[512,32,8] parameter(0)\n  i = s32[512,256] parameter(1)\n"
            "  g = f32[512,256,8] gather(t, i), offset_dims={2}, collapsed_slice_dims={1}, "
            "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
            "index_vector_dim=2, slice_sizes={1,1,8}\n"
            "  ROOT n = f32[512,256,8] negate(g)\n}\n"),
      HasSubstr("negate(g)"));
}

// The weights of a head. Parts are 4000, 500 or 125 of 32000 words.
TEST(CopyRaggedGathersTest, OfPartsThatFillNoTiles) {
  const auto after = [](const std::string& part, const std::string& whole, int dimension,
                        const std::string& target = "tpu-v5e:2x4") {
    return OnV5e(CopyRaggedGathers,
                 absl::StrCat("ENTRY e {\n  w = bf16[", part, "] parameter(0)\n  g = bf16[", whole,
                              "] all-gather(w), dimensions={", dimension, "}\n  ROOT n = bf16[",
                              whole, "] negate(g)\n}\n"),
                 target);
  };
  EXPECT_THAT(after("500,1024", "32000,1024", 0), HasSubstr("negate(ragged-copy)"));
  EXPECT_THAT(after("1024,125", "1024,32000", 1), HasSubstr("negate(ragged-copy)"));
  EXPECT_THAT(after("4000,1024", "32000,1024", 0), HasSubstr("negate(g)"));
  EXPECT_THAT(after("2,3,1024", "2,24,1024", 1), HasSubstr("negate(g)"));
  // An all-reduce over the whole torus.
  EXPECT_THAT(after("44,1024", "2816,1024", 0, "tpu-v5e:8x8"), HasSubstr("negate(g)"));
  EXPECT_THAT(after("500,1024", "32000,1024", 0, "tpu-v5e:8x8"), HasSubstr("negate(ragged-copy)"));
}

// A convolution whose features go on as float32, split into groups or not.
std::string Grouped(const std::string& sizes) {
  return absl::StrReplaceAll(
      "ENTRY e {\n  x = bf16[16,64,64,128] parameter(0)\n  k = bf16[3,3,128,128] parameter(1)\n"
      "  c = bf16[16,64,64,128] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
      "dim_labels=b01f_01io->b01f\n  f = f32[16,64,64,128] convert(c)\n"
      "  g = f32[SIZES] reshape(f)\n  ROOT n = f32[SIZES] negate(g)\n}\n",
      {{"SIZES", sizes}});
}

TEST(CopyGroupsTest, OfSplitFeatures) {
  const auto after = [](const std::string& sizes) { return OnV5e(CopyGroups, Grouped(sizes)); };
  EXPECT_THAT(after("16,64,64,8,16"),
              AllOf(HasSubstr("group-copy = f32[16,64,64,8,16]{4,3,2,1,0} reverse(g)"),
                    HasSubstr("negate(group-copy)")));
  EXPECT_THAT(after("16,64,64,128,1"), Not(HasSubstr("group-copy")));
  EXPECT_THAT(after("16,64,8,8,128"), Not(HasSubstr("group-copy")));
  EXPECT_THAT(after("16,16384,32"), HasSubstr("negate(group-copy)"));
}

// Groups of normalized features, which become features and are narrowed for a convolution.
TEST(CopyGroupsTest, NotOfFloat32ThatBecomesFeaturesAgain) {
  const auto after = [](const std::string& type) {
    return OnV5e(
        CopyGroups,
        absl::StrReplaceAll(
            "ENTRY e {\n  g = TYPE[16,64,64,8,16] parameter(0)\n"
            "  k = bf16[3,3,128,128] parameter(1)\n  f = TYPE[16,64,64,128] reshape(g)\n"
            "  x = bf16[16,64,64,128] convert(f)\n"
            "  ROOT c = bf16[16,64,64,128] convolution(x, k), window={size=3x3 pad=1_1x1_1}, "
            "dim_labels=b01f_01io->b01f\n}\n",
            {{"TYPE", type}}));
  };
  EXPECT_THAT(after("f32"), HasSubstr("convert(f)"));
  EXPECT_THAT(after("f16"), HasSubstr("convert(group-copy)"));
}

// Windows of TOKENS tokens: queries, keys and values of 12 heads from one product.
std::string Windows(const std::string& tokens) {
  return absl::StrReplaceAll(
      "ENTRY e {\n  x = bf16[64,TOKENS,384] parameter(0)\n  w = bf16[384,768] parameter(1)\n"
      "  h = bf16[64,TOKENS,768] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n"
      "  r = bf16[64,TOKENS,2,12,32] reshape(h)\n"
      "  a = bf16[64,TOKENS,1,12,32] slice(r), slice={[0:64], [0:TOKENS], [0:1], [0:12], [0:32]}\n"
      "  q = bf16[64,TOKENS,12,32] reshape(a)\n"
      "  b = bf16[64,TOKENS,1,12,32] slice(r), slice={[0:64], [0:TOKENS], [1:2], [0:12], [0:32]}\n"
      "  k = bf16[64,TOKENS,12,32] reshape(b)\n"
      "  ROOT s = bf16[64,12,TOKENS,TOKENS] dot(q, k), lhs_batch_dims={0,2}, rhs_batch_dims={0,2}, "
      "lhs_contracting_dims={3}, rhs_contracting_dims={3}\n}\n",
      {{"TOKENS", tokens}});
}

// Of 512 tokens, the tiles of a head are full.
TEST(CopyHeadsTest, WhereTilesOfHeadsPadMore) {
  EXPECT_THAT(OnV5e(CopyHeads, Windows("49")), AllOf(HasSubstr("head-copy = bf16[64,49,12,32]"),
                                                     HasSubstr("dot(head-copy, head-copy.1)")));
  EXPECT_THAT(OnV5e(CopyHeads, Windows("512")), Not(HasSubstr("head-copy")));
}

// Of a few colours, and of as many features as a tile has columns.
TEST(CopyImagesTest, OfArgumentsThatConvolutionsReadOtherwise) {
  const auto after = [](absl::string_view type, absl::string_view features,
                        absl::string_view options) {
    return OnV5e(
        CopyImages,
        absl::StrReplaceAll(
            "ENTRY e {\n  x = TYPE[32,224,224,COLOURS] parameter(0)\n"
            "  k = bf16[7,7,COLOURS,64] parameter(1)\n"
            "  ROOT c = bf16[32,112,112,64] convolution(x, k), window={size=7x7 stride=2x2 "
            "pad=3_2x3_2}, dim_labels=b01f_01io->b01fOPTIONS\n}\n",
            {{"TYPE", type}, {"COLOURS", features}, {"OPTIONS", options}}));
  };
  EXPECT_THAT(after("bf16", "3", ""), AllOf(HasSubstr("image-copy = bf16[32,224,224,3]"),
                                            HasSubstr("convolution(image-copy, k)")));
  EXPECT_THAT(after("f32", "3", ""), HasSubstr("image-copy = bf16[32,224,224,3]"));
  EXPECT_THAT(after("f32", "3", ", operand_precision={highest,highest}"),
              HasSubstr("image-copy = f32[32,224,224,3]"));
}

TEST(CopyImagesTest, NotOfWhatTheProgramMakes) {
  EXPECT_THAT(OnV5e(CopyImages,
                    "ENTRY e {\n  x = bf16[32,224,224,3] parameter(0)\n"
                    "  k = bf16[7,7,3,64] parameter(1)\n  n = bf16[32,224,224,3] negate(x)\n"
                    "  ROOT c = bf16[32,112,112,64] convolution(n, k), window={size=7x7 stride=2x2 "
                    "pad=3_2x3_2}, dim_labels=b01f_01io->b01f\n}\n"),
              Not(HasSubstr("image-copy")));
}

// --- Before memory is predicted ------------------------------------------------------------------

absl::Status RunBeforeKernels(Context& context) {
  for (const Pass& pass : TpuPassesBeforeKernels()) {
    const absl::Status status = pass.run(context);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

TEST(BeforeKernelsTest, ASumOfSumsIsOneSum) {
  const std::string sums =
      absl::StrCat(kSum,
                   "ENTRY e {\n  x = f32[64] parameter(0)\n  y = f32[64] parameter(1)\n"
                   "  a = f32[64] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=sum\n"
                   "  b = f32[64] all-reduce(y), replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=sum\n"
                   "  ROOT s = f32[64] add(a, b)\n}\n");
  EXPECT_THAT(OnV5e(RunBeforeKernels, sums),
              AllOf(HasSubstr("all-reduce(s"), Not(HasSubstr("all-reduce(x)"))));
}

// The two arrays are there until both sums are done. A loss that is picked from logits waits so for the gradients that
// its sum is combined with.
TEST(BeforeKernelsTest, SumsOverTheSameDevicesAreOne) {
  EXPECT_THAT(
      OnV5e(RunBeforeKernels,
            absl::StrCat(kSum,
                         "ENTRY e {\n  x = f32[64] parameter(0)\n  y = f32[32] parameter(1)\n"
                         "  a = f32[64] all-reduce(x), replica_groups={{0,1,2,3,4,5,6,7}}, "
                         "to_apply=sum\n"
                         "  b = f32[32] all-reduce(y), replica_groups={{0,1,2,3,4,5,6,7}}, "
                         "to_apply=sum\n"
                         "  ROOT t = (f32[64], f32[32]) tuple(a, b)\n}\n")),
      HasSubstr("(f32[64]{0}, f32[32]{0}) all-reduce("));
}

TEST(BeforeKernelsTest, APartOfASumIsScattered) {
  EXPECT_THAT(OnV5e(RunBeforeKernels, CutText({"f32", {512, 512}, 1})),
              HasSubstr("reduce-scatter("));
}

TEST(BeforeKernelsTest, ASliceIsTakenOfTheNarrowType) {
  EXPECT_THAT(OnV5e(RunBeforeKernels,
                    "ENTRY e {\n  x = bf16[64,8] parameter(0)\n  w = f32[64,8] convert(x)\n"
                    "  s = f32[63,8] slice(w), slice={[0:63], [0:8]}\n"
                    "  ROOT n = f32[63,8] negate(s)\n}\n"),
              HasSubstr("bf16[63,8]{1,0} slice(x)"));
}

// --- Rows ----------------------------------------------------------------------------------------

// Exponentials of `x` less the largest of each row, and their sums.
std::string Softmax(const std::string& x, const std::string& more = "", int64_t rows = 64,
                    int64_t columns = 1024) {
  return absl::StrReplaceAll(
      absl::StrCat("max {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                   "  ROOT m = f32[] maximum(a, b)\n}\n",
                   kSum, "ENTRY e {\n", x,
                   "  low = f32[] constant(-inf)\n  zero = f32[] constant(0)\n"
                   "  m = f32[8,ROWS] reduce(x, low), dimensions={2}, to_apply=max\n"
                   "  w = f32[8,ROWS,COLUMNS] broadcast(m), dimensions={0,1}\n"
                   "  d = f32[8,ROWS,COLUMNS] subtract(x, w)\n"
                   "  y = f32[8,ROWS,COLUMNS] exponential(d)\n"
                   "  s = f32[8,ROWS] reduce(y, zero), dimensions={2}, to_apply=sum\n",
                   more, "  ROOT t = (f32[8,ROWS,COLUMNS], f32[8,ROWS]) tuple(y, s)\n}\n"),
      {{"ROWS", absl::StrCat(rows)}, {"COLUMNS", absl::StrCat(columns)}});
}

constexpr char kScores[] = "  x = f32[8,ROWS,COLUMNS] parameter(0)\n";

TEST(PutRowsInWindowsTest, TheLargestOfARow) {
  EXPECT_THAT(OnV5e(PutRowsInWindows, Softmax(kScores)),
              AllOf(HasSubstr("f32[8,64,1024]{2,1,0} reduce-window(x, low), "
                              "window={size=1x1x2047 pad=0_0x0_0x1023_1023}, to_apply=max"),
                    HasSubstr("reduce(y, zero)"), Not(HasSubstr("broadcast("))));
}

TEST(PutRowsInWindowsTest, NotOfLongRowsOrOnesOrWhatIsReadAgain) {
  const auto unchanged = [](const std::string& text) {
    EXPECT_THAT(OnV5e(PutRowsInWindows, text), Not(HasSubstr("reduce-window(")));
  };
  unchanged(Softmax(kScores, "", 64, 8193));
  unchanged(Softmax(kScores, "", 1));
  unchanged(Softmax(kScores, "  again = f32[8,ROWS] add(m, s)\n"));
  unchanged(Softmax(kScores, "  again = f32[8,ROWS,COLUMNS] add(w, y)\n"));
}

TEST(PutRowsInWindowsTest, NotOfWhatACollectiveLeaves) {
  EXPECT_THAT(
      OnV5e(PutRowsInWindows,
            Softmax("  p = f32[8,ROWS,COLUMNS] parameter(0)\n"
                    "  x = f32[8,ROWS,COLUMNS] all-reduce(p), replica_groups={}, to_apply=sum\n")),
      Not(HasSubstr("reduce-window(")));
}

// The kernel of the product divides, that of the exponentials adds.
TEST(PutRowsInWindowsTest, NotOfSumsByWhichAFactorIsDivided) {
  const auto sums = [](const std::string& reader) {
    return OnV5e(PutRowsInWindows,
                 absl::StrCat(kSum,
                              "ENTRY e {\n  x = f32[8,64,128] parameter(0)\n"
                              "  v = f32[8,128,64] parameter(1)\n  zero = f32[] constant(0)\n"
                              "  s = f32[8,64] reduce(x, zero), dimensions={2}, to_apply=sum\n"
                              "  b = f32[8,64,128] broadcast(s), dimensions={0,1}\n"
                              "  q = f32[8,64,128] divide(x, b)\n",
                              reader, "}\n"));
  };
  EXPECT_THAT(sums("  ROOT t = f32[8,64,128] tanh(q)\n"), HasSubstr("reduce-window("));
  EXPECT_THAT(sums("  c = bf16[8,64,128] convert(q)\n"
                   "  ROOT d = f32[8,64,64] dot(c, v), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                   "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"),
              Not(HasSubstr("reduce-window(")));
}

// As of grouped queries. A third reader is the backward pass.
TEST(PutRowsInWindowsTest, NotOfATransposedProductThatIsReadLater) {
  const std::string turned =
      "  p = f32[8,COLUMNS,ROWS] parameter(0)\n"
      "  x = f32[8,ROWS,COLUMNS] transpose(p), dimensions={0,2,1}\n";
  const std::string later = "  l = f32[8,ROWS,COLUMNS] negate(y)\n";
  EXPECT_THAT(OnV5e(PutRowsInWindows, Softmax(turned)), HasSubstr("reduce-window("));
  EXPECT_THAT(OnV5e(PutRowsInWindows, Softmax(kScores, later)), HasSubstr("reduce-window("));
  EXPECT_THAT(OnV5e(PutRowsInWindows, Softmax(turned, later)), Not(HasSubstr("reduce-window(")));
}

// --- Types ---------------------------------------------------------------------------------------

std::string Product(const std::string& more) {
  return absl::StrCat(
      "ENTRY e {\n  x = f32[8,16] parameter(0)\n  y = f32[4,64] parameter(1)\n"
      "  g = f32[64,16] all-gather(x), dimensions={0}, channel_id=1, replica_groups=[1,8]<=[8], "
      "use_global_device_ids=true\n",
      more, "}\n");
}

TEST(NarrowCollectivesTest, OnlyWhatIsReadAsBf16) {
  const std::string dot =
      "  ROOT d = f32[4,16] dot(y, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  EXPECT_THAT(
      OnV5e(NarrowCollectives, Product(dot + "\n")),
      AllOf(HasSubstr("bf16[64,16]{1,0} all-gather("), HasSubstr("bf16[8,16]{1,0} convert("),
            Not(HasSubstr(" f32[64,16]{1,0} all-gather("))));
  EXPECT_THAT(OnV5e(NarrowCollectives, Product(dot + ", operand_precision={highest,highest}\n")),
              Not(HasSubstr("bf16")));
  EXPECT_THAT(OnV5e(NarrowCollectives, Product("  ROOT s = f32[64,16] sine(g)\n")),
              Not(HasSubstr("bf16")));
  EXPECT_THAT(
      OnV5e(NarrowCollectives, Product("  ROOT c = f32[16,64] transpose(g), dimensions={1,0}\n")),
      Not(HasSubstr("bf16")));
  EXPECT_THAT(OnV5e(NarrowCollectives, Product("  t = f32[16,64] transpose(g), dimensions={1,0}\n"
                                               "  ROOT c = bf16[16,64] convert(t)\n")),
              HasSubstr("bf16[64,16]{1,0} all-gather("));
  // One of two moves is read as it is.
  EXPECT_THAT(
      OnV5e(NarrowCollectives, Product("  t = f32[16,64] transpose(g), dimensions={1,0}\n"
                                       "  s = f32[64,16] copy(g)\n"
                                       "  n = f32[64,16] negate(s)\n"
                                       "  c = bf16[16,64] convert(t)\n"
                                       "  ROOT r = (bf16[16,64], f32[64,16]) tuple(c, n)\n")),
      Not(HasSubstr("bf16[64,16]")));
}

// What a loop exchanges and carries, read in its body and by `after`.
std::string Carried(const std::string& after) {
  const std::string state = "(s32[], f32[64,8], f32[8,4])";
  return absl::StrCat(
      "condition {\n  p = ", state, " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n",
      "  n = s32[] constant(4)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n\nbody {\n  p = ",
      state, " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n",
      "  x = f32[64,8] get-tuple-element(p), index=1\n"
      "  y = f32[8,4] get-tuple-element(p), index=2\n"
      "  d = f32[64,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  s = f32[8,4] slice(d), slice={[0:8], [0:4]}\n  a = f32[8,4] add(s, y)\n"
      "  g = f32[64,8] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n"
      "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  ROOT t = ",
      state, " tuple(next, g, a)\n}\n\nENTRY e {\n  x = f32[64,8] parameter(0)\n",
      "  y = f32[8,4] parameter(1)\n  zero = s32[] constant(0)\n  start = ", state,
      " tuple(zero, x, y)\n  w = ", state, " while(start), condition=condition, body=body\n",
      "  g = f32[64,8] get-tuple-element(w), index=1\n", after, "}\n");
}

TEST(NarrowCollectivesTest, WhatALoopCarries) {
  const auto narrow = HasSubstr("bf16[64,8]{1,0} collective-permute(");
  EXPECT_THAT(OnV5e(NarrowCollectives, Carried("  ROOT c = bf16[64,8] convert(g)\n")), narrow);
  EXPECT_THAT(OnV5e(NarrowCollectives, Carried("  ROOT c = f32[64,8] sine(g)\n")), Not(narrow));
}

// Gathers that end in one chain of moves: each move is looked at once.
TEST(NarrowCollectivesTest, ThroughWhatKeepsPrecision) {
  const auto text = [](const std::string& step) {
    return absl::StrCat(
        "ENTRY e {\n  x = f32[64,8] parameter(0)\n  y = f32[8,4] parameter(1)\n"
        "  z = f32[64,8] parameter(2)\n"
        "  g = f32[64,8] collective-permute(x), channel_id=1, "
        "source_target_pairs={{0,1},{1,0}}\n  s = f32[64,8] ",
        step,
        "\n  ROOT d = f32[64,4] dot(s, y), lhs_contracting_dims={1}, "
        "rhs_contracting_dims={0}\n}\n");
  };
  const auto narrow = HasSubstr("bf16[64,8]{1,0} collective-permute(");
  EXPECT_THAT(OnV5e(NarrowCollectives, text("maximum(g, z)")), narrow);
  EXPECT_THAT(OnV5e(NarrowCollectives, text("sine(g)")), Not(narrow));
}

// A product, what follows it, and who reads that.
std::string TwoProducts(const std::string& readers) {
  return absl::StrCat(
      "ENTRY e {\n  x = f32[64,8] parameter(0)\n  w = f32[8,8] parameter(1)\n"
      "  p = f32[64,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  h = f32[64,8] tanh(p)\n",
      readers, "}\n");
}

TEST(NarrowProductsTest, WhatOnlyProductsRead) {
  const std::string dots =
      "  d = f32[64,8] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  t = f32[8,64] transpose(h), dimensions={1,0}\n"
      "  f = f32[8,8] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  EXPECT_THAT(
      OnV5e(NarrowProducts, TwoProducts(dots + "  ROOT r = (f32[64,8], f32[8,8]) tuple(d, f)\n")),
      AllOf(HasSubstr("convert = bf16[64,8]{1,0} convert(h)"), HasSubstr("dot(convert, w)"),
            HasSubstr("t = bf16[8,64]{1,0} transpose(convert)")));
  EXPECT_THAT(
      OnV5e(NarrowProducts,
            TwoProducts(dots + "  n = f32[64,8] negate(h)\n"
                               "  ROOT r = (f32[64,8], f32[8,8], f32[64,8]) tuple(d, f, n)\n")),
      Not(HasSubstr("bf16")));
  EXPECT_THAT(OnV5e(NarrowProducts,
                    TwoProducts("  ROOT d = f32[64,8] dot(h, w), lhs_contracting_dims={1}, "
                                "rhs_contracting_dims={0}, operand_precision={highest,highest}\n")),
              Not(HasSubstr("bf16")));
}

// A value that no product computes is computed anew in each product that reads it.
TEST(NarrowProductsTest, NotWhatIsComputedAnew) {
  EXPECT_THAT(OnV5e(NarrowProducts,
                    "ENTRY e {\n  x = f32[64,8] parameter(0)\n  w = f32[8,8] parameter(1)\n"
                    "  h = f32[64,8] tanh(x)\n"
                    "  ROOT d = f32[64,8] dot(h, w), lhs_contracting_dims={1}, "
                    "rhs_contracting_dims={0}\n}\n"),
              Not(HasSubstr("bf16")));
}

// A loop over stacked weights; `reads` makes s of the weight w and the row x, both of 8 x 8.
std::string LoopOverWeights(const std::string& reads) {
  return absl::StrCat(
      "go {\n  c = (s32[], f32[8,8], f32[3,8,8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n  n = s32[] constant(3)\n"
      "  ROOT l = pred[] compare(i, n), direction=LT\n}\n"
      "body {\n  c = (s32[], f32[8,8], f32[3,8,8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(c), index=0\n  x = f32[8,8] get-tuple-element(c), index=1\n"
      "  k = f32[3,8,8] get-tuple-element(c), index=2\n  z = s32[] constant(0)\n"
      "  p = f32[1,8,8] dynamic-slice(k, i, z, z), dynamic_slice_sizes={1,8,8}\n"
      "  w = f32[8,8] reshape(p)\n",
      reads,
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
      "  ROOT t = (s32[], f32[8,8], f32[3,8,8]) tuple(j, s, k)\n}\n"
      "ENTRY e {\n  x = f32[8,8] parameter(0)\n  k = f32[3,8,8] parameter(1)\n"
      "  z = s32[] constant(0)\n  t = (s32[], f32[8,8], f32[3,8,8]) tuple(z, x, k)\n"
      "  l = (s32[], f32[8,8], f32[3,8,8]) while(t), condition=go, body=body\n"
      "  ROOT r = f32[8,8] get-tuple-element(l), index=1\n}\n");
}

constexpr char kOverRows[] = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

TEST(NarrowLoopsTest, WhatOnlyProductsReadIsCarriedNarrow) {
  const std::string text =
      OnV5e(NarrowLoops, LoopOverWeights(absl::StrCat("  f = f32[] constant(0)\n"
                                                      "  b = f32[8,8] broadcast(f), dimensions={}\n"
                                                      "  m = f32[8,8] maximum(w, b)\n"
                                                      "  s = f32[8,8] dot(x, m)",
                                                      kOverRows)));
  EXPECT_THAT(text, HasSubstr("convert = bf16[3,8,8]{2,1,0} convert(k)"));
  EXPECT_THAT(text, HasSubstr("tuple(z, x, convert)"));
  EXPECT_THAT(text, HasSubstr("p = bf16[1,8,8]{2,1,0} dynamic-slice(k, i, z, z)"));
  EXPECT_THAT(text, HasSubstr("m = bf16[8,8]{1,0} maximum(w, convert"));
}

TEST(NarrowLoopsTest, WhatElseIsReadStays) {
  const std::string product = absl::StrCat("  d = f32[8,8] dot(x, w)", kOverRows);
  EXPECT_THAT(OnV5e(NarrowLoops, LoopOverWeights(product + "  s = f32[8,8] add(d, w)\n")),
              Not(HasSubstr("bf16")));
  EXPECT_THAT(OnV5e(NarrowLoops, LoopOverWeights("  s = f32[8,8] negate(w)\n")),
              Not(HasSubstr("bf16")));
}

// The compiler has a fusion of the sum and the slice by then.
TEST(NarrowCollectivesTest, NoReduceScatters) {
  EXPECT_THAT(
      OnV5e(NarrowCollectives,
            absl::StrCat(kSum,
                         "ENTRY e {\n  x = f32[64,8] parameter(0)\n"
                         "  r = f32[8,8] reduce-scatter(x), dimensions={0}, to_apply=sum, "
                         "channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true\n"
                         "  ROOT c = bf16[8,8] convert(r)\n}\n")),
      HasSubstr("f32[8,8]{1,0} reduce-scatter("));
}

// A value goes through four elements, one a trip, until `read` is read; another element is exchanged.
std::string HandedOn(const std::string& read) {
  const std::string state = "(f32[64,8], f32[64,8], f32[64,8], f32[64,8], f32[64,8], pred[])";
  return absl::StrCat(
      "condition {\n  p = ", state,
      " parameter(0)\n  ROOT c = pred[] get-tuple-element(p), index=5\n}\n\nbody {\n  p = ", state,
      " parameter(0)\n  e0 = f32[64,8] get-tuple-element(p), index=0\n"
      "  e1 = f32[64,8] get-tuple-element(p), index=1\n"
      "  e2 = f32[64,8] get-tuple-element(p), index=2\n"
      "  e3 = f32[64,8] get-tuple-element(p), index=3\n"
      "  e4 = f32[64,8] get-tuple-element(p), index=4\n"
      "  more = pred[] get-tuple-element(p), index=5\n",
      "  g = f32[64,8] collective-permute(e0), channel_id=1, source_target_pairs={{0,1},{1,0}}\n",
      "  z = f32[64,8] sine(", read, ")\n  ROOT t = ", state,
      " tuple(g, z, e1, e2, e3, more)\n}\n\nENTRY e {\n",
      "  x = f32[64,8] parameter(0)\n  more = pred[] parameter(1)\n  start = ", state,
      " tuple(x, x, x, x, x, more)\n  w = ", state,
      " while(start), condition=condition, body=body\n"
      "  e = f32[64,8] get-tuple-element(w), index=0\n  ROOT c = bf16[64,8] convert(e)\n}\n");
}

TEST(NarrowCollectivesTest, WhatALoopHandsOnFromTripToTrip) {
  const auto narrow = HasSubstr("bf16[64,8]{1,0} collective-permute(");
  EXPECT_THAT(OnV5e(NarrowCollectives, HandedOn("e4")), narrow);
  EXPECT_THAT(OnV5e(NarrowCollectives, HandedOn("e0")), Not(narrow));
}

TEST(NarrowCollectivesTest, ManyGathersInOneChain) {
  std::string body, names;
  constexpr int kMany = 20000;
  for (int k = 0; k < kMany; ++k) {
    absl::StrAppend(&body, "  g", k, " = f32[8] all-gather(x), dimensions={0}, channel_id=", k + 1,
                    ", replica_groups=[1,8]<=[8], use_global_device_ids=true\n");
    absl::StrAppend(&names, k == 0 ? "" : ", ", "g", k);
  }
  absl::StrAppend(&body, "  c0 = f32[", 8 * kMany, "] concatenate(", names, "), dimensions={0}\n");
  for (int k = 0; k < kMany; ++k) {
    absl::StrAppend(&body, "  c", k + 1, " = f32[", 8 * kMany, "] copy(c", k, ")\n");
  }
  EXPECT_THAT(OnV5e(NarrowCollectives,
                    absl::StrCat("ENTRY e {\n  x = f32[1] parameter(0)\n", body, "  ROOT n = f32[",
                                 8 * kMany, "] negate(c", kMany, ")\n}\n")),
              Not(HasSubstr("bf16")));
}

// --- Combining -----------------------------------------------------------------------------------

// Sums of so many arrays of so many MiB.
std::string Sums(int count, int64_t mebibytes) {
  const std::string shape = absl::StrCat("f32[", mebibytes << 18, "]");
  std::string body, shapes, names;
  for (int k = 0; k < count; ++k) {
    absl::StrAppend(&body, "  x", k, " = ", shape, " parameter(", k, ")\n  r", k, " = ", shape,
                    " all-reduce(x", k, "), to_apply=sum, channel_id=", k + 1,
                    ", replica_groups=[1,8]<=[8], use_global_device_ids=true\n");
    absl::StrAppend(&shapes, k == 0 ? "" : ", ", shape);
    absl::StrAppend(&names, k == 0 ? "" : ", ", "r", k);
  }
  return absl::StrCat(kSum, "ENTRY e {\n", body, "  ROOT t = (", shapes, ") tuple(", names,
                      ")\n}\n");
}

size_t CountAfter(const std::string& text) {
  const std::string after = OnV5e(CombineTpuAllReduces, text);
  size_t count = 0;
  for (size_t at = after.find("all-reduce("); at != std::string::npos;
       at = after.find("all-reduce(", at + 1)) {
    ++count;
  }
  return count;
}

TEST(CombineTpuAllReducesTest, UpTo120MebibytesAnd256Arrays) {
  EXPECT_EQ(CountAfter(Sums(4, 30)), 1);
  EXPECT_EQ(CountAfter(Sums(5, 30)), 2);
  EXPECT_EQ(CountAfter(Sums(4, 50)), 2);
  EXPECT_EQ(CountAfter(Sums(3, 100)), 3);
  EXPECT_EQ(CountAfter(Sums(300, 0)), 2);
}

// Two parts of so many rows of 1,024 elements, over eight devices: the buffers of twelve have 14.3 MiB. Four columns
// take tiles of 128, as messages that meet at nodes.
TEST(CombineTpuReduceScattersTest, WhileBuffersFit) {
  const auto after = [](const std::string& type, int rows, int columns = 1024) {
    const std::string part = absl::StrCat(type, "[", rows, ",", columns, "]");
    const std::string whole = absl::StrCat(type, "[", 8 * rows, ",", columns, "]");
    const std::string scatter =
        absl::StrCat(part,
                     " reduce-scatter(x), to_apply=sum, dimensions={0}, replica_groups=[1,8]<=[8], "
                     "use_global_device_ids=true, channel_id=");
    const std::string reducer = absl::StrReplaceAll(kSum, {{"f32", type}});
    return OnV5e(CombineTpuReduceScatters,
                 absl::StrCat(reducer, "ENTRY e {\n  x = ", whole, " parameter(0)\n  a = ", scatter,
                              "1\n  b = ", scatter, "2\n  ROOT t = (", part, ", ", part,
                              ") tuple(a, b)\n}\n"));
  };
  EXPECT_THAT(after("bf16", 304), HasSubstr("(bf16[304,1024]{1,0}, bf16[304,1024]{1,0}) reduce"));
  EXPECT_THAT(after("bf16", 312), Not(HasSubstr("(bf16[312,1024]{1,0}, bf16[312,1024]{1,0}) red")));
  EXPECT_THAT(after("f32", 152), HasSubstr("(f32[152,1024]{1,0}, f32[152,1024]{1,0}) reduce"));
  EXPECT_THAT(after("f32", 160), Not(HasSubstr("(f32[160,1024]{1,0}, f32[160,1024]{1,0}) red")));
  EXPECT_THAT(after("f32", 1024, 4), HasSubstr("(f32[1024,4]{1,0}, f32[1024,4]{1,0}) reduce"));
  EXPECT_THAT(after("f32", 2048, 4), Not(HasSubstr("(f32[2048,4]{1,0}, f32[2048,4]{1,0}) red")));
}

// On 4x4 and 4x8 the compiler combines none.
TEST(CombineTpuReduceScattersTest, NotWhereTheShorterSideIsFour) {
  const std::string text = absl::StrCat(
      kSum,
      "ENTRY e {\n  x = f32[64,128] parameter(0)\n  a = f32[16,128] reduce-scatter(x), "
      "to_apply=sum, "
      "dimensions={0}, replica_groups=[4,4]<=[16], use_global_device_ids=true, channel_id=1\n  b = "
      "f32[16,128] reduce-scatter(x), to_apply=sum, dimensions={0}, replica_groups=[4,4]<=[16], "
      "use_global_device_ids=true, channel_id=2\n  ROOT t = (f32[16,128], f32[16,128]) tuple(a, "
      "b)\n}\n");
  EXPECT_THAT(OnV5e(CombineTpuReduceScatters, text, "tpu-v5e:2x8"),
              HasSubstr("(f32[16,128]{1,0}, f32[16,128]{1,0}) reduce-scatter"));
  EXPECT_THAT(OnV5e(CombineTpuReduceScatters, text, "tpu-v5e:4x4"),
              Not(HasSubstr("f32[16,128]{1,0}) reduce-scatter")));
}

// One of the two is narrowed, in front of the combiner here and after it there.
TEST(CombineTpuAllReducesTest, OfWhatWasOneTypeBeforeItWasNarrowed) {
  const auto both = [](Context& context) {
    const absl::Status status = NarrowCollectives(context);
    return status.ok() ? CombineTpuAllReduces(context) : status;
  };
  const std::string sum =
      " to_apply=sum, replica_groups=[1,8]<=[8], use_global_device_ids=true, channel_id=";
  EXPECT_THAT(OnV5e(both, absl::StrCat(kSum, "ENTRY e {\n  x = f32[8] parameter(0)\n",
                                       "  y = f32[16] parameter(1)\n  a = f32[8] all-reduce(x),",
                                       sum, "1\n  b = f32[16] all-reduce(y),", sum,
                                       "2\n  c = bf16[8] convert(a)\n",
                                       "  ROOT t = (bf16[8], f32[16]) tuple(c, b)\n}\n")),
              HasSubstr("(f32[16]{0}, bf16[8]{0}) all-reduce("));
}

}  // namespace
}  // namespace tessera::target
