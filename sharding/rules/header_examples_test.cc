// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/no_rule.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/sharding/rules/op_view.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/sharding/rules/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::rules {
namespace {

using factors::OpShardingRule;
using factors::RuleId;
using factors::RuleToString;
using hlo::Opcode;

constexpr char kText[] = R"(ENTRY e {
  x = f32[8,4] parameter(0)
  y = f32[4,6] parameter(1)
  d = f32[8,6] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[6,8] custom-call(d), custom_call_target="my_transpose"
  n = f32[6,8] custom-call(t), custom_call_target="my_norm"
  m = f32[6,8] custom-call(n), custom_call_target="unheard_of"
  ROOT a = f32[6,8] add(m, m)
})";

TEST(HeaderExamples, OpView) {
  const hlo::Module module = *hlo::ParseModule(kText);
  const hlo::InstructionId d = module.FindInstruction("d");
  const layout::Shape& x_shape = module.shape(module.FindInstruction("x"));
  const layout::Shape& y_shape = module.shape(module.FindInstruction("y"));
  const layout::Shape& d_shape = module.shape(d);
  const ShapeList operands = {&x_shape, &y_shape}, results = {&d_shape};
  OpView op;
  op.opcode = Opcode::kDot;
  op.module = &module;
  op.instruction = d;
  op.operands = operands;
  op.results = results;
  std::optional<OpShardingRule> rule = DeriveRule(op);
  EXPECT_EQ(RuleToString(*rule), "([i, k], [k, j])->([i, j]) {i=8, j=6, k=4} reduction={k}");
}

TEST(HeaderExamples, HloOpViewAndTraits) {
  const hlo::Module module = *hlo::ParseModule(kText);
  HloOpView view(module, module.FindInstruction("a"));
  std::optional<OpShardingRule> rule = DeriveRule(view.get());
  EXPECT_EQ(RuleToString(*rule), "([i, j], [i, j])->([i, j]) {i=6, j=8}");
  EXPECT_TRUE(TraitsOf(view.get()).element_wise);
  EXPECT_EQ(TraitsOf(view.get()).flow, OpPriorityClass::kPassThrough);
  EXPECT_FALSE(TraitsOf(HloOpView(module, module.FindInstruction("d")).get()).element_wise);
}

absl::StatusOr<std::string> RuleTextOf(RuleRegistry& registry, const factors::RuleTable& table,
                                       const OpView& op) {
  TESSERA_ASSIGN_OR_RETURN(RuleId id, registry.RuleOf(op));
  if (id != factors::kNoRule) return RuleToString(table[id]);
  return "none";
}

TEST(HeaderExamples, RuleRegistry) {
  const hlo::Module module = *hlo::ParseModule(kText);
  factors::RuleTable table;
  RuleRegistry registry(&table);
  ASSERT_TRUE(registry.AddText("my_transpose", "([i, j])->([j, i])").ok());
  ASSERT_TRUE(registry
                  .AddMaker("my_norm",
                            [](const OpView& op) -> absl::StatusOr<MaybeRule> {
                              return PointwiseRule(op.operands, op.results);
                            })
                  .ok());
  const auto text = [&](const char* name) {
    return *RuleTextOf(registry, table, HloOpView(module, module.FindInstruction(name)).get());
  };
  EXPECT_EQ(text("t"), "([i, j])->([j, i]) {i=8, j=6}, custom");
  EXPECT_EQ(text("n"), "([i, j])->([i, j]) {i=6, j=8}");
  EXPECT_EQ(text("m"), "none");
}

TEST(HeaderExamples, NoRule) {
  EXPECT_EQ(WhyNoRule(Opcode::kMap), NoRule::kStopsPropagation);
  EXPECT_EQ(WhyNoRule(Opcode::kWhile), NoRule::kDataFlow);
  EXPECT_EQ(WhyNoRuleOf("xla.sdy.GlobalToLocalShape"), NoRule::kBoundary);
}

}  // namespace
}  // namespace tessera::sharding::rules
