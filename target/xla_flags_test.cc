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
  EXPECT_TRUE(flags->all_gather_combine_by_dim);
  EXPECT_EQ(flags->all_gather_combine_threshold_bytes, 7);
  EXPECT_TRUE(ParseXlaFlags("", Platform::kGpu)->reassociation_for_converted_all_reduce);
}

TEST(XlaFlagsTest, WhatIsNotModelledIsRefusedByName) {
  const auto error = [](absl::string_view text) {
    return std::string(ParseXlaFlags(text, Platform::kGpu).status().message());
  };
  EXPECT_THAT(error("--xla_gpu_enable_pipelined_p2p=true"),
              HasSubstr("--xla-flags: --xla_gpu_enable_pipelined_p2p=true: what this flag does is "
                        "not modelled; modelled are xla_gpu_all_gather_combine"));
  EXPECT_THAT(error("--xla_gpu_all_reduce_combine_threshold_bytes=many"),
              HasSubstr("expected a number, 0 or more"));
  EXPECT_THAT(error("--xla_gpu_enable_all_gather_combine_by_dim=perhaps"),
              HasSubstr("expected true or false"));
}

TEST(XlaFlagsTest, EachPlatformHasItsOwn) {
  const absl::string_view of_tpus = "--xla_jf_spmd_threshold_for_windowed_einsum_mib=-1";
  EXPECT_TRUE(ParseXlaFlags(of_tpus, Platform::kTpu).ok());
  EXPECT_THAT(std::string(ParseXlaFlags(of_tpus, Platform::kGpu).status().message()),
              HasSubstr("is not modelled"));
  EXPECT_THAT(std::string(ParseXlaFlags("--xla_jf_crs_combiner_threshold_count=-2", Platform::kTpu)
                              .status()
                              .message()),
              HasSubstr("expected a number, -1 or more"));
}

}  // namespace
}  // namespace tessera::target
