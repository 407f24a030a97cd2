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

constexpr char kScatter[] =
    "ENTRY e {\n"
    "  x = f32[16,8] parameter(0)\n"
    "  ROOT r = f32[4,8] reduce-scatter(x), channel_id=1, replica_groups={{0,1,4,5},{2,3,6,7}}, "
    "use_global_device_ids=true, to_apply=sum, dimensions={0}\n"
    "}\n";

TEST(TpuSharesTest, SeveralSlicesHaveTheirOwn) {
  EXPECT_THAT(TpuShares(*ParseTarget(kTwoSlices), true), HasSubstr("on several slices"));
  EXPECT_THAT(TpuShares(*ParseTarget("tpu-v5e:2x2"), true), HasSubstr("42 of 42"));
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
