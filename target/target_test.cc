#include "tessera/target/target.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TargetTest, GpusHaveDomainsHostsAndDevices) {
  const auto target = ParseTarget("h100:2x1x8");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->chip->platform, Platform::kGpu);
  EXPECT_EQ(target->chip->compute_capability, 90);
  EXPECT_THAT(target->topology, ElementsAre(2, 1, 8));
  EXPECT_EQ(target->num_devices(), 16);
  EXPECT_EQ(ParseTarget("a100:8")->ToString(), "a100:1x1x8");
}

TEST(TargetTest, TpusHaveTheSidesOfATorus) {
  EXPECT_THAT(ParseTarget("tpu-v5e:4x4")->topology, ElementsAre(4, 4));
  EXPECT_EQ(ParseTarget("tpu7x:2x2x4")->num_devices(), 32) << "two in a chip";
}

TEST(TargetTest, WhatWasNotComparedIsSaid) {
  EXPECT_EQ(NotComparedText(*ParseTarget("h100:8")->chip), "");
  EXPECT_EQ(NotComparedText(*ParseTarget("b200:8")->chip), " on h100; b200 was not compared");
}

TEST(TargetTest, TpusMayHaveSeveralSlices) {
  const Target target = *ParseTarget("tpu-v5e:2x4:slices=4");
  EXPECT_THAT(target.topology, ElementsAre(2, 4));
  EXPECT_EQ(target.slices, 4);
  EXPECT_EQ(target.num_devices(), 32);
  EXPECT_EQ(target.slice_devices(), 8);
  EXPECT_EQ(target.ToString(), "tpu-v5e:2x4:slices=4");
  EXPECT_EQ(ParseTarget("tpu-v5e:2x4:slices=1")->ToString(), "tpu-v5e:2x4");
}

TEST(TargetTest, AProgramOfOtherDevicesIsAnError) {
  const Target target = *ParseTarget("h100:8");
  EXPECT_TRUE(CheckNumDevices(target, 8, "the module runs on").ok());
  EXPECT_EQ(CheckNumDevices(target, 4, "the module runs on").message(),
            "--target=h100:1x1x8 has 8 devices, the module runs on 4; expected h100:4");
  EXPECT_EQ(
      CheckNumDevices(*ParseTarget("tpu-v5e:4x4:slices=2"), 16, "the module runs on").message(),
      "--target=tpu-v5e:4x4:slices=2 has 32 devices, the module runs on 16; expected "
      "tpu-v5e:4x4 or tpu-v5e:2x4:slices=2");
  EXPECT_TRUE(CheckNumDevices(*ParseTarget("cpu"), 4, "the module runs on").ok());
  EXPECT_EQ(CheckNumDevices(*ParseTarget("tpu-v5e:2x4"), 16, "the module runs on").message(),
            "--target=tpu-v5e:2x4 has 8 devices, the module runs on 16; expected tpu-v5e:4x4 or "
            "tpu-v5e:2x4:slices=2");
  EXPECT_EQ(CheckNumDevices(*ParseTarget("tpu-v5e:2x4"), 12, "the module runs on").message(),
            "--target=tpu-v5e:2x4 has 8 devices, the module runs on 12");
  const Target slices = *ParseTarget("tpu-v5e:2x4:slices=2");
  EXPECT_TRUE(CheckCompiledDevices(slices, 8, "the module was compiled for").ok());
  EXPECT_FALSE(CheckCompiledDevices(slices, 4, "the module was compiled for").ok());
}

TEST(TargetTest, ACpuHasNoTopology) {
  EXPECT_EQ(ParseTarget("cpu")->num_devices(), 0);
  EXPECT_EQ(ParseTarget("cpu")->ToString(), "cpu");
}

TEST(TargetTest, AChipNeedsNoTopology) {
  EXPECT_EQ((*ParseChip("tpu-v5e"))->name, "tpu-v5e");
  EXPECT_EQ((*ParseChip("tpu-v5e:4x4"))->name, "tpu-v5e");
  EXPECT_THAT(ParseChip("v5e").status().message(), HasSubstr("did you mean 'tpu-v5e'?"));
  EXPECT_THAT(ParseChip("tpu-v5e:4").status().message(), HasSubstr("4 chips are tpu-v5e:2x2"));
}

TEST(TargetTest, MistakesSayWhatWouldBeRight) {
  const auto error = [](absl::string_view text) {
    return std::string(ParseTarget(text).status().message());
  };
  EXPECT_THAT(error("v5e:4x4"), HasSubstr("named 'v5e', did you mean 'tpu-v5e:4x4'?; known are "));
  EXPECT_THAT(error("tpu_v5e:4x4"), HasSubstr("did you mean 'tpu-v5e:4x4'?"));
  EXPECT_THAT(error("tpu-v5e-16"), HasSubstr("did you mean 'tpu-v5e'?"));
  EXPECT_THAT(error("h100x8"), HasSubstr("did you mean 'h100:8'?"));
  EXPECT_THAT(error("H100-1x2x8"), HasSubstr("did you mean 'h100:1x2x8'?"));
  EXPECT_THAT(error("v5e-4x4"), HasSubstr("did you mean 'tpu-v5e:4x4'?"));
  EXPECT_THAT(error("gb200x4"), HasSubstr("did you mean 'gb200:4'?"));
  EXPECT_THAT(error("v5p-16"), HasSubstr("did you mean 'tpu-v5p'?"));
  EXPECT_THAT(error("abacus:8"),
              HasSubstr("--target=abacus:8: no chip is named 'abacus'; known are "
                        "cpu, a100, h100, "));
  EXPECT_THAT(error("h100:16"), HasSubstr("one host has 8 devices; expected h100:2x1x8"));
  EXPECT_THAT(error("tpu-v7:4x4"), HasSubstr("did you mean 'tpu7x:4x4'?"));
  EXPECT_THAT(error("h100:2x8"), HasSubstr("as in h100:1x1x8, or h100:8 for one host"));
  EXPECT_THAT(error("h100"), HasSubstr("as in h100:1x1x8"));
  EXPECT_THAT(error("h100:"), HasSubstr("as in h100:1x1x8"));
  EXPECT_THAT(error("h100:1x1x0"), HasSubstr("as in h100:1x1x8"));
  EXPECT_THAT(error("h100:99999999x99999999x99999999"), HasSubstr("at most 1048576 devices"));
  EXPECT_THAT(error("h100:99999999"), HasSubstr("a target has at most 1048576 devices"));
  EXPECT_THAT(error("tpu-v5e:4x4x4"), HasSubstr("the 2 sides of the torus, as in tpu-v5e:4x4"));
  EXPECT_THAT(error("tpu-v5p:4x4"), HasSubstr("as in tpu-v5p:2x2x4"));
  EXPECT_THAT(error("tpu-v5e:4x4:slices=0"), HasSubstr("as in tpu-v5e:4x4:slices=2"));
  EXPECT_THAT(error("tpu-v5e:4x4:slices=99999999"), HasSubstr("as in tpu-v5e:4x4:slices=2"));
  EXPECT_THAT(error("tpu-v5e:4x4:2"), HasSubstr("as in tpu-v5e:4x4"));
  EXPECT_THAT(error("h100:8:slices=2"), HasSubstr("only TPUs have slices"));
  EXPECT_THAT(error("cpu:8"), HasSubstr("a CPU has no topology"));
}

}  // namespace
}  // namespace tessera::target
