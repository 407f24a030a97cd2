#include "tessera/sharding/factors/rule_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/factors/rule_picture.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::sharding::factors {
namespace {

using ::testing::HasSubstr;

// Text in, the canonical text out.
TEST(RuleTextTest, Normalizes) {
  const struct {
    const char* text;
    const char* canonical;
  } kCases[] = {
      {"([])->([])", "([])->([])"},
      {"([])->([]){}", "([])->([])"},
      {"([i,j])->([j,i]){i=3,j=5}", "([i, j])->([j, i]) {i=3, j=5}"},
      {"\n( [ i ] ) ->\t( [ i ] ) { i = 7 } ", "([i])->([i]) {i=7}"},
      {"([ij])->([i, j]) {i=3, j=5}", "([ij])->([i, j]) {i=3, j=5}"},
      {"([i])->([]) {i=0x1F} reduction={i}", "([i])->([]) {i=31} reduction={i}"},
      {"([i])->([i]) {i=-2}", "([i])->([i]) {i=-2}"},
      {"([i, j])->([i]) {i=1, j=2} reduction={ji}", "([i, j])->([i]) {i=1, j=2} reduction={j}"},
      {"([i])->([i]) {i=2} reduction= permutation={}", "([i])->([i]) {i=2}"},
      {"([i])->([i]) {i=2} permutation={i} blocked_propagation={i} , custom",
       "([i])->([i]) {i=2} permutation={i} blocked_propagation={i}, custom"},
      {"([zz_1])->([z_2i])", "([zz_1])->([z_2i])"},
      {"#sdy.op_sharding_rule<([i])->([i]) {i=2}, custom>", "([i])->([i]) {i=2}, custom"},
      {"([i, , j,])->([])", "([i, , j, ])->([])"},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<RuleSpec> rule = ParseRuleSpec(c.text);
    ASSERT_TRUE(rule.ok()) << c.text << ": " << rule.status();
    EXPECT_EQ(RuleToString(*rule), c.canonical);
    EXPECT_EQ(*ParseRuleSpec(RuleToString(*rule)), *rule) << c.text;
  }
}

// The caret (column 1 = first byte) and a piece of the message.
TEST(RuleTextTest, MistakesInTheNotation) {
  const struct {
    const char* text;
    size_t offset;
    const char* message;
  } kCases[] = {
      {"", 0, "expected '('"},
      {"[i]->[i]", 0, "expected '('"},
      {"()->([])", 1, "expected '['"},
      {"([i])-([i])", 5, "expected '->'"},
      {"([i j])->([])", 4, "expected ']' or ','"},
      {"([a])->([])", 2, "'a' is none"},
      {"([i, jK])->([])", 6, "'K' is none"},
      {"([i7])->([])", 3, "'7' is none"},
      {"([iz_])->([])", 5, "'z_' needs a number"},
      {"([z_0])->([])", 4, "leading zeros: '0'"},
      {"([z_9223372036854775807])->([])", 4, "63 bits"},
      {"([i])->([i]) {j=4}", 14, "expected 'i'"},
      {"([i])->([i]) {ij=4}", 15, "one factor"},
      {"([i])->([i]) {i 4}", 16, "expected '='"},
      {"([i])->([i]) {i=x}", 16, "expected a number"},
      {"([i])->([i]) {i=9223372036854775808}", 16, "64 bits"},
      {"([i])->([i]) {i=4", 17, "expected '}'"},
      {"([i])->([i]) {i=4} permutation={i} reduction={i}", 35, "in the order"},
      {"([i])->([i]) {i=4} reduction={i} reduction={i}", 33, "each at most once"},
      {"([i])->([i]) {i=4} reduction={i,}", 32, "expected a factor"},
      {"([i])->([i]) {i=4} custom", 19, "in the order"},
      {"([i])->([i]) {i=4}, customs", 20, "expected 'custom'"},
      {"#sdy.op_sharding_rule([])->([])", 21, "expected '<'"},
      {"#sdy.op_sharding_rule<([])->([])", 32, "expected '>'"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = ParseRuleSpec(c.text).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << c.text;
    EXPECT_EQ(text::ErrorOffset(status), c.offset) << c.text;
  }
}

// Rules for an op with operands of rank 2 and 0 (one a token where so marked) and a result of
// rank 1.
TEST(RuleTextTest, MistakesInTheMeaning) {
  const std::vector<int> kOperands = {2, 0};
  const struct {
    const char* text;
    size_t offset;
    const char* message;
  } kCases[] = {
      {"([i, j])->([i]) {i=4, j=2}", 0, "the op has 2 operands, the rule has 1"},
      {"([i, j], [])->([i], [i]) {i=4, j=2}", 14, "the op has 1 result, the rule has 2"},
      {"([i], [])->([i]) {i=4}", 1, "operand 0 has 2 dimensions, the rule gives it 1"},
      {"([i, ], [])->([i]) {i=4}", 5, "operand 0, dimension 1 has no factor"},
      {"([i, k], [])->([i]) {i=4, j=2}", 5, "sizes for 2 factors only"},
      {"([i, i], [])->([i]) {i=4}", 5, "names factor i again"},
      {"([i, jk], [])->([i]) {i=4, j=2, k=1}", 5, "k of size 1 must be left out"},
      {"([i, j], [])->([i]) {i=4, j=2, k=3}", 31, "factor k (size 3) is in no dimension"},
      {"([i, j], [])->([i]) {i=4, j=2} reduction={j, j}", 45, "twice"},
      {"([i, j], [])->([i]) {i=4, j=2} permutation={l}", 44, "the rule has 2 factors"},
      {"([i, j], [])->([i]) {i=4, j=2} reduction={j} permutation={i, j}", 61, "one of them only"},
      {"([i, j], [])->([i]) {i=4, j=2} reduction={i}", 16, "which is reduced away"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = ParseRuleForOp(c.text, kOperands, {1}).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << c.text;
    EXPECT_EQ(text::ErrorOffset(status), c.offset) << c.text;
  }
  EXPECT_THAT(
      std::string(ParseRuleForOp("([i])->([i]) {i=2}", {kNotATensor}, {1}).status().message()),
      HasSubstr("not an array"));
}

TEST(RuleTextTest, GroupsInTheOrderOfTheUser) {
  const char* kRule = "([i, j])->([i, j]) {i=4, j=2} need_replication={j, i}, custom";
  ASSERT_TRUE(ParseRuleForOp(kRule, {2}, {2}).ok());
  EXPECT_EQ(RuleToString(*ParseRuleForOp(kRule, {2}, {2})), kRule);
  const auto mistake = CheckRule(*ParseRuleSpec(kRule), {2}, {2}, GroupOrder::kAscending);
  ASSERT_TRUE(mistake.has_value());
  EXPECT_EQ(mistake->message, "need_replication is not ascending: factor i must stand before j");
}

TEST(RuleTextTest, MistakeWithCaret) {
  const auto source = text::Source::FromString("rule", "([i, a])->([i])");
  const absl::Status status = text::Located(ParseRuleSpec(source->text()).status(), *source);
  EXPECT_EQ(std::string(status.message()),
            "rule:1:6: error: factors are named i to z, then z_1, z_2, ...; 'a' is none\n"
            "  ([i, a])->([i])\n"
            "       ^\n");
}

TEST(RuleTextTest, NamesOfFactors) {
  EXPECT_EQ(FactorName(0), "i");
  EXPECT_EQ(FactorName(17), "z");
  EXPECT_EQ(FactorName(18), "z_1");
  EXPECT_EQ(FactorName(-3), "-3");
}

TEST(RulePictureTest, FactorsByTensors) {
  const auto rule = ParseRule("([i, k], [k, j])->([i, j]) {i=16, j=64, k=32} reduction={k}");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(RulePicture(*rule, {"x", "w", "h"}),
            "factor  size  kind       x      w      h\n"
            "i       16               dim 0         dim 0\n"
            "j       64                      dim 1  dim 1\n"
            "k       32    reduction  dim 1  dim 0\n");
}

TEST(RulePictureTest, PartsOfADimension) {
  const auto rule = ParseRule("([ij])->([i, j]) {i=2, j=4} need_replication={j}");
  ASSERT_TRUE(rule.ok()) << rule.status();
  EXPECT_EQ(RulePicture(*rule, {"a", "b"}),
            "factor  size  kind              a               b\n"
            "i       2                       dim 0 (1 of 2)  dim 0\n"
            "j       4     need_replication  dim 0 (2 of 2)  dim 1\n");
}

}  // namespace
}  // namespace tessera::sharding::factors
