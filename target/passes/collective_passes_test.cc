// Collectives that their passes leave alone, and cases that no recorded program has (see
// gpu/recorded_passes_test.cc for what they change).

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/passes/passes.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSum[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";
constexpr char kFours[] =
    ", channel_id=1, replica_groups={{0,1,2,3},{4,5,6,7}}, "
    "use_global_device_ids=true";

// An all-reduce of x: f32[64,32] over groups of four, and what follows.
std::string Summed(const std::string& after) {
  return absl::StrCat(kSum, "ENTRY e {\n  x = f32[64,32] parameter(0)\n",
                      "  r = f32[64,32] all-reduce(x), to_apply=sum", kFours, "\n", after, "}\n");
}

// Each device takes the rows that a list says, of a sum.
std::string Cut(const std::string& list, const std::string& more = "") {
  return Summed(absl::StrCat("  list = s32[8] constant({", list, "})\n",
                             "  id = u32[] partition-id()\n"
                             "  one = s32[1] dynamic-slice(list, id), dynamic_slice_sizes={1}\n"
                             "  row = s32[] reshape(one)\n"
                             "  zero = s32[] constant(0)\n",
                             more,
                             "  ROOT d = f32[16,32] dynamic-slice(r, row, zero), "
                             "dynamic_slice_sizes={16,32}\n"));
}

TEST(ReduceScatterCreatorTest, PartsInTheOrderOfTheGroups) {
  EXPECT_THAT(After(CreateReduceScatters, Cut("0, 16, 32, 48, 0, 16, 32, 48")),
              AllOf(HasSubstr("f32[16,32]{1,0} reduce-scatter(x)"),
                    HasSubstr("dimensions={0}, to_apply=sum"), Not(HasSubstr("all-reduce"))));
  // Device 1 takes what device 0 shall.
  EXPECT_THAT(After(CreateReduceScatters, Cut("16, 0, 32, 48, 0, 16, 32, 48")),
              Not(HasSubstr("reduce-scatter")));
  // Only in one of the groups.
  EXPECT_THAT(After(CreateReduceScatters, Cut("0, 16, 32, 48, 0, 16, 48, 32")),
              Not(HasSubstr("reduce-scatter")));
}

TEST(ReduceScatterCreatorTest, AListThatTheTextLeavesOutIsTakenAsTheParts) {
  EXPECT_THAT(After(CreateReduceScatters, Cut("...")), HasSubstr("reduce-scatter(x)"));
}

TEST(ReduceScatterCreatorTest, ASecondUserKeepsTheSum) {
  const std::string text = Cut("0, 16, 32, 48, 0, 16, 32, 48",
                               "  t = token[] after-all()\n"
                               "  o = token[] outfeed(r, t), outfeed_shape=f32[64,32]{1,0}\n");
  EXPECT_THAT(After(CreateReduceScatters, text), Not(HasSubstr("reduce-scatter")));
}

TEST(ReduceScatterCreatorTest, WhatTheGroupsDoNotDivideIsCutOff) {
  std::string text = Cut("0, 15, 30, 45, 0, 15, 30, 45");
  for (size_t at = text.find("[16,32]"); at != std::string::npos; at = text.find("[16,32]")) {
    text.replace(at, 7, "[15,32]");
  }
  text.replace(text.find("={16,32}"), 8, "={15,32}");
  EXPECT_THAT(After(CreateReduceScatters, text),
              AllOf(HasSubstr("f32[60,32]{1,0} slice(x), slice={[0:60], [0:32]}"),
                    HasSubstr("f32[15,32]{1,0} reduce-scatter(slice)")));
}

TEST(AllGatherDynamicSliceTest, EachDeviceTakesItsOwnPartBack) {
  const std::string text = absl::StrCat(
      "ENTRY e {\n  x = f32[16,32] parameter(0)\n"
      "  g = f32[64,32] all-gather(x), dimensions={0}",
      kFours,
      "\n  list = s32[8] constant({0, 16, 32, 48, 0, 16, 32, 48})\n"
      "  id = u32[] partition-id()\n"
      "  one = s32[1] dynamic-slice(list, id), dynamic_slice_sizes={1}\n"
      "  row = s32[] reshape(one)\n"
      "  zero = s32[] constant(0)\n"
      "  d = f32[16,32] dynamic-slice(g, row, zero), dynamic_slice_sizes={16,32}\n"
      "  ROOT n = f32[16,32] negate(d)\n}\n");
  EXPECT_THAT(After(SimplifySlicedAllGathers, text), HasSubstr("negate(x)"));
  std::string other = text;
  other.replace(other.find("{0, 16"), 6, "{16, 0");
  EXPECT_THAT(After(SimplifySlicedAllGathers, other), HasSubstr("negate(d)"));
  const std::string stacked = absl::StrReplaceAll(
      text, {{"  ROOT n = f32[16,32] negate(d)",
              "  all = f32[8,16,32] parameter(1)\n  row_of_all = f32[1,16,32] reshape(d)\n"
              "  u = f32[8,16,32] dynamic-update-slice(all, row_of_all, zero, zero, zero)\n"
              "  n = f32[16,32] negate(d)\n"
              "  ROOT t = (f32[16,32], f32[8,16,32]) tuple(n, u)"}});
  EXPECT_THAT(After(SimplifySlicedAllGathers, stacked), HasSubstr("negate(d)"));
}

TEST(AllReduceSimplifierTest, OneDeviceAlone) {
  EXPECT_THAT(After(SimplifyAllReduces,
                    absl::StrCat(kSum,
                                 "ENTRY e {\n  x = f32[8] parameter(0)\n"
                                 "  r = f32[8] all-reduce(x), to_apply=sum, channel_id=1, "
                                 "replica_groups={{0},{1},{2},{3},{4},{5},{6},{7}}, "
                                 "use_global_device_ids=true\n"
                                 "  g = f32[8] all-gather(r), dimensions={0}, channel_id=2, "
                                 "replica_groups={{0},{1},{2},{3},{4},{5},{6},{7}}, "
                                 "use_global_device_ids=true\n"
                                 "  ROOT n = f32[8] negate(g)\n}\n")),
              HasSubstr("negate(x)"));
  EXPECT_THAT(After(SimplifyAllReduces, Summed("  ROOT n = f32[64,32] negate(r)\n")),
              HasSubstr("negate(r)"));
}

TEST(AllReducePromotionTest, SixteenBitsAreSummedInThirtyTwo) {
  EXPECT_EQ(After(PromoteAllReduces, R"(
sum {
  a = u16[] parameter(0)
  b = u16[] parameter(1)
  ROOT s = u16[] add(a, b)
}
ENTRY e {
  x = u16[8] parameter(0)
  ROOT r = u16[8] all-reduce(x), to_apply=sum, replica_groups={}
}
)"),
            R"(promoted {
  x.1 = u32[] parameter(0)
  y = u32[] parameter(1)
  ROOT result = u32[] add(x.1, y)
}

ENTRY e {
  x = u16[8]{0} parameter(0)
  convert = u32[8]{0} convert(x)
  r.1 = u32[8]{0} all-reduce(convert), replica_groups={}, to_apply=promoted
  ROOT convert.1 = u16[8]{0} convert(r.1)
}

)");
}

// Two sums over the groups given, added.
std::string Added(const std::string& groups, const std::string& after) {
  return Summed(
      absl::StrCat("  y = f32[64,32] parameter(1)\n"
                   "  q = f32[64,32] all-reduce(y), to_apply=sum, channel_id=2, replica_groups=",
                   groups, ", use_global_device_ids=true\n", after));
}

TEST(AllReduceReassociateTest, OnlySumsOverTheSameGroups) {
  const std::string add = "  ROOT a = f32[64,32] add(r, q)\n";
  EXPECT_THAT(After(ReassociateAllReduces, Added("[2,4]<=[8]", add)),
              AllOf(HasSubstr("add(x, y)"), HasSubstr("all-reduce(a)")));
  EXPECT_THAT(After(ReassociateAllReduces, Added("{{0,1,2,3},{7,6,5,4}}", add)),
              HasSubstr("add(r, q)"));
  EXPECT_THAT(
      After(ReassociateAllReduces, Added("[2,4]<=[8]", "  ROOT a = f32[64,32] multiply(r, q)\n")),
      HasSubstr("multiply(r, q)"));
  EXPECT_THAT(After(ReassociateAllReduces, Added("[2,4]<=[8]",
                                                 "  a = f32[64,32] add(r, q)\n"
                                                 "  ROOT m = f32[64,32] multiply(a, q)\n")),
              HasSubstr("add(r, q)"));
}

TEST(AllReduceReassociateTest, NotWhereMoreWouldBeExchanged) {
  const std::string padded = Summed(
      "  y = f32[4,32] parameter(1)\n"
      "  zero = f32[] constant(0)\n"
      "  q = f32[4,32] all-reduce(y), to_apply=sum, channel_id=2, "
      "replica_groups=[2,4]<=[8], use_global_device_ids=true\n"
      "  s = f32[4,32] slice(r), slice={[0:4], [0:32]}\n"
      "  a = f32[128,32] pad(s, zero), padding=0_124x0_0\n"
      "  b = f32[128,32] pad(q, zero), padding=124_0x0_0\n"
      "  ROOT t = f32[128,32] add(a, b)\n");
  EXPECT_THAT(After(ReassociateAllReduces, padded), HasSubstr("all-reduce(y)"));
}

TEST(AllReduceReassociateTest, TheFlagOfConverts) {
  const std::string text = R"(
sum {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}
ENTRY e {
  x = bf16[8] parameter(0)
  y = bf16[8] parameter(1)
  r = bf16[8] all-reduce(x), to_apply=sum, replica_groups={}
  q = bf16[8] all-reduce(y), to_apply=sum, replica_groups={}
  c = f32[8] convert(r)
  d = f32[8] convert(q)
  ROOT t = f32[8] add(c, d)
}
)";
  EXPECT_THAT(After(ReassociateAllReduces, text), HasSubstr("f32[8]{0} all-reduce"));
  XlaFlags off;
  off.gpu_reassociation_for_converted_all_reduce = false;
  EXPECT_THAT(After(ReassociateAllReduces, text, off), HasSubstr("bf16[8]{0} all-reduce(y)"));
}

TEST(CollectiveQuantizerTest, WhatIsReadInBothTypesStaysWide) {
  const auto text = [](const std::string& more) {
    return absl::StrCat(
        "ENTRY e {\n  x = f32[16] parameter(0)\n"
        "  g = f32[64] all-gather(x), dimensions={0}",
        kFours, "\n  c = bf16[64] convert(g)\n", more);
  };
  EXPECT_THAT(After(QuantizeCollectives, text("  ROOT n = bf16[64] negate(c)\n}\n")),
              HasSubstr("bf16[64]{0} all-gather(convert)"));
  EXPECT_THAT(After(QuantizeCollectives, text("  ROOT t = (bf16[64], f32[64]) tuple(c, g)\n}\n")),
              Not(HasSubstr("bf16[64]{0} all-gather")));
  // Of a convert that is all of the program it is narrowed, of one that two instructions read not.
  EXPECT_THAT(After(QuantizeCollectives, text("  a = bf16[64] negate(c)\n  b = bf16[64] abs(c)\n"
                                              "  ROOT t = (bf16[64], bf16[64]) tuple(a, b)\n}\n")),
              Not(HasSubstr("bf16[64]{0} all-gather")));
  EXPECT_THAT(After(QuantizeCollectives, text("  ROOT d = bf16[64] multiply(c, c)\n}\n")),
              HasSubstr("bf16[64]{0} all-gather(convert)"));
  EXPECT_THAT(
      After(QuantizeCollectives, absl::StrCat("ENTRY e {\n  x = bf16[4,4] parameter(0)\n"
                                              "  c = f32[4,4] convert(x)\n"
                                              "  p = f32[4,4] transpose(c), dimensions={1,0}\n"
                                              "  ROOT g = f32[16,4] all-gather(p), dimensions={0}",
                                              kFours, "\n}\n")),
      HasSubstr("f32[16,4]{1,0} all-gather(p)"));
}

TEST(AllReduceFolderTest, OnlyWhereEachDeviceComesOnce) {
  const auto text = [](const std::string& outer) {
    return Summed(absl::StrCat(
        "  ROOT q = f32[64,32] all-reduce(r), to_apply=sum, channel_id=2, replica_groups=", outer,
        ", use_global_device_ids=true\n"));
  };
  EXPECT_THAT(After(FoldAllReduces, text("{{0,4},{1,5},{2,6},{3,7}}")),
              HasSubstr("all-reduce(x), channel_id=3, replica_groups={{0,1,2,3,4,5,6,7}}"));
  EXPECT_THAT(After(FoldAllReduces, text("{{0,1},{2,3},{4,5},{6,7}}")), HasSubstr("all-reduce(r)"));
}

// A loop whose body adds `g` to what it carries.
std::string Accumulating(const std::string& more, const std::string& result) {
  return absl::StrCat(kSum, R"(
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  total = f32[8] get-tuple-element(p), index=1
  f = f32[] convert(i)
  g = f32[8] broadcast(f), dimensions={}
  r = f32[8] all-reduce(g), to_apply=sum, channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true
  added = f32[8] add(total, r)
)",
                      more, "  ROOT t = (s32[], f32[8]) tuple(next, ", result, R"()
}
condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(5)
  ROOT c = pred[] compare(i, last), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  t = (s32[], f32[8]) tuple(zero, x)
  w = (s32[], f32[8]) while(t), condition=condition, body=body
  ROOT o = f32[8] get-tuple-element(w), index=1
}
)");
}

TEST(CodeMotionTest, WhatTheLoopAddsUpIsSummedAfterIt) {
  const std::string after = After(MoveAllReducesOutOfLoops, Accumulating("", "added"));
  EXPECT_THAT(after, AllOf(HasSubstr("add(total, g)"), HasSubstr("add(x, all-reduce)")));
  // What was added before is read.
  EXPECT_THAT(
      After(MoveAllReducesOutOfLoops, Accumulating("  m = f32[8] multiply(added, total)\n", "m")),
      HasSubstr("add(total, r)"));
  EXPECT_THAT(After(MoveAllReducesOutOfLoops, Accumulating("  n = f32[8] negate(added)\n", "n")),
              HasSubstr("add(total, r)"));
}

// A loop whose body adds a sum to row `place` of what it carries; `table` is what it reads places from.
std::string AddingToRow(const std::string& place, const std::string& table) {
  return absl::StrCat(kSum, R"(
body {
  p = (s32[], f32[4,8], s32[5]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  zero = s32[] constant(0)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  total = f32[4,8] get-tuple-element(p), index=1
  table = s32[5] get-tuple-element(p), index=2
)",
                      place, R"(
  f = f32[] convert(i)
  g = f32[1,8] broadcast(f), dimensions={}
  r = f32[1,8] all-reduce(g), to_apply=sum, channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true
  row = f32[1,8] dynamic-slice(total, place, zero), dynamic_slice_sizes={1,8}
  added = f32[1,8] add(row, r)
  changed = f32[4,8] dynamic-update-slice(total, added, place, zero)
  ROOT t = (s32[], f32[4,8], s32[5]) tuple(next, changed, table)
}
condition {
  p = (s32[], f32[4,8], s32[5]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(5)
  ROOT c = pred[] compare(i, last), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[4,8] parameter(0)
  table = s32[5] )",
                      table, R"(
  t = (s32[], f32[4,8], s32[5]) tuple(zero, x, table)
  w = (s32[], f32[4,8], s32[5]) while(t), condition=condition, body=body
  ROOT o = f32[4,8] get-tuple-element(w), index=1
}
)");
}

// As in pipelines, whose gradient of a microbatch is added to its row of the gradient of all.
TEST(CodeMotionTest, RowsThatAreTheSameEverywhere) {
  const std::string read =
      "  cell = s32[1] dynamic-slice(table, i), dynamic_slice_sizes={1}\n"
      "  place = s32[] reshape(cell)";
  const auto after = [](const std::string& place, const std::string& table) {
    return After(MoveAllReducesOutOfLoops, AddingToRow(place, table));
  };
  const auto is_moved = AllOf(HasSubstr("add(row, g)"), HasSubstr("f32[4,8]{1,0} all-reduce("));
  EXPECT_THAT(after(read, "constant({0,1,2,3,3})"), is_moved);
  EXPECT_THAT(after(read, "iota(), iota_dimension=0"), is_moved);
  EXPECT_THAT(after(read, "parameter(1)"), HasSubstr("add(row, r)"));
  EXPECT_THAT(after("  device = u32[] partition-id()\n  place = s32[] convert(device)",
                    "iota(), iota_dimension=0"),
              HasSubstr("add(row, r)"));
}

// A loop that is run three times and adds up what the inner one stacks of four sums.
std::string Nested(const std::string& sum) {
  return absl::StrCat(kSum, R"(
inner {
  p = (s32[], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  zero = s32[] constant(0)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  stack = f32[4,8] get-tuple-element(p), index=1
  f = f32[] convert(i)
)",
                      sum, R"(
  row = f32[1,8] reshape(r)
  stacked = f32[4,8] dynamic-update-slice(stack, row, i, zero)
  ROOT t = (s32[], f32[4,8]) tuple(next, stacked)
}
four {
  p = (s32[], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(4)
  ROOT c = pred[] compare(i, last), direction=LT
}
outer {
  p = (s32[], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  zero = s32[] constant(0)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  total = f32[4,8] get-tuple-element(p), index=1
  none = f32[] constant(0)
  nothing = f32[4,8] broadcast(none), dimensions={}
  start = (s32[], f32[4,8]) tuple(zero, nothing)
  w = (s32[], f32[4,8]) while(start), condition=four, body=inner
  g = f32[4,8] get-tuple-element(w), index=1
  added = f32[4,8] add(total, g)
  ROOT t = (s32[], f32[4,8]) tuple(next, added)
}
three {
  p = (s32[], f32[4,8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  last = s32[] constant(3)
  ROOT c = pred[] compare(i, last), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  x = f32[4,8] parameter(0)
  t = (s32[], f32[4,8]) tuple(zero, x)
  w = (s32[], f32[4,8]) while(t), condition=three, body=outer
  ROOT o = f32[4,8] get-tuple-element(w), index=1
}
)");
}

// As in gradients of norms over layers and microbatches.
TEST(CodeMotionTest, WhatAnInnerLoopStacksLeavesTheOuterOne) {
  EXPECT_THAT(After(MoveAllReducesOutOfLoops,
                    Nested("  b = f32[8] broadcast(f), dimensions={}\n  r = f32[8] all-reduce(b), "
                           "to_apply=sum, channel_id=1, replica_groups=[2,4]<=[8], "
                           "use_global_device_ids=true\n")),
              AllOf(HasSubstr("add(x, all-reduce"), Not(HasSubstr("all-reduce(b)"))));
}

// The stack is summed in the type of the sums, too.
TEST(CodeMotionTest, WhatIsStackedInAWiderTypeIsSummedInItsOwn) {
  EXPECT_THAT(
      After(MoveAllReducesOutOfLoops,
            Nested("  h = bf16[] convert(f)\n  b = bf16[8] broadcast(h), dimensions={}\n"
                   "  a = bf16[8] all-reduce(b), to_apply=sum, channel_id=1, "
                   "replica_groups=[2,4]<=[8], use_global_device_ids=true\n"
                   "  r = f32[8] convert(a)\n")),
      AllOf(HasSubstr("bf16[4,8]{1,0} all-reduce(convert"), Not(HasSubstr("all-reduce(b)"))));
}

// Three all-reduces of 1, 2 and 4 KiB; the groups of the second are spelled in another way.
std::string ThreeSums(const std::string& third) {
  return absl::StrCat(
      kSum,
      "ENTRY e {\n  x = f32[256] parameter(0)\n  y = f32[512] parameter(1)\n"
      "  z = f32[32,32] parameter(2)\n  a = f32[256] all-reduce(x), to_apply=sum",
      kFours,
      "\n  b = f32[512] all-reduce(y), to_apply=sum, channel_id=2, replica_groups=[2,4]<=[8], "
      "use_global_device_ids=true\n  c = f32[32,32] all-reduce(z), to_apply=sum",
      third, "\n  ROOT t = (f32[256], f32[512], f32[32,32]) tuple(a, b, c)\n}\n");
}

TEST(CombinerTest, AllReducesOfTheSameDevices) {
  EXPECT_THAT(After(CombineAllReduces, ThreeSums(kFours)), HasSubstr("all-reduce(x, y, z)"));
  EXPECT_THAT(After(CombineAllReduces,
                    ThreeSums(", channel_id=3, replica_groups={{0,1},{2,3},{4,5},{6,7}}, "
                              "use_global_device_ids=true")),
              AllOf(HasSubstr("all-reduce(x, y)"), HasSubstr("all-reduce(z)")));
}

// The entry has two all-reduces. The second one reads the instruction `read`.
Context AfterCombiner(const std::string& read) {
  Context context(
      *hlo::ParseModule(absl::StrCat(
          "HloModule m, num_partitions=8\n\n", kSum,
          "ENTRY e {\n  x = f32[256] parameter(0)\n  y = f32[256] parameter(1)\n"
          "  a = f32[256] all-reduce(x), to_apply=sum",
          kFours, "\n  n = f32[256] negate(a)\n  b = f32[256] all-reduce(", read, "), to_apply=sum",
          kFours, "\n  ROOT t = (f32[256], f32[256]) tuple(n, b)\n}\n")),
      *ParseTarget("h100:8"), XlaFlags());
  EXPECT_TRUE(CombineAllReduces(context).ok());
  return context;
}

TEST(CombinerTest, KernelsOfAChainAreNotAskedFor) {
  const Context chain = AfterCombiner("n");
  EXPECT_TRUE(chain.results.empty());
  EXPECT_TRUE(chain.unfused.contains(chain.program.module().entry_id()));
  const Context apart = AfterCombiner("y");
  EXPECT_TRUE(apart.results.contains(apart.program.module().entry_id()));
  EXPECT_TRUE(apart.unfused.empty());
}

TEST(CombinerTest, TheThresholdOfTheUser) {
  XlaFlags flags;
  flags.gpu_all_reduce_combine_threshold_bytes = 4096;
  EXPECT_THAT(After(CombineAllReduces, ThreeSums(kFours), flags),
              AllOf(HasSubstr("all-reduce(x, y)"), HasSubstr("all-reduce(z)")));
  flags.gpu_all_reduce_combine_threshold_bytes = 0;
  EXPECT_THAT(After(CombineAllReduces, ThreeSums(kFours), flags), HasSubstr("all-reduce(x)"));
}

TEST(CombinerTest, GathersOfTwoDimensionsUnlessTheUserForbids) {
  const auto gathers = absl::StrCat(
      "ENTRY e {\n  x = f32[8,4] parameter(0)\n  y = f32[8,4] parameter(1)\n"
      "  a = f32[32,4] all-gather(x), dimensions={0}",
      kFours, "\n  b = f32[8,16] all-gather(y), dimensions={1}", kFours,
      "\n  ROOT t = (f32[32,4], f32[8,16]) tuple(a, b)\n}\n");
  EXPECT_THAT(After(CombineAllGathers, gathers),
              AllOf(HasSubstr("= f32[4,8]{0,1} bitcast(y)"),
                    HasSubstr("= (f32[32,4]{1,0}, f32[16,8]{0,1}) all-gather(x, bitcast)")));
  XlaFlags flags;
  flags.gpu_all_gather_combine_by_dim = true;
  EXPECT_THAT(After(CombineAllGathers, gathers, flags), HasSubstr("all-gather(y)"));
}

TEST(AllReduceContiguousTest, TypesThatDifferStayApart) {
  const auto both = [](const std::string& type) {
    return absl::StrCat(kSum, "ENTRY e {\n  x = f32[8] parameter(0)\n  y = ", type,
                        "[4] parameter(1)\n  ROOT a = (f32[8], ", type,
                        "[4]) all-reduce(x, y), to_apply=sum", kFours, "\n}\n");
  };
  EXPECT_THAT(After(MakeAllReducesContiguous, both("f32")),
              HasSubstr("f32[12]{0} all-reduce(concatenate)"));
  EXPECT_THAT(After(MakeAllReducesContiguous, both("bf16")), HasSubstr("all-reduce(x, y)"));
}

}  // namespace
}  // namespace tessera::target
