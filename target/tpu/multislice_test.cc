// Collectives over two slices of four devices: texts before and after, as the compiler has them on slices of eight.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/target/passes/after_pass.h"
#include "tessera/target/tpu/multislice/slice_groups.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTwoSlices[] = "tpu-v5e:2x2:slices=2";
constexpr char kReducer[] =
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

std::string Split(const std::string& text) {
  return After(SplitIciDcn, text, XlaFlags(), kTwoSlices);
}

std::string Rewritten(const std::string& text) {
  return After(RewriteCrossSlice, text, XlaFlags(), kTwoSlices);
}

TEST(SliceGroupsTest, AreOfASliceAndOfOneDeviceEach) {
  const auto groups = SplitGroups({{0, 1, 4, 5}, {2, 3, 6, 7}}, 4);
  ASSERT_TRUE(groups.has_value());
  EXPECT_THAT(groups->inside, ElementsAre(ElementsAre(0, 1), ElementsAre(4, 5), ElementsAre(2, 3),
                                          ElementsAre(6, 7)));
  EXPECT_THAT(groups->across, ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 6),
                                          ElementsAre(3, 7)));
  EXPECT_EQ(groups->order, SliceOrder::kSliceMajor);
  EXPECT_EQ(SplitGroups({{0, 4, 1, 5}}, 4)->order, SliceOrder::kSliceMinor);
  EXPECT_EQ(SplitGroups({{0, 4, 5, 1}}, 4)->order, SliceOrder::kOther);
  EXPECT_FALSE(SplitGroups({{0, 1}, {4, 5}}, 4).has_value()) << "of one slice each";
  EXPECT_FALSE(SplitGroups({{0, 1, 4}}, 4).has_value()) << "unequal shares";
}

constexpr char kSum[] =
    "ENTRY e {\n"
    "  x = f32[3,10,8] parameter(0)\n"
    "  ROOT r = f32[3,10,8] all-reduce(x), channel_id=1, replica_groups={{0,1,4,5},{2,3,6,7}}, "
    "use_global_device_ids=true, to_apply=sum\n"
    "}\n";

// Along the first dimension that two devices divide.
TEST(SplitIciDcnTest, APartOfASumCrossesTheNetwork) {
  const std::string after = Split(absl::StrCat(kReducer, kSum));
  EXPECT_THAT(after, AllOf(HasSubstr("f32[3,10,8]{2,1,0} all-reduce(x)"),
                           HasSubstr("replica_groups={{0,1},{4,5},{2,3},{6,7}}"),
                           HasSubstr("f32[3,5,8]{2,1,0} dynamic-slice("),
                           HasSubstr("f32[3,5,8]{2,1,0} all-reduce("),
                           HasSubstr("replica_groups={{0,4},{1,5},{2,6},{3,7}}")));
  EXPECT_THAT(after, HasSubstr("f32[3,10,8]{2,1,0} all-gather("));
  const std::string large = absl::StrReplaceAll(kSum, {{"[3,10,8]", "[64,512]"}});
  EXPECT_THAT(
      Split(absl::StrCat(kReducer, large)),
      AllOf(HasSubstr("f32[32,512]{1,0} reduce-scatter(x)"), Not(HasSubstr("dynamic-slice"))))
      << "whole tiles";
}

constexpr char kKept[] =
    "ENTRY e {\n"
    "  x = f32[64,512] parameter(0)\n"
    "  a = f32[64,512] all-reduce(x), channel_id=1, replica_groups={{0,1,4,5},{2,3,6,7}}, "
    "use_global_device_ids=true, to_apply=sum\n"
    "  t = s32[8] constant({0,32,0,32,0,32,0,32})\n"
    "  i = u32[] partition-id()\n"
    "  s = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={1}\n"
    "  o = s32[] reshape(s)\n"
    "  z = s32[] constant(0)\n"
    "  ROOT d = f32[32,512] dynamic-slice(a, o, z), dynamic_slice_sizes={32,512}\n"
    "}\n";

TEST(SplitIciDcnTest, OfAKeptPartNothingIsGathered) {
  const std::string kept = Split(absl::StrCat(kReducer, kKept));
  EXPECT_THAT(kept, AllOf(HasSubstr("f32[32,512]{1,0} reduce-scatter(x)"),
                          HasSubstr("f32[32,512]{1,0} all-reduce("), Not(HasSubstr("all-gather")),
                          Not(HasSubstr("f32[32,512]{1,0} dynamic-slice("))));
  const std::string small = Split(absl::StrCat(
      kReducer,
      absl::StrReplaceAll(
          kKept, {{"[64,512]", "[64,8]"}, {"[32,512]", "[32,8]"}, {"{32,512}", "{32,8}"}})));
  EXPECT_THAT(small, AllOf(HasSubstr("f32[64,8]{1,0} all-reduce(x)"),
                           HasSubstr("f32[32,8]{1,0} dynamic-slice("),
                           HasSubstr("f32[32,8]{1,0} all-reduce("), Not(HasSubstr("all-gather"))));
}

TEST(SplitIciDcnTest, AVectorStays) {
  const std::string vector = absl::StrReplaceAll(kSum, {{"[3,10,8]", "[16]"}});
  EXPECT_THAT(Split(absl::StrCat(kReducer, vector)), HasSubstr("f32[16]{0} all-reduce(x)"));
  const std::string row = absl::StrReplaceAll(kSum, {{"[3,10,8]", "[1,16]"}});
  EXPECT_THAT(Split(absl::StrCat(kReducer, row)), HasSubstr("ROOT r = f32[1,16]"));
  const std::string odd = absl::StrReplaceAll(kSum, {{"[3,10,8]", "[3,5]"}});
  EXPECT_THAT(Split(absl::StrCat(kReducer, odd)), HasSubstr("ROOT r = f32[3,5]"));
}

TEST(SplitIciDcnTest, WhatIsOfOneSliceStays) {
  const std::string inside =
      absl::StrReplaceAll(kSum, {{"{{0,1,4,5},{2,3,6,7}}", "{{0,1},{2,3},{4,5},{6,7}}"}});
  EXPECT_THAT(Split(absl::StrCat(kReducer, inside)), HasSubstr("ROOT r = "));
  const std::string across =
      absl::StrReplaceAll(kSum, {{"{{0,1,4,5},{2,3,6,7}}", "{{0,4},{1,5},{2,6},{3,7}}"}});
  EXPECT_THAT(Split(absl::StrCat(kReducer, across)), HasSubstr("ROOT r = "));
}

constexpr char kGather[] =
    "ENTRY e {\n"
    "  x = f32[4,8] parameter(0)\n"
    "  ROOT r = f32[16,8] all-gather(x), channel_id=1, replica_groups={{0,1,4,5},{2,3,6,7}}, "
    "use_global_device_ids=true, dimensions={0}\n"
    "}\n";

TEST(SplitIciDcnTest, AGatherCrossesFirst) {
  EXPECT_THAT(
      Split(kGather),
      AllOf(HasSubstr("f32[1,4,8]{2,1,0} reshape(x)"), HasSubstr("f32[2,4,8]{2,1,0} all-gather("),
            HasSubstr("f32[2,8,8]{2,1,0} all-gather("), HasSubstr("dimensions={1}"),
            HasSubstr("ROOT reshape"), Not(HasSubstr("to_apply"))));
  const std::string minor =
      absl::StrReplaceAll(kGather, {{"{{0,1,4,5},{2,3,6,7}}", "{{0,4,1,5},{2,6,3,7}}"}});
  EXPECT_THAT(Split(minor),
              AllOf(HasSubstr("f32[8,8]{1,0} all-gather(x)"),
                    HasSubstr("f32[16,8]{1,0} all-gather("), Not(HasSubstr("reshape("))));
}

TEST(RewriteCrossSliceTest, AVectorIsSummedInASliceFirst) {
  const auto vector = [](const std::string& shape) {
    return Rewritten(absl::StrCat(kReducer, absl::StrReplaceAll(kSum, {{"[3,10,8]", shape}})));
  };
  EXPECT_THAT(vector("[2048]"), AllOf(HasSubstr("replica_groups={{0,1},{4,5},{2,3},{6,7}}"),
                                      HasSubstr("replica_groups={{0,4},{1,5},{2,6},{3,7}}"),
                                      Not(HasSubstr("all-gather"))))
      << "as many tiles as devices";
  EXPECT_THAT(vector("[5000]"),
              AllOf(HasSubstr("f32[5120]{0} all-reduce("), HasSubstr("f32[3072]{0} all-reduce("),
                    HasSubstr("f32[6144]{0} all-gather(")));
  EXPECT_THAT(vector("[]"), HasSubstr("f32[128]{0} all-reduce("));
}

TEST(RewriteCrossSliceTest, CombinedSumsAreOneVector) {
  constexpr char kText[] =
      "ENTRY e {\n"
      "  x = f32[512] parameter(0)\n"
      "  y = f32[2,256] parameter(1)\n"
      "  ROOT r = (f32[512], f32[2,256]) all-reduce(x, y), channel_id=1, "
      "replica_groups={{0,1,4,5},{2,3,6,7}}, use_global_device_ids=true, to_apply=sum\n"
      "}\n";
  EXPECT_THAT(Rewritten(absl::StrCat(kReducer, kText)),
              AllOf(HasSubstr("f32[1024]{0} concatenate("), HasSubstr("f32[1024]{0} all-reduce("),
                    HasSubstr("ROOT tuple")));
}

// Of one device of each slice: nothing is summed in a slice.
TEST(RewriteCrossSliceTest, CombinedSumsBetweenSlicesAreOneVector) {
  constexpr char kText[] =
      "ENTRY e {\n"
      "  x = f32[300] parameter(0)\n"
      "  y = f32[2,50] parameter(1)\n"
      "  ROOT r = (f32[300], f32[2,50]) all-reduce(x, y), channel_id=1, "
      "replica_groups={{0,4},{1,5},{2,6},{3,7}}, use_global_device_ids=true, to_apply=sum\n"
      "}\n";
  EXPECT_THAT(
      Rewritten(absl::StrCat(kReducer, kText)),
      AllOf(HasSubstr("f32[400]{0} concatenate("), HasSubstr("f32[512]{0} all-reduce("),
            HasSubstr("replica_groups={{0,4},{1,5},{2,6},{3,7}}"), HasSubstr("ROOT tuple")));
}

// Two sums between slices, then one of a part that a device takes of a sum in its slice.
std::string SumsBetweenSlices(const std::string& shape) {
  const std::string text = absl::StrCat(
      "ENTRY e {\n"
      "  x = SHAPE parameter(0)\n"
      "  y = SHAPE parameter(1)\n"
      "  p = f32[16,128] parameter(2)\n"
      "  a = SHAPE all-reduce(x), ACROSS\n"
      "  b = SHAPE all-reduce(y), ACROSS\n"
      "  c = f32[4,128] reduce-scatter(p), channel_id=2, replica_groups={{0,1,2,3},{4,5,6,7}}, "
      "use_global_device_ids=true, to_apply=sum, dimensions={0}\n"
      "  d = f32[4,128] all-reduce(c), ACROSS\n"
      "  ROOT r = (SHAPE, SHAPE, f32[4,128]) tuple(a, b, d)\n"
      "}\n");
  return absl::StrCat(
      kReducer,
      absl::StrReplaceAll(text, {{"SHAPE", shape},
                                 {"ACROSS",
                                  "channel_id=1, replica_groups={{0,4},{1,5},{2,6},{3,7}}, "
                                  "use_global_device_ids=true, to_apply=sum"}}));
}

TEST(CombineCrossSliceSumsTest, UpTo256KiBInTiles) {
  const auto combined = [](const std::string& shape) {
    return After(CombineCrossSliceSums, SumsBetweenSlices(shape), XlaFlags(), kTwoSlices);
  };
  EXPECT_THAT(combined("f32[256,128]"),
              AllOf(HasSubstr("(f32[256,128]{1,0}, f32[256,128]{1,0}) all-reduce(x, y)"),
                    HasSubstr("d = f32[4,128]{1,0} all-reduce(c)")));
  EXPECT_THAT(combined("f32[264,128]"), HasSubstr("b = f32[264,128]{1,0} all-reduce(y)"));
  EXPECT_THAT(combined("f32[33,3,64]"), HasSubstr("b = f32[33,3,64]{2,1,0} all-reduce(y)"))
      << "33 x 8 x 128 elements each";
  EXPECT_THAT(combined("f32[32,3,64]"), HasSubstr(") all-reduce(x, y)"));
}

TEST(ScatterCrossSliceSumsTest, APartOfASumIsScatteredWhateverItsSize) {
  constexpr char kText[] =
      "ENTRY e {\n"
      "  x = f32[4,2] parameter(0)\n"
      "  a = f32[4,2] all-reduce(x), channel_id=1, replica_groups={{0,4},{1,5},{2,6},{3,7}}, "
      "use_global_device_ids=true, to_apply=sum\n"
      "  t = s32[8] constant({0,0,0,0,2,2,2,2})\n"
      "  i = u32[] partition-id()\n"
      "  s = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={1}\n"
      "  o = s32[] reshape(s)\n"
      "  z = s32[] constant(0)\n"
      "  ROOT r = f32[2,2] dynamic-slice(a, o, z), dynamic_slice_sizes={2,2}\n"
      "}\n";
  EXPECT_THAT(After(ScatterCrossSliceSums, absl::StrCat(kReducer, kText), XlaFlags(), kTwoSlices),
              HasSubstr("f32[2,2]{1,0} reduce-scatter(x)"));
}

TEST(PadCrossSliceSumsTest, WhatCrossesHasTheTilesOfItsLayout) {
  const auto padded = [](const std::string& shape) {
    return After(PadCrossSliceSums, SumsBetweenSlices(shape), XlaFlags(), kTwoSlices);
  };
  EXPECT_THAT(padded("f32[100,3]"),
              AllOf(HasSubstr("f32[512]{0} all-reduce("), HasSubstr("f32[300]{0} slice(")));
  EXPECT_THAT(padded("f32[16,128]"), HasSubstr("a = f32[16,128]{1,0} all-reduce(x)"));
}

// What a loop carries is row-major, as the stack of which it is a row: 64 x 3 rows of 128 elements in tiles of four.
TEST(PadCrossSliceSumsTest, APartThatALoopCarriesIsRowMajor) {
  const auto padded = [](absl::string_view carried) {
    return After(
        PadCrossSliceSums,
        absl::StrCat(kReducer,
                     "ENTRY e {\n"
                     "  t = (s32[], f32[64,3,8]) parameter(0)\n"
                     "  y = f32[64,3,8] parameter(1)\n"
                     "  x = f32[64,3,8] ",
                     carried,
                     "\n  a = f32[64,3,8] all-reduce(x), channel_id=1, "
                     "replica_groups={{0,4},{1,5},{2,6},{3,7}}, "
                     "use_global_device_ids=true, to_apply=sum\n"
                     "  ROOT g = f32[256,3,8] all-gather(a), channel_id=2, dimensions={0}, "
                     "replica_groups={{0,1,2,3},{4,5,6,7}}, use_global_device_ids=true\n"
                     "}\n"),
        XlaFlags(), kTwoSlices);
  };
  EXPECT_THAT(padded("get-tuple-element(t), index=1"), HasSubstr("f32[32768]{0} all-reduce("));
  EXPECT_THAT(padded("negate(y)"), HasSubstr("f32[3072]{0} all-reduce(")) << "{0,2,1} pads least";
}

std::string ScatteredBetweenSlices(const std::string& type) {
  return absl::StrReplaceAll(
      absl::StrCat(kReducer,
                   "ENTRY e {\n"
                   "  x = f32[128,128] parameter(0)\n"
                   "  ROOT r = f32[64,128] reduce-scatter(x), channel_id=1, dimensions={0}, "
                   "replica_groups={{0,4},{1,5},{2,6},{3,7}}, use_global_device_ids=true, "
                   "to_apply=sum\n"
                   "}\n"),
      {{"f32", type}});
}

TEST(PadCrossSliceSumsTest, ScatteredRowsOfHalfWordsArePairs) {
  const auto padded = [](const std::string& type) {
    return After(PadCrossSliceSums, ScatteredBetweenSlices(type), XlaFlags(), kTwoSlices);
  };
  EXPECT_THAT(padded("bf16"), AllOf(HasSubstr("bf16[64,128,2]{2,1,0} reduce-scatter("),
                                    HasSubstr("bf16[64,128,1]{2,1,0} slice(")));
  EXPECT_THAT(padded("f32"), HasSubstr("r = f32[64,128]{1,0} reduce-scatter(x)"));
}

constexpr char kPermute[] =
    "ENTRY e {\n"
    "  x = f32[8] parameter(0)\n"
    "  ROOT p = f32[8] collective-permute(x), channel_id=1, "
    "source_target_pairs={{0,0},{1,4},{4,1}}\n"
    "}\n";

TEST(SplitPermutesTest, WhatStaysInASliceLeavesTheNetwork) {
  const auto split = [](const std::string& text) {
    return After(SplitPermutes, text, XlaFlags(), kTwoSlices);
  };
  EXPECT_THAT(split(kPermute), AllOf(HasSubstr("source_target_pairs={{0,0}}"),
                                     HasSubstr("source_target_pairs={{1,4},{4,1}}"),
                                     HasSubstr("s64[8]{0} constant({1, 0, 0, 0, 0, 0, 0, 0})"),
                                     HasSubstr("f32[8]{0} select(")));
  const std::string across = absl::StrReplaceAll(kPermute, {{"{0,0},", ""}});
  EXPECT_THAT(split(across), Not(HasSubstr("select("))) << "all pairs cross";
  const std::string inside = absl::StrReplaceAll(kPermute, {{"{1,4},{4,1}", "{1,2}"}});
  EXPECT_THAT(split(inside), Not(HasSubstr("select("))) << "none crosses";
}

// Four trips; the stack is read after the loop.
constexpr char kStacking[] =
    "body {\n"
    "  p = (s32[], f32[4,8], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(p), index=0\n"
    "  one = s32[] constant(1)\n"
    "  next = s32[] add(i, one)\n"
    "  stack = f32[4,8] get-tuple-element(p), index=1\n"
    "  x = f32[8] get-tuple-element(p), index=2\n"
    "  h = f32[8] tanh(x)\n"
    "  a = f32[8] all-reduce(h), channel_id=1, replica_groups={{0,4},{1,5},{2,6},{3,7}}, "
    "use_global_device_ids=true, to_apply=sum\n"
    "  row = f32[1,8] reshape(a)\n"
    "  zero = s32[] constant(0)\n"
    "  filled = f32[4,8] dynamic-update-slice(stack, row, i, zero)\n"
    "  ROOT t = (s32[], f32[4,8], f32[8]) tuple(next, filled, h)\n"
    "}\n"
    "condition {\n"
    "  q = (s32[], f32[4,8], f32[8]) parameter(0)\n"
    "  j = s32[] get-tuple-element(q), index=0\n"
    "  n = s32[] constant(4)\n"
    "  ROOT c = pred[] compare(j, n), direction=LT\n"
    "}\n"
    "ENTRY e {\n"
    "  s = f32[4,8] parameter(0)\n"
    "  y = f32[8] parameter(1)\n"
    "  z = s32[] constant(0)\n"
    "  b = (s32[], f32[4,8], f32[8]) tuple(z, s, y)\n"
    "  w = (s32[], f32[4,8], f32[8]) while(b), condition=condition, body=body\n"
    "  ROOT r = f32[4,8] get-tuple-element(w), index=1\n"
    "}\n";

std::string Pipelined(const std::string& text) {
  return After(PipelineCrossSliceSums, absl::StrCat(kReducer, text), XlaFlags(), kTwoSlices);
}

TEST(PipelineCrossSliceSumsTest, AStackedSumRunsInTheNextTrip) {
  const std::string after = Pipelined(kStacking);
  // The loop begins at 1 and carries the operand and the index of the trip before.
  EXPECT_THAT(after, HasSubstr("(s32[], f32[4,8]{1,0}, f32[8]{0}, f32[8]{0}, s32[]) while("));
  const std::string entry = after.substr(after.find("ENTRY"));
  EXPECT_THAT(entry, AllOf(HasSubstr("s32[] constant(1)"), HasSubstr("f32[8]{0} tanh(y)"),
                           HasSubstr("f32[8]{0} all-reduce(get-tuple-element"),
                           HasSubstr("f32[4,8]{1,0} dynamic-update-slice(")))
      << "the first trip without its sum, and the sum of the last one";
  const std::string body = after.substr(0, after.find("ENTRY"));
  EXPECT_THAT(body, AllOf(HasSubstr("a = f32[8]{0} all-reduce(get-tuple-element"),
                          HasSubstr("index=3"), HasSubstr("index=4")));
}

absl::Status PipelineAndInline(Context& context) {
  if (const absl::Status done = PipelineCrossSliceSums(context); !done.ok()) return done;
  return UnrollOneTripLoops(context);
}

TEST(PipelineCrossSliceSumsTest, OfTwoTripsNoLoopIsLeft) {
  const std::string two = absl::StrReplaceAll(kStacking, {{"constant(4)", "constant(2)"}});
  EXPECT_THAT(After(PipelineAndInline, absl::StrCat(kReducer, two), XlaFlags(), kTwoSlices),
              AllOf(HasSubstr("tanh(y)"), Not(HasSubstr("while("))));
}

TEST(PipelineCrossSliceSumsTest, WhatAnotherOpReadsStays) {
  const std::string read =
      absl::StrReplaceAll(kStacking, {{"tuple(next, filled, h)", "tuple(next, filled, a)"}});
  EXPECT_THAT(Pipelined(read), HasSubstr("w = (s32[], f32[4,8]{1,0}, f32[8]{0}) while("));
  const std::string inside =
      absl::StrReplaceAll(kStacking, {{"{{0,4},{1,5},{2,6},{3,7}}", "{{0,1},{2,3},{4,5},{6,7}}"}});
  EXPECT_THAT(Pipelined(inside), HasSubstr("w = (s32[], f32[4,8]{1,0}, f32[8]{0}) while("));
}

constexpr char kScatter[] =
    "ENTRY e {\n"
    "  x = f32[16,8] parameter(0)\n"
    "  ROOT r = f32[4,8] reduce-scatter(x), channel_id=1, replica_groups={{0,1,4,5},{2,3,6,7}}, "
    "use_global_device_ids=true, to_apply=sum, dimensions={0}\n"
    "}\n";

TEST(TpuSharesTest, SeveralSlicesHaveTheirOwn) {
  EXPECT_THAT(TpuShares(*ParseTarget(kTwoSlices), true), HasSubstr("on several slices"));
  EXPECT_THAT(TpuShares(*ParseTarget("tpu-v5e:2x2"), true), HasSubstr("42 of 42"));
  EXPECT_THAT(TpuShares(*ParseTarget("tpu-v5e:2x2"), true), HasSubstr("at first sight in "));
}

TEST(RewriteCrossSliceTest, AScatterSumsAllInASlice) {
  EXPECT_THAT(
      Rewritten(absl::StrCat(kReducer, kScatter)),
      AllOf(HasSubstr("f32[16,8]{1,0} all-reduce(x)"), HasSubstr("f32[2,8,8]{2,1,0} reshape("),
            HasSubstr("f32[2,4,8]{2,1,0} dynamic-slice("),
            HasSubstr("f32[1,4,8]{2,1,0} reduce-scatter("), HasSubstr("ROOT reshape")));
  const std::string minor =
      absl::StrReplaceAll(kScatter, {{"{{0,1,4,5},{2,3,6,7}}", "{{0,4,1,5},{2,6,3,7}}"}});
  EXPECT_THAT(
      Rewritten(absl::StrCat(kReducer, minor)),
      AllOf(HasSubstr("f32[8,8]{1,0} dynamic-slice("), HasSubstr("f32[4,8]{1,0} reduce-scatter("),
            Not(HasSubstr("reshape(all-reduce"))));
}

}  // namespace
}  // namespace tessera::target
