#include "tessera/sharding/factors/infer_sizes.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule_text.h"

namespace tessera::sharding::factors {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Shapes = std::vector<std::vector<int64_t>>;

std::optional<RuleMistake> Infer(const Shapes& operands, const Shapes& results, RuleSpec* rule) {
  const std::vector<absl::Span<const int64_t>> in(operands.begin(), operands.end());
  const std::vector<absl::Span<const int64_t>> out(results.begin(), results.end());
  return InferSizes(in, out, rule);
}

TEST(InferSizesTest, FromDimensions) {
  const struct {
    const char* rule;
    Shapes operands, results;
    const char* with_sizes;
  } kCases[] = {
      {"([i, k], [k, j])->([i, j]) reduction={k}",
       {{8, 4}, {4, 6}},
       {{8, 6}},
       "([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}"},
      {"([i])->([i])", {{5}}, {{3}}, "([i])->([i]) {i=3}"},
      {"([ij])->([i, j])", {{12}}, {{3, 4}}, "([ij])->([i, j]) {i=3, j=4}"},
      {"([ij, j])->([i])", {{12, 4}}, {{3}}, "([ij, j])->([i]) {i=3, j=4}"},
      {"([ik])->([ij, j])", {{12}}, {{6, 2}}, "([ik])->([ij, j]) {i=3, j=2, k=4}"},
      {"([i])->([i]) {i=9}", {{5}}, {{3}}, "([i])->([i]) {i=9}"},
      {"([])->([])", {{}}, {{}}, "([])->([])"},
  };
  for (const auto& c : kCases) {
    RuleSpec rule = *ParseRuleSpec(c.rule);
    EXPECT_EQ(Infer(c.operands, c.results, &rule), std::nullopt) << c.rule;
    EXPECT_EQ(RuleToString(rule), c.with_sizes);
  }
}

TEST(InferSizesTest, SizesBesideShapes) {
  const struct {
    const char* rule;
    Shapes operands, results;
    const char* message;  // empty: they fit
  } kCases[] = {
      {"([i, j])->([j, i]) {i=8, j=6}", {{8, 6}}, {{6, 8}}, ""},
      {"([i])->([i]) {i=3}", {{5}}, {{3}}, ""},
      {"([ij])->([i, j]) {i=3, j=4}", {{12}}, {{3, 4}}, ""},
      {"([i, j])->([j, i]) {i=3, j=6}", {{8, 6}}, {{6, 8}}, "the size 3, the shapes say 8"},
      {"([i])->([ij]) {i=8, j=3}", {{8}}, {{16}}, "the size 24, the shapes say 16"},
  };
  for (const auto& c : kCases) {
    const std::vector<absl::Span<const int64_t>> in(c.operands.begin(), c.operands.end());
    const std::vector<absl::Span<const int64_t>> out(c.results.begin(), c.results.end());
    const auto mistake = CheckSizes(in, out, *ParseRuleSpec(c.rule));
    EXPECT_THAT(mistake.has_value() ? mistake->message : "", HasSubstr(c.message)) << c.rule;
    EXPECT_EQ(mistake.has_value(), *c.message != '\0') << c.rule;
  }
}

TEST(InferSizesTest, Mistakes) {
  const struct {
    const char* rule;
    Shapes operands, results;
    const char* message;
    RulePart part;
  } kCases[] = {
      {"([ij])->([ij])",
       {{12}},
       {{12}},
       "factor i does not follow",
       {RuleSection::kOperands, 0, 0}},
      {"([i])->([ij])",
       {{5}},
       {{12}},
       "cannot hold factor i of size 5",
       {RuleSection::kResults, 0, 0}},
      {"([z_99999])->([i])",
       {{5}},
       {{5}},
       "z_99999 exceeds the limit",
       {RuleSection::kOperands, 0, 0}},
  };
  for (const auto& c : kCases) {
    RuleSpec rule = *ParseRuleSpec(c.rule);
    const std::optional<RuleMistake> mistake = Infer(c.operands, c.results, &rule);
    ASSERT_TRUE(mistake.has_value()) << c.rule;
    EXPECT_THAT(mistake->message, HasSubstr(c.message));
    EXPECT_EQ(mistake->part, c.part) << c.rule;
  }
}

TEST(InferSizesTest, LeavesRanksThatDoNotFitToTheCheck) {
  RuleSpec rule = *ParseRuleSpec("([i, j], [k])->([i])");
  EXPECT_EQ(Infer({{4}}, {{4}}, &rule), std::nullopt);
  EXPECT_THAT(rule.sizes, ElementsAre(4));
}

}  // namespace
}  // namespace tessera::sharding::factors
