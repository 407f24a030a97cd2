#include "tessera/target/xla_flags.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::target {
namespace {

using ::testing::HasSubstr;

TEST(XlaFlagsTest, EveryRowIsRead) {
  for (const XlaFlagRow& row : XlaFlagRows()) {
    const bool is_number = row.number != nullptr;
    const std::string other = is_number                           ? "12345"
                              : row.ValueIn(XlaFlags()) == "true" ? "false"
                                                                  : "true";
    const auto flags = ParseXlaFlags(absl::StrCat("--", row.name, "=", other), row.platform);
    ASSERT_TRUE(flags.ok()) << flags.status();
    EXPECT_EQ(row.ValueIn(*flags), other) << row.name;
    EXPECT_NE(row.ValueIn(XlaFlags()), other) << row.name;
  }
}

// Names and defaults, in the order of kRows.
TEST(XlaFlagsTest, TheTableOfTheManualIsThatOfTheCode) {
  std::stringstream page;
  page << std::ifstream("docs/targets.md").rdbuf();
  std::vector<std::string> listed, rows;
  for (const absl::string_view line : absl::StrSplit(page.str(), '\n')) {
    const std::vector<absl::string_view> cells = absl::StrSplit(line, " | ");
    if (cells.size() == 3 && absl::StartsWith(line, "| `xla_")) {
      listed.push_back(absl::StrCat(cells[0], " | ", cells[1]));
    }
  }
  for (const XlaFlagRow& row : XlaFlagRows()) {
    rows.push_back(absl::StrCat("| `", row.name, "` | ", row.ValueIn(XlaFlags())));
  }
  EXPECT_EQ(listed, rows);
}

TEST(XlaFlagsTest, SeveralAndWithoutAValue) {
  const auto flags = ParseXlaFlags(
      "--xla_gpu_enable_all_gather_combine_by_dim  "
      "--xla_gpu_all_gather_combine_threshold_bytes=7\n",
      Platform::kGpu);
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_TRUE(flags->gpu_all_gather_combine_by_dim);
  EXPECT_EQ(flags->gpu_all_gather_combine_threshold_bytes, 7);
  EXPECT_TRUE(ParseXlaFlags("", Platform::kGpu)->gpu_reassociation_for_converted_all_reduce);
}

std::string Error(absl::string_view text, Platform platform) {
  return std::string(ParseXlaFlags(text, platform).status().message());
}

TEST(XlaFlagsTest, WhatIsNotModelledIsRefusedByName) {
  EXPECT_THAT(Error("--xla_gpu_enable_pipelined_p2p=true", Platform::kGpu),
              HasSubstr("--xla-flags: --xla_gpu_enable_pipelined_p2p=true: what this flag does is "
                        "not modelled; modelled are xla_gpu_all_gather_combine"));
  EXPECT_THAT(Error("--xla_dump_to=d", Platform::kGpu), HasSubstr("is not modelled"));
  EXPECT_THAT(Error("--xla_gpu_all_reduce_combine_threshold_byte=1", Platform::kGpu),
              HasSubstr("did you mean 'xla_gpu_all_reduce_combine_threshold_bytes'?"));
  for (const absl::string_view no_flag : {"xla_gpu_all_gather_combine_threshold_bytes=0",
                                          "-xla_gpu_all_gather_combine_threshold_bytes=0", "env"}) {
    EXPECT_EQ(Error(no_flag, Platform::kGpu),
              absl::StrCat("--xla-flags: ", no_flag, ": expected a flag, which begins with --"));
  }
}

// As jaxlib 0.12.0.1 takes XLA_FLAGS, and its libtpu LIBTPU_INIT_ARGS.
TEST(XlaFlagsTest, ValuesAreReadAsByXla) {
  const struct {
    Platform platform;
    const char* flag;
    std::vector<const char*> right, wrong;
  } cases[] = {
      {Platform::kGpu,
       "--xla_gpu_enable_all_gather_combine_by_dim",
       {"=true", "=TRUE", "=1", "='true'", "=\"true\"", "", "=false", "=0"},
       {"=yes", "=t", "=", "=perhaps"}},
      {Platform::kGpu,
       "--xla_gpu_all_gather_combine_threshold_bytes",
       {"=5", "=-5", "=+5"},
       {"=0x10", "=5x", "=", "", "=99999999999999999999", "=many"}},
      {Platform::kTpu,
       "--xla_tpu_enable_all_reduce_scatter_fusion",
       {"=true", "=yes", ""},
       {"=maybe", "=", "='true'"}},
      {Platform::kTpu, "--xla_jf_crs_combiner_threshold_count", {"=5", "=-1"}, {"=5x", "=-2", "="}},
  };
  for (const auto& c : cases) {
    for (const char* value : c.right) {
      EXPECT_EQ(Error(absl::StrCat(c.flag, value), c.platform), "") << value;
    }
    for (const char* value : c.wrong) {
      EXPECT_THAT(Error(absl::StrCat(c.flag, value), c.platform), HasSubstr(": expected "))
          << value;
    }
  }
  EXPECT_FALSE(ParseXlaFlags("--xla_gpu_enable_reassociation_for_converted_ar=0", Platform::kGpu)
                   ->gpu_reassociation_for_converted_all_reduce);
}

TEST(XlaFlagsTest, EachPlatformHasItsOwn) {
  const absl::string_view of_tpus = "--xla_jf_crs_combiner_threshold_count=1";
  EXPECT_EQ(Error(of_tpus, Platform::kTpu), "");
  EXPECT_EQ(
      Error(of_tpus, Platform::kGpu),
      absl::StrCat("--xla-flags: ", of_tpus, ": a flag of TPUs, and --target is one of GPUs"));
  EXPECT_THAT(Error("--xla_gpu_autotune_level=1", Platform::kTpu),
              HasSubstr("a flag of GPUs, and --target is one of TPUs"));
}

TEST(XlaFlagsTest, WhatDecidesNothingMayBeSkipped) {
  SkippedXlaFlags skipped;
  const auto flags = ParseXlaFlags(
      "--xla_dump_to=/tmp/q --xla_gpu_all_reduce_combine_threshold_bytes=0 "
      "--xla_force_host_platform_device_count=8",
      Platform::kGpu, &skipped);
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->gpu_all_reduce_combine_threshold_bytes, 0);
  EXPECT_THAT(skipped.harmless, ::testing::ElementsAre("--xla_dump_to=/tmp/q",
                                                       "--xla_force_host_platform_device_count=8"));
  EXPECT_FALSE(ParseXlaFlags("--xla_gpu_autotune_level=1", Platform::kGpu, &skipped).ok());
  skipped.takes_unmodelled = true;
  EXPECT_TRUE(ParseXlaFlags("--xla_gpu_autotune_level=1", Platform::kGpu, &skipped).ok());
  EXPECT_THAT(skipped.unmodelled, ::testing::ElementsAre("--xla_gpu_autotune_level=1"));
  EXPECT_FALSE(ParseXlaFlags("--xla_tpu_scoped_vmem_limit_kib=1", Platform::kGpu, &skipped).ok());
}

}  // namespace
}  // namespace tessera::target
