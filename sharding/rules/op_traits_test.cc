// How propagation schedules ops.

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::rules {
namespace {

TEST(TraitsOfTest, ByOpcodeTargetAndShapes) {
  const struct {
    const char* op;
    bool element_wise;
    OpPriorityClass flow;
  } kCases[] = {
      {"f32[4] negate(x)", true, OpPriorityClass::kPassThrough},
      {"f32[4] copy(x)", true, OpPriorityClass::kPassThrough},
      {"f32[2,2] reshape(x)", false, OpPriorityClass::kPassThrough},
      {"f32[4] transpose(x), dimensions={0}", false, OpPriorityClass::kPassThrough},
      {"s32[4] bitcast-convert(x)", true, OpPriorityClass::kPassThrough},
      {"s8[4,4] bitcast-convert(x)", false, OpPriorityClass::kOther},
      {"f32[4,3] broadcast(x), dimensions={0}", false, OpPriorityClass::kBroadcast},
      {"f32[2] dynamic-slice(x, c), dynamic_slice_sizes={2}", false,
       OpPriorityClass::kPassThroughForward},
      {"f32[4] dynamic-update-slice(x, x, c)", false, OpPriorityClass::kPassThroughForward},
      {"f32[4] custom-call(x), custom_call_target=\"MoveToHost\"", false,
       OpPriorityClass::kPassThrough},
      {"f32[4] custom-call(x), custom_call_target=\"X64SplitLow\"", false, OpPriorityClass::kOther},
      {"f32[4] collective-permute(x), source_target_pairs={{0,1}}", false, OpPriorityClass::kOther},
      {"f32[2] slice(x), slice={[0:2]}", false, OpPriorityClass::kOther},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<hlo::Module> module = hlo::ParseModule(absl::StrCat(
        "ENTRY e {\n x = f32[4] parameter(0)\n c = s32[] parameter(1)\n ROOT op = ", c.op,
        "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const HloOpView view(*module, module->FindInstruction("op"));
    const OpTraits traits = TraitsOf(view.get());
    EXPECT_EQ(traits.element_wise, c.element_wise) << c.op;
    EXPECT_EQ(traits.flow, c.flow) << c.op;
  }
}

TEST(DeriveRuleTest, OpsThatNoDefinitionCovers) {
  const layout::Shape dynamic = [] {
    layout::Shape shape = layout::Shape::Array(layout::ElementType::kF32, {4});
    shape.set_dynamic(0, true);
    return shape;
  }();
  const layout::Shape vector = layout::Shape::Array(layout::ElementType::kF32, {4});
  const layout::Shape matrix = layout::Shape::Array(layout::ElementType::kF32, {4, 4});
  const layout::Shape* const one_dynamic[] = {&dynamic};
  const layout::Shape* const one_vector[] = {&vector};
  const layout::Shape* const mixed[] = {&vector, &matrix};

  OpView op;
  op.opcode = hlo::Opcode::kNegate;
  op.operands = op.results = one_dynamic;
  EXPECT_FALSE(DeriveRule(op).has_value());
  op.opcode = hlo::Opcode::kAllReduce;
  op.operands = op.results = mixed;
  EXPECT_FALSE(DeriveRule(op).has_value());
  op.opcode = hlo::Opcode::kDot;  // without an instruction there are no attributes
  op.results = one_vector;
  EXPECT_FALSE(DeriveRule(op).has_value());
  op.opcode = hlo::Opcode::kConcatenate;
  op.operands = {};
  EXPECT_FALSE(DeriveRule(op).has_value());
}

}  // namespace
}  // namespace tessera::sharding::rules
