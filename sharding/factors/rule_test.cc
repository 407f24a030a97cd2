#include "tessera/sharding/factors/rule.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"

namespace tessera::sharding::factors {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OpShardingRuleTest, DenseFormOfAMatrixProductWithASplitDimension) {
  const OpShardingRule rule =
      *ParseRule("([il, k], [k, j], [])->([il, j]) {i=4, j=6, k=8, l=2} reduction={k}");
  EXPECT_EQ(rule.num_factors(), 4);
  EXPECT_EQ(rule.num_operands(), 3);
  EXPECT_EQ(rule.num_results(), 1);
  EXPECT_EQ(rule.rank(0), 2);
  EXPECT_EQ(rule.rank(2), 0);
  EXPECT_THAT(rule.factors(0, 0), ElementsAre(0, 3));
  EXPECT_THAT(rule.factors(3), ElementsAre(0, 3, 1));
  EXPECT_TRUE(rule.factors(2).empty());
  EXPECT_EQ(rule.size(3), 2);
  EXPECT_EQ(rule.kind(2), FactorKind::kReduction);
  EXPECT_EQ(rule.kind(0), FactorKind::kPassThrough);
  EXPECT_TRUE(rule.contains(0, 3));
  EXPECT_FALSE(rule.contains(1, 3));
  EXPECT_TRUE(rule.has_compound_dims());
  EXPECT_FALSE(rule.is_custom());
}

TEST(OpShardingRuleTest, KindsAndBatching) {
  const OpShardingRule rule = *ParseRule(
      "([i, j, k], [i, l], [])->([i, j, l]) {i=2, j=3, k=5, l=7} reduction={k} "
      "need_replication={l} permutation={j} blocked_propagation={i, l}");
  EXPECT_TRUE(rule.is_batching(0));
  EXPECT_FALSE(rule.in_all_non_scalar_tensors(1));
  EXPECT_EQ(rule.kind(1), FactorKind::kPermutation);
  EXPECT_EQ(rule.kind(3), FactorKind::kNeedReplication);
  EXPECT_TRUE(rule.blocked(0));
  EXPECT_FALSE(rule.blocked(1));
  EXPECT_FALSE(rule.has_compound_dims());
}

TEST(OpShardingRuleTest, MakeRefusesWhatWouldBreakItsUsers) {
  const struct {
    const char* text;
    const char* message;
  } kCases[] = {
      {"([i, ])->([]) {i=2}", "no factor"},
      {"([i, j])->([]) {i=2}", "names factor j, but the rule has 1 factors"},
      {"([i, ji])->([]) {i=2, j=2}", "names factor i twice"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = OpShardingRule::Make(*ParseRuleSpec(c.text)).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(OpShardingRuleTest, IdentityRule) {
  EXPECT_EQ(RuleToString(IdentityRule({4, 1}, 2, 1)), "([i, j], [i, j])->([i, j]) {i=4, j=1}");
  EXPECT_EQ(RuleToString(IdentityRule({}, 1, 1)), "([])->([])");
}

TEST(RuleTableTest, EqualRulesShareAnId) {
  RuleTable table;
  const RuleId a = table.Intern(IdentityRule({4}, 1, 1));
  const RuleId b = table.Intern(IdentityRule({4}, 2, 1));
  EXPECT_NE(a, b);
  EXPECT_EQ(table.Intern(*ParseRule("([i])->([i]) {i=4}")), a);
  EXPECT_EQ(table.size(), 2u);
}

TEST(OpShardingRuleTest, GroupOrderAndCustomCountForEquality) {
  const OpShardingRule a = *ParseRule("([i, j])->([i, j]) {i=2, j=2} permutation={i, j}");
  const OpShardingRule b = *ParseRule("([i, j])->([i, j]) {i=2, j=2} permutation={j, i}");
  EXPECT_NE(a, b);
  EXPECT_NE(a, *ParseRule("([i, j])->([i, j]) {i=2, j=2} permutation={i, j}, custom"));
}

}  // namespace
}  // namespace tessera::sharding::factors
