#include "tessera/sharding/passes/export/export_op_reshards.h"

#include <memory>

#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/testing/program_text/read_program.h"

namespace tessera::sharding::passes {
namespace {

// Plans are found by the place of a rule. Where another rule stands now, there is another plan.
TEST(OpResharderTest, OneRuleInThePlaceOfAnother) {
  hlo::Module module;
  const auto program = *ReadProgram(R"(mesh <["a"=2]>
entry e(%x f32[8,8] [{"a"}, {}], %y f32[8,8] [{}, {"a"}]) {
  %m f32[8,8] [{"a"}, {}] = custom-call(%x, %y) {custom_call_target="m"}
  %n f32[8,8] [{"a"}, {}] = custom-call(%x, %y) {custom_call_target="n"}
  return(%m, %n) -> none -> none
}
)",
                                    &module);
  const Op* const results = program->entry()->body->terminator();
  Op* const m = results->operand(0)->def();
  Op* const n = results->operand(1)->def();
  OpResharder resharder(*program);
  factors::OpShardingRule rule = *factors::ParseRule("([i, j], [i, j])->([i, j]) {i=8, j=8}");
  resharder.Run(m, rule, reshard::Version::kFull);
  EXPECT_EQ(program->CountOf(OpKind::kReshard), 1);  // y
  rule = *factors::ParseRule("([i, j], [j, i])->([i, j]) {i=8, j=8}");
  resharder.Run(n, rule, reshard::Version::kFull);
  EXPECT_EQ(program->CountOf(OpKind::kReshard), 1);  // x and y agree
}

}  // namespace
}  // namespace tessera::sharding::passes
