// Concatenates that libtpu's tpu-spmd-concat-rewriter makes of padded operands, and those that it leaves.
// Each was compiled for eight v5e.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::sharding::partition {
namespace {

constexpr char kRows[] = "[8,1]<=[8]";

std::string Cut(absl::string_view tiling) {
  return absl::StrCat(", sharding={devices=", tiling, "}\n");
}

// What one device runs. `body` has the root, and reads a, b, c and d.
std::string Device(absl::string_view a, absl::string_view b, absl::string_view tiling,
                   absl::string_view body, bool joins_pads = true) {
  Options options;
  options.joins_pads = joins_pads;
  const std::string cut = Cut(tiling);
  const auto module = hlo::ParseModule(
      absl::StrCat("HloModule m, num_partitions=8\nENTRY e {\n  a = ", a, " parameter(0)", cut,
                   "  b = ", b, " parameter(1)", cut, "  c = ", b, " parameter(2)", cut,
                   "  d = ", a, " parameter(3)", cut, "  ", body, cut, "}\n"));
  const auto device = PartitionModule(*module, {}, options);
  return device.ok() ? hlo::PrintModule(device->module, {})
                     : std::string(device.status().message());
}

struct Case {
  const char* name;
  const char* operand;
  const char* result;
  const char* tiling;
  int dim;
  const char* join;  // empty: a concatenate
};

constexpr Case kCases[] = {
    {"NoOtherDimension", "f32[32,12]", "f32[64,12]", kRows, 0, " maximum("},
    {"AnotherDimension", "f32[32,16]", "f32[64,16]", kRows, 0, ""},
    {"AnotherDimensionIsCut", "f32[32,12]", "f32[64,12]", "[2,4]<=[8]", 0, " maximum("},
    {"AnotherDimensionTakesBoth", "f32[32,16]", "f32[64,16]", "[2,4]<=[8]", 0, ""},
    {"OneRowADevice", "f32[8,16]", "f32[16,16]", kRows, 0, " maximum("},
    {"MoreThanOneRowADevice", "f32[9,16]", "f32[18,16]", kRows, 0, ""},
    {"UncutDimension", "f32[32,12]", "f32[32,24]", kRows, 1, ""},
    {"Integers", "s32[32,12]", "s32[64,12]", kRows, 0, " add("},
};

class JoinedPadsTest : public testing::TestWithParam<Case> {};

TEST_P(JoinedPadsTest, IsTheMaximumOrSum) {
  const Case& c = GetParam();
  const std::string body =
      absl::StrCat("ROOT r = ", c.result, " concatenate(a, b), dimensions={", c.dim, "}");
  const std::string plain = Device(c.operand, c.operand, c.tiling, body, /*joins_pads=*/false);
  const std::string joined = Device(c.operand, c.operand, c.tiling, body);
  const absl::string_view join = c.join;
  EXPECT_EQ(plain == joined, join.empty()) << joined;
  EXPECT_TRUE(absl::StrContains(joined, join.empty() ? " concatenate(" : join)) << joined;
  EXPECT_EQ(absl::StrContains(joined, "constant(-inf)"), join == " maximum(") << joined;
}

INSTANTIATE_TEST_SUITE_P(All, JoinedPadsTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(JoinedPadsTest, RotationsStay) {
  const std::string rows = Cut(kRows);
  const std::string device =
      Device("f32[32,12]", "f32[32,12]", kRows,
             absl::StrCat("h = f32[31,12] slice(a), slice={[1:32], [0:12]}", rows,
                          "  t = f32[1,12] slice(a), slice={[0:1], [0:12]}", rows,
                          "  ROOT r = f32[32,12] concatenate(h, t), dimensions={0}"));
  EXPECT_TRUE(absl::StrContains(device, " collective-permute(")) << device;
  EXPECT_FALSE(absl::StrContains(device, " maximum(")) << device;
}

std::vector<std::string> PairsOf(const std::string& device) {
  std::vector<std::string> pairs;
  for (const absl::string_view line : absl::StrSplit(device, '\n')) {
    const size_t at = line.find("source_target_pairs");
    if (at != absl::string_view::npos) pairs.emplace_back(line.substr(at));
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// 9 and 10 rows have shards of the same shape: the second concatenate is no repetition of the first.
TEST(JoinedPadsTest, FollowWholeSizes) {
  const std::string cut = Cut(kRows);
  const std::string ab = "f32[19,12] concatenate(a, b), dimensions={0}";
  const std::string cd = "f32[19,12] concatenate(c, d), dimensions={0}";
  const auto pairs = [](const std::string& body) {
    return PairsOf(Device("f32[9,12]", "f32[10,12]", kRows, body));
  };
  std::vector<std::string> apart = pairs("ROOT x = " + ab);
  for (std::string& other : pairs("ROOT y = " + cd)) apart.push_back(std::move(other));
  std::sort(apart.begin(), apart.end());
  const std::string sum = "ROOT s = f32[19,12] add(x, y)";
  EXPECT_EQ(pairs(absl::StrCat("x = ", ab, cut, "  y = ", cd, cut, "  ", sum)), apart);
}

}  // namespace
}  // namespace tessera::sharding::partition
