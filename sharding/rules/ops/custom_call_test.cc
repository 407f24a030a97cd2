// Rules of custom calls, and rules that users give.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/testing/rules/rule_of_text.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::rules {
namespace {

using ::testing::HasSubstr;

TEST(CustomCallTest, KnownTargets) {
  const struct {
    const char* instruction;
    const char* rule;
  } kCases[] = {
      {"f32[4,2] custom-call(f32[4,2]), custom_call_target=\"MoveToHost\"",
       "([i, j])->([i, j]) {i=4, j=2}"},
      {"f32[4,2] custom-call(f32[4,2]), custom_call_target=\"movetohost\"", "none"},
      {"f32[4,2] custom-call(f32[4,2]), custom_call_target=\"MoveToHost\", "
       "schedule=SCHEDULE_EARLIEST",
       "none"},
      {"(f32[6,3,3], f32[6,3]) custom-call(f32[6,3,3]), custom_call_target=\"Eigh\"",
       "([i, j, k])->([i, j, k], [i, k]) {i=6, j=3, k=3}"},
      {"(f32[3]) custom-call(f32[3]), custom_call_target=\"Eigh\"", "none"},
      {"(f32[6,5,3], f32[6,3]) custom-call(f32[6,5,3]), custom_call_target=\"Qr\"",
       "([i, j, k])->([i, j, k], [i, l]) {i=6, j=5, k=3, l=3} need_replication={j, k, l}"},
      {"f32[6,5,3] custom-call(f32[6,5,3], f32[6,3]), "
       "custom_call_target=\"ProductOfElementaryHouseholderReflectors\"",
       "([i, j, k], [i, l])->([i, j, k]) {i=6, j=5, k=3, l=3} need_replication={j, k, l}"},
      {"(f32[9,2], s32[9,2]) custom-call(f32[9,7], s32[9,7], f32[], s32[]), "
       "custom_call_target=\"PartialReduce\"",
       "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=9, j=7, k=2} need_replication={k} "
       "blocked_propagation={k}"},
      {"(f32[9,2], s32[9,2]) custom-call(f32[9,7]), custom_call_target=\"TopK\"",
       "([i, j])->([i, j], [i, j]) {i=9, j=7} need_replication={j} blocked_propagation={j}"},
      {"f32[9,7] custom-call(f32[9,7]), custom_call_target=\"TopK\"",
       "([i, j])->([i, j]) {i=9, j=7}"},
      {"f32[9] custom-call(), custom_call_target=\"TopK\"", "none"},
      {"(f32[3], f32[3]) custom-call(), custom_call_target=\"Eigh\"", "none"},
      {"(f32[3], f32[3]) custom-call(), custom_call_target=\"Qr\"", "none"},
      {"f32[3] custom-call(), custom_call_target=\"ProductOfElementaryHouseholderReflectors\"",
       "none"},
      {"f32[9] custom-call(f32[9,7]), custom_call_target=\"TopK\"", "none"},
      {"f32[5] custom-call(f32[5]), custom_call_target=\"lapack_sgetrf_ffi\"", "none"},
  };
  for (const auto& c : kCases) EXPECT_EQ(RuleOf(c.instruction), c.rule) << c.instruction;
}

TEST(CustomCallTest, StateOfARandomGenerator) {
  const char* kBody =
      "lo = u32[2] parameter(0)\n hi = u32[2] parameter(1)\n"
      "op = u64[2] custom-call(lo, hi), custom_call_target=\"X64Combine\"\n";
  EXPECT_EQ(RuleOfOpIn(std::string(kBody) + "ROOT r = u64[2] negate(op)"),
            "([i], [i])->([i]) {i=2}");
  EXPECT_EQ(RuleOfOpIn(std::string(kBody) +
                       "ROOT r = (u64[2], u32[8]) rng-bit-generator(op), algorithm=rng_three_fry"),
            "([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}");
}

class RuleBookTest : public ::testing::Test {
 protected:
  // The rule of `op` in an entry computation, as text, or the message of the error.
  std::string Ask(absl::string_view body) {
    module_ = *hlo::ParseModule(absl::StrCat("HloModule m\nENTRY e {\n", body, "\n}\n"));
    const HloOpView view(module_, module_.FindInstruction("op"));
    const absl::StatusOr<factors::RuleId> id = registry_.RuleOf(view.get());
    if (!id.ok()) return ErrorOf(id.status());
    return *id == factors::kNoRule ? "none" : factors::RuleToString(table_[*id]);
  }
  std::string ErrorOf(const absl::Status& status) {
    const size_t offset = text::ErrorOffset(status);
    if (offset == 0) return std::string(status.message());
    return absl::StrCat(status.message(), " at '", module_.source_text().substr(offset, 8), "'");
  }

  hlo::Module module_;
  factors::RuleTable table_;
  RuleRegistry registry_{&table_};
};

constexpr char kCall[] =
    "x = f32[4,6] parameter(0)\n"
    "ROOT op = f32[6,4] custom-call(x), custom_call_target=\"flip\"";

TEST_F(RuleBookTest, TextWithoutSizes) {
  EXPECT_EQ(Ask(kCall), "none");
  ASSERT_TRUE(registry_.AddText("flip", "([i, j])->([j, i])").ok());
  EXPECT_EQ(Ask(kCall), "([i, j])->([j, i]) {i=4, j=6}, custom");
  EXPECT_EQ(registry_.AddText("flip", "([i])->([i])").code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(RuleBookTest, TextThatDoesNotParse) {
  EXPECT_EQ(std::string(registry_.AddText("flip", "([i, j]->([j, i])").message()),
            "rule of flip:1:8: error: expected ')' or ',' after a tensor\n"
            "  ([i, j]->([j, i])\n"
            "         ^\n");
}

TEST_F(RuleBookTest, TextThatDoesNotFitTheCall) {
  ASSERT_TRUE(registry_.AddText("flip", "([i])->([i])").ok());
  EXPECT_EQ(Ask(kCall),
            "rule of flip:1:2: error: operand 0 has 2 dimensions, the rule gives it 1\n"
            "  ([i])->([i])\n"
            "   ^\n");
}

TEST_F(RuleBookTest, MakerOfATarget) {
  ASSERT_TRUE(registry_
                  .AddMaker("flip",
                            [](const OpView&) -> absl::StatusOr<MaybeRule> {
                              return *factors::ParseRule("([i, j])->([j, i]) {i=2, j=2}");
                            })
                  .ok());
  EXPECT_EQ(Ask(kCall), "([i, j])->([j, i]) {i=2, j=2}");
}

TEST_F(RuleBookTest, MakerWhoseRuleDoesNotFit) {
  ASSERT_TRUE(
      registry_.AddMaker("flip", [](const OpView&) { return *factors::ParseRule("([])->([])"); })
          .ok());
  EXPECT_THAT(Ask(kCall), HasSubstr("operand 0 has 2 dimensions"));
}

TEST_F(RuleBookTest, RuleAttachedToAnyInstruction) {
  EXPECT_EQ(Ask("x = f32[4,6] parameter(0)\n"
                "ROOT op = f32[4,6] negate(x), frontend_attributes={xla.sdy.sharding_rule="
                "\"#sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=6, k=6}>\"}"),
            "([i, j])->([i, k]) {i=4, j=6, k=6}");
}

// As XLA prints the results of a call with a rule.
TEST_F(RuleBookTest, RuleOnAGetTupleElementIsNotItsOwn) {
  EXPECT_EQ(Ask("x = f32[4] parameter(0)\n"
                "c = (f32[4], f32[4]) custom-call(x), custom_call_target=\"two\"\n"
                "ROOT op = f32[4] get-tuple-element(c), index=0, frontend_attributes={"
                "xla.sdy.sharding_rule="
                "\"#sdy.op_sharding_rule<([i])->([i], [i]) {i=4}, custom>\"}"),
            "none");
}

TEST_F(RuleBookTest, AttachedRuleWithAMistakeIsLocatedInTheModule) {
  EXPECT_EQ(Ask("x = f32[4,6] parameter(0)\n"
                "ROOT op = f32[4,6] negate(x), frontend_attributes={xla.sdy.sharding_rule="
                "\"#sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=6}>\"}"),
            "result 0, dimension 1 names factor k, but the rule gives sizes for 2 factors only at "
            "'k]) {i=4'");
}

TEST_F(RuleBookTest, RemembersByShapeAndAttributes) {
  Ask("x = f32[4] parameter(0)\n ROOT op = f32[4] negate(x)");
  Ask("x = bf16[4] parameter(0)\n ROOT op = bf16[4] negate(x), metadata={op_name=\"n\"}");
  EXPECT_EQ(registry_.num_remembered(), 1u);
  Ask("x = f32[5] parameter(0)\n ROOT op = f32[5] negate(x)");
  EXPECT_EQ(registry_.num_remembered(), 2u);
  Ask("x = f32[3,3] parameter(0)\n ROOT op = f32[3,3] transpose(x), dimensions={1,0}");
  Ask("x = f32[3,3] parameter(0)\n ROOT op = f32[3,3] transpose(x), dimensions={0,1}");
  EXPECT_EQ(registry_.num_remembered(), 4u);
}

}  // namespace
}  // namespace tessera::sharding::rules
