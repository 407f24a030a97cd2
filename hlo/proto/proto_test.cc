#include "tessera/hlo/proto.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/values/recovery_table.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

std::string Print(const absl::StatusOr<Module>& module) {
  PrintOptions options;
  options.large_constants = true;
  return module.ok() ? PrintModule(*module, options) : module.status().ToString();
}

// The module's text, and its text after a way through binary.
void ExpectSameThroughProto(absl::string_view text) {
  const auto module = ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto bytes = ModuleToProto(*module);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(LooksLikeProto(*bytes));
  const auto back = ProtoToText(*bytes);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(Print(ParseModule(*back)), Print(module)) << *back;
}

// One instruction over parameters p (f32[4,6]), i (s32[4]) and t, a tuple of them.
void ExpectInstructionSame(absl::string_view instruction) {
  ExpectSameThroughProto(absl::StrCat(
      "HloModule m\n"
      "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n"
      "ENTRY e { p = f32[4,6] parameter(0) i = s32[4] parameter(1) z = f32[] constant(0)\n"
      "  t = (f32[4,6], s32[4]) tuple(p, i)\n  ROOT r = ",
      instruction, " }"));
}

TEST(ProtoTest, AttributesSurvive) {
  for (const absl::string_view instruction : {
           "f32[6,4]{0,1} transpose(p), dimensions={1,0}",
           "f32[4] reduce(p, z), dimensions={1}, to_apply=f",
           "f32[2,3] slice(p), slice={[0:4:2], [0:3:1]}",
           "f32[5,8] pad(p, z), padding=0_1x1_1",
           "f32[4,4] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
           "operand_precision={high,default}",
           "pred[4,6] compare(p, p), direction=LT, type=TOTALORDER",
           "f32[4,6] all-reduce(p), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), to_apply=f",
           "f32[4,6] all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=f",
           "f32[4,6] collective-permute(p), source_target_pairs={{0,1},{1,0}}",
           "s32[4] get-tuple-element(t), index=1, sharding={devices=[2,2]<=[4] "
           "last_tile_dim_replicate}",
           "f32[4,6] custom-call(p), custom_call_target=\"g\\n\", backend_config={\"a\": 1}",
           "f32[4,6] custom-call(p), custom_call_target=\"g\", custom_call_has_side_effect=true, "
           "operand_layout_constraints={f32[4,6]{0,1}}, output_to_operand_aliasing={{}: (0, {})}",
           "f32[4,6] exponential(p), frontend_attributes={a=\"x\",b={}}, "
           "metadata={op_name=\"n\" source_line=3}, result_accuracy={mode=highest}",
           "f32[4,6] copy(p), origin={{\"v\" {1}}}, control-predecessors={i}",
           "(f32[4,6], s32[4]) copy(t), sharding={{maximal device=1}, {replicated}}",
           "f32[4,6] copy(p), sharding={mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2, ?}]}",
       }) {
    ExpectInstructionSame(instruction);
  }
}

TEST(ProtoTest, LiteralsFollowTheLayout) {
  for (const absl::string_view constant : {
           "f32[2,3]{0,1} constant({ { 1, 2, 3 }, { 4, 5, 6 } })",
           "s4[3] constant({-1, 2, -8})",
           "bf16[2] constant({nan, -inf})",
           "c64[2] constant({(1, 2), (3, 4)})",
           "pred[] constant(true)",
           "u64[1] constant({18446744073709551615})",
           "s32[3] constant({...})",
           "f32[0,3] constant({})",
       }) {
    ExpectSameThroughProto(absl::StrCat("HloModule m\nENTRY e { ROOT c = ", constant, " }"));
  }
}

TEST(ProtoTest, NegativeZeroKeepsItsSign) {
  const auto module = ParseModule("HloModule m\nENTRY e { ROOT c = f32[2] constant({-0.0, 10}) }");
  ASSERT_TRUE(module.ok());
  const auto text = ProtoToText(*ModuleToProto(*module));
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(absl::StrContains(*text, "constant({-0.0, 10})")) << *text;
}

TEST(ProtoTest, CalleesAndHeaderSurvive) {
  ExpectSameThroughProto(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias) }, "
      "buffer_donor={ (1, {}) }, entry_computation_layout={(f32[2]{0}, pred[])->(f32[2]{0})}, "
      "frontend_attributes={k=\"v\"}\n"
      "body { x = f32[2] parameter(0) ROOT n = f32[2] negate(x) }\n"
      "cond { x = f32[2] parameter(0) ROOT t = pred[] constant(true) }\n"
      "ENTRY e { q = pred[] parameter(1) p = f32[2] parameter(0)\n"
      "  w = f32[2] while(p), condition=cond, body=body\n"
      "  c = f32[2] conditional(q, w, w), true_computation=body, false_computation=body\n"
      "  ROOT r = (f32[2]) tuple(c) }");
}

// The quotes inside are escaped, so that the text can be read again.
TEST(ProtoTest, RecoveryTablesSurvive) {
  const auto module = ParseModule(
      "HloModule m, origin_recovery_table={ {\"old\" {0,1}} : {\"new\"},\n"
      "\"HloModule r\\nENTRY e { ROOT p = f32[2] parameter(0), metadata={op_name=\\\"a\\\"} }\" "
      "{} : {\"z\" {2}} }\n"
      "ENTRY e { ROOT p = f32[2] parameter(0) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto text = ProtoToText(*ModuleToProto(*module));
  ASSERT_TRUE(text.ok()) << text.status();
  const auto again = ParseModule(*text);
  ASSERT_TRUE(again.ok()) << again.status() << *text;
  const std::vector<RecoveryEntry> table = RecoveryTableOf(*again);
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].new_array.name, "z");
  EXPECT_EQ(table[1].old_array.name, "old");
  EXPECT_EQ(table[1].old_array.index, (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(absl::StrContains(table[1].module, "op_name=\"a\"")) << table[1].module;
}

TEST(ProtoTest, TextprotoHasTheNames) {
  const auto module =
      ParseModule("HloModule m\nENTRY e { ROOT i = s32[2] iota(), iota_dimension=0 }");
  ASSERT_TRUE(module.ok());
  const auto text = ModuleToTextProto(*module);
  ASSERT_TRUE(text.ok());
  EXPECT_TRUE(absl::StrContains(*text, "opcode: \"iota\"")) << *text;
  EXPECT_TRUE(LooksLikeProto(*text));
  EXPECT_EQ(*ProtoToText(*text), *ProtoToText(*ModuleToProto(*module)));
  EXPECT_EQ(*ProtoToText(absl::StrCat("hlo_module {\n  ", *text, "}\n")), *ProtoToText(*text));
  EXPECT_EQ(ProtoToText("name: \"m\"\nnothing: 3\n").status().code(),
            absl::StatusCode::kInvalidArgument);
}

// As protocol buffers write an HloModuleProto: enumerators by name.
constexpr absl::string_view kNamedTypes = R"(name: "m"
host_program_shape { parameters { element_type: F32 dimensions: 8 } }
computations {
  name: "e"
  id: 1
  root_id: 3
  instructions { name: "F32" opcode: "parameter" id: 2 shape { element_type: F32 dimensions: 8 } }
  instructions {  # element_type: F32
    name: "d" opcode: "dot" id: 3 operand_ids: [2, 2]
    shape { element_type: BF16 }
    dot_dimension_numbers { lhs_contracting_dimensions: 0 rhs_contracting_dimensions: 0 }
    precision_config { operand_precision: [HIGHEST, DEFAULT] algorithm: ALG_DOT_F16_F16_F32 }
  }
}
)";

TEST(ProtoTest, TextprotoNamesEnumerators) {
  const auto text = ProtoToText(kNamedTypes);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(absl::StrContains(*text, "%F32 = f32[8] parameter(0)")) << *text;
  EXPECT_TRUE(absl::StrContains(*text, "%d = bf16[] dot(%F32, %F32)")) << *text;
  EXPECT_TRUE(absl::StrContains(*text, "operand_precision={highest,default}")) << *text;
  EXPECT_TRUE(absl::StrContains(*text, "algorithm=dot_f16_f16_f32")) << *text;
}

TEST(ProtoTest, MistakesInTextprotoHavePlaces) {
  const struct {
    absl::string_view right, wrong, at, message;
  } cases[] = {
      {"\"dot\"", "\"dott\"", "opcode: \"dott\"",
       "instruction 'd' of 'e': unknown opcode 'dott', did you mean 'dot'?"},
      {"[2, 2]", "[2, 9]", "name: \"d\"",
       "instruction 'd' of 'e': refers to the id 9, which nothing has that stands before it"},
      {"element_type: BF16", "element_type: BF61", "BF61", "Expected integer, got: BF61"},
  };
  for (const auto& c : cases) {
    const std::string text = absl::StrReplaceAll(kNamedTypes, {{c.right, c.wrong}});
    const absl::Status status = ProtoToText(text).status();
    EXPECT_EQ(status.message(), c.message);
    EXPECT_EQ(text::ErrorOffset(status), text.find(std::string(c.at))) << c.message;
  }
  const absl::Status status = ProtoToText("name: \"m\"\n").status();
  EXPECT_EQ(status.message(), "the text of an HloModuleProto ends here, without computations");
  EXPECT_EQ(text::ErrorOffset(status), 9u);
}

TEST(ProtoTest, WhatIsNoProto) {
  EXPECT_FALSE(LooksLikeProto("HloModule m\n"));
  EXPECT_FALSE(LooksLikeProto("\n// text\nHloModule m\n"));
  EXPECT_FALSE(LooksLikeProto(""));
  EXPECT_FALSE(ProtoToText("").ok());
  EXPECT_FALSE(ProtoToText("\n\x01m\x12\x01").ok());
}

TEST(ProtoTest, LiteralsWithBadLayoutsAreRefused) {
  const auto module = ParseModule("ENTRY e { ROOT c = s32[2]{5} constant({1,2}) }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(ModuleToProto(*module).status().message(), "literal of s32[2]{5}: bad layout");
}

TEST(ProtoTest, ComputationsStayInOrderOfTheText) {
  const auto module = ParseModule(
      "HloModule m\n"
      "second { ROOT x = f32[] parameter(0) }\n"
      "first { ROOT x = f32[] parameter(0) }\n"
      "ENTRY e { p = f32[] parameter(0) a = f32[] call(p), to_apply=first\n"
      "ROOT b = f32[] call(a), to_apply=second }");
  ASSERT_TRUE(module.ok());
  const auto text = ProtoToText(*ModuleToProto(*module));
  ASSERT_TRUE(text.ok());
  EXPECT_LT(text->find("second {"), text->find("first {")) << *text;
}

}  // namespace
}  // namespace tessera::hlo
