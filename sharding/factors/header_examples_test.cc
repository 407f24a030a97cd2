// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/infer_sizes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_picture.h"
#include "tessera/sharding/factors/rule_spec.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/testing/propagation/short_sharding.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::sharding::factors {
namespace {

using propagation::ParseShort;
using propagation::ToShort;
using ::testing::ElementsAre;

TEST(HeaderExamples, RuleSpec) {
  RuleSpec rule;
  rule.sizes = {4, 6, 8};
  rule.operands = {{{0}, {2}}, {{2}, {1}}};  // operand -> dimension -> factors, major to minor
  rule.results = {{{0}, {1}}};
  rule.reduction = {2};
  EXPECT_EQ(RuleToString(rule), "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}");
}

TEST(HeaderExamples, RuleAndTable) {
  absl::StatusOr<OpShardingRule> rule =
      ParseRule("([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}");
  EXPECT_EQ(rule->num_factors(), 3);
  EXPECT_EQ(rule->kind(2), FactorKind::kReduction);
  EXPECT_THAT(rule->factors(/*tensor=*/1, /*dim=*/0), ElementsAre(2));

  const OpShardingRule same_rule = *rule;
  RuleTable table;
  RuleId a = table.Intern(*rule);
  RuleId b = table.Intern(same_rule);
  EXPECT_EQ(a, b);
  EXPECT_EQ(table[a].num_factors(), 3);
}

TEST(HeaderExamples, RuleCheck) {
  RuleSpec spec = *ParseRuleSpec("([i, j])->([i, j]) {i=2, j=4}");
  EXPECT_FALSE(
      CheckRule(spec, /*operand_ranks=*/{2}, /*result_ranks=*/{2}, GroupOrder::kAscending));
  spec = *ParseRuleSpec("([i, j], [i, j, k])->([i, j]) {i=2, j=4, k=8}");
  std::optional<RuleMistake> mistake =
      CheckRule(spec, /*operand_ranks=*/{2, 2}, /*result_ranks=*/{2}, GroupOrder::kAscending);
  EXPECT_EQ(mistake->message, "operand 1 has 2 dimensions, the rule gives it 3");
}

TEST(HeaderExamples, InferSizes) {
  RuleSpec rule = *ParseRuleSpec("([i, k], [k, j])->([i, j]) reduction={k}");
  InferSizes({{8, 4}, {4, 6}}, {{8, 6}}, &rule);
  EXPECT_THAT(rule.sizes, ElementsAre(8, 6, 4));
}

TEST(HeaderExamples, RulePicture) {
  const OpShardingRule rule =
      *ParseRule("([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}");
  EXPECT_EQ(RulePicture(rule, {"x", "w", "h"}),
            "factor  size  kind       x      w      h\n"
            "i       16               dim 0         dim 0\n"
            "j       64                      dim 1  dim 1\n"
            "k       32    reduction  dim 1  dim 0\n");
}

TEST(HeaderExamples, RuleText) {
  absl::StatusOr<OpShardingRule> rule = ParseRule("([ij, k])->([i, j, k]) {i=2, j=4, k=8}");
  EXPECT_EQ(RuleToString(*rule), "([ij, k])->([i, j, k]) {i=2, j=4, k=8}");
  const auto source = text::Source::FromString("rule", "([i, a])->([i])");
  EXPECT_EQ(text::Located(ParseRuleSpec(source->text()).status(), *source).message(),
            "rule:1:6: error: factors are named i to z, then z_1, z_2, ...; 'a' is none\n"
            "  ([i, a])->([i])\n"
            "       ^\n");
}

TEST(HeaderExamples, Projection) {
  const Mesh mesh = *Mesh::Create({{"a", 2}, {"b", 4}});
  const MeshId mesh_id = 0;
  const OpShardingRule rule = *ParseRule("([ij])->([i, j]) {i=4, j=4}");
  const TensorSharding operand = *ParseShort("[{a,b}]", mesh_id, mesh);
  FactorTable table;
  table.Project(rule, {&operand, nullptr}, mesh);
  const AxisRef a = AxisRef::Full(0);
  EXPECT_THAT(table.Find(0, /*factor i*/ 0)->axes, ElementsAre(a, AxisRef::Sub(1, 1, 2)));
  EXPECT_THAT(table.Find(0, /*factor j*/ 1)->axes, ElementsAre(AxisRef::Sub(1, 2, 2)));
  table.Expand(0, table.Find(0, 0)->axes);
  table.Expand(1, table.Find(0, 1)->axes);
  EXPECT_EQ(ToShort(table.ToSharding(1, mesh_id), mesh), "[{a,b:(1)2,?},{b:(2)2,?}]");
}

}  // namespace
}  // namespace tessera::sharding::factors
