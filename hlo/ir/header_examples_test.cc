// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/number_format.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"
#include "tessera/hlo/shape_inference.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/hlo/stack_frames.h"
#include "tessera/hlo/syntax_ranges.h"
#include "tessera/hlo/unique_names.h"
#include "tessera/hlo/unread_module.h"
#include "tessera/hlo/verifier.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/source.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kText[] = R"(HloModule m

ENTRY %e (x: f32[8,4], w: f32[4,6]) -> f32[8,6] {
  %x = f32[8,4]{1,0} parameter(0)
  %w = f32[4,6]{1,0} parameter(1)
  ROOT %dot = f32[8,6]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, /* the sum */ metadata={op_name="c"}
}
)";

InstructionId Find(const Module& module, absl::string_view name) {
  for (InstructionId id : module.entry().instructions) {
    if (module.instruction(id).name == name) return id;
  }
  return kNoId;
}

TEST(HeaderExamples, Parser) {
  auto source = text::Source::FromString("a.hlo", "ENTRY e { ROOT p = f32[2] parameter(0) }");
  ParsedText parsed = ParseModules(source);
  ASSERT_TRUE(parsed.diagnostics.ok()) << parsed.diagnostics.ToStatus(*source);
  Module& module = parsed.modules[0];
  EXPECT_EQ(module.entry().instructions.size(), 1u);
  EXPECT_THAT(PrintModule(module, PrintOptions::Default()), HasSubstr("ROOT %p"));
  EXPECT_THAT(PrintModule(module, PrintOptions::ShortParsable()), HasSubstr("ROOT p"));
  EXPECT_THAT(PrintModule(module, PrintOptions::Canonical()), HasSubstr("parameter(0)"));
}

TEST(HeaderExamples, Opcodes) {
  std::optional<Opcode> op = OpcodeFromName("all-reduce");
  EXPECT_EQ(op, Opcode::kAllReduce);
  EXPECT_EQ(OpcodeName(*op), "all-reduce");
  EXPECT_EQ(GetOpcodeInfo(Opcode::kAdd).operand_count, 2);
  std::optional<AttributeName> name = AttributeNameFromText("to_apply");
  EXPECT_EQ(name, AttributeName::kToApply);
  EXPECT_EQ(AttributeText(AttributeName::kControlPredecessors), "control-predecessors");
}

TEST(HeaderExamples, Attributes) {
  const Module module = *ParseModule(kText);
  const InstructionId id = Find(module, "dot");
  DotDimensions d = GetDotDimensions(module, id);
  EXPECT_THAT(d.lhs_contracting, ElementsAre(1));
  IntList dims = GetInts(module, id, AttributeName::kDimensions).value_or(IntList());
  EXPECT_TRUE(dims.empty());
}

TEST(HeaderExamples, Builder) {
  Module module = *ParseModule(kText);
  const InstructionId x = Find(module, "x");
  Builder b(&module);
  InstructionId copy = b.Add(module.entry_id(), Opcode::kCopy, "x.reshard", {x});
  b.ReplaceUsesExcept(x, copy, {copy});
  EXPECT_THAT(module.operands(Find(module, "dot")), ElementsAre(copy, Find(module, "w")));
  Module other = *ParseModule(kText);
  ComputationId again = Builder(&other).CloneComputation(other.entry_id(), "clone");
  EXPECT_EQ(other.computation(again).name, "e.clone");
}

TEST(HeaderExamples, Editor) {
  const Module module = *ParseModule(kText);
  const InstructionId dot = Find(module, "dot"), x = Find(module, "x");
  Editor edit(module);
  edit.SetAttribute(dot, AttributeName::kSharding, "{devices=[2,1]<=[2]}");
  edit.InsertAfter(x, "  x.1 = f32[8,4] copy(x), sharding={replicated}");
  edit.ReplaceOperand(dot, 0, "x.1");
  std::string out = edit.Apply();
  EXPECT_THAT(out, HasSubstr("dot(x.1, %w)"));
  EXPECT_THAT(out, HasSubstr("sharding={devices=[2,1]<=[2]}"));
  EXPECT_EQ(Editor(module).Apply(), kText);
}

TEST(HeaderExamples, SyntaxRanges) {
  const Module module = *ParseModule(kText);
  const InstructionId c = Find(module, "dot");
  const auto text = [](SourceRange range) {
    return std::string(kText).substr(range.begin, range.end - range.begin);
  };
  HeadParts head = FindHead(module, c);
  EXPECT_EQ(text(head.shape), "f32[8,6]{1,0}");
  EXPECT_EQ(text(head.opcode), "dot");
  EXPECT_EQ(text(FindOperands(module, c)[1]), "%w");
  EXPECT_EQ(text(AttributeRangeWithSeparator(module, c, 2)),
            ", /* the sum */ metadata={op_name=\"c\"}");
}

TEST(HeaderExamples, Literals) {
  const Module module = *ParseModule("ENTRY e { ROOT c = s32[3] constant({1, 2, 3}) }");
  const InstructionId id = module.entry().root;
  absl::StatusOr<Literal> l = ParseLiteral(module.LiteralText(id), module.shape(id));
  EXPECT_EQ(l->IntAt(0), 1);
  EXPECT_EQ(PrintLiteral(*l), "{1, 2, 3}");
  EXPECT_FALSE(IsSplat(module, id));
  uint64_t bits = 0;
  EXPECT_TRUE(EncodeFloat(ElementType::kBf16, 1.5, &bits));
  EXPECT_EQ(bits, 0x3fc0u);
  EXPECT_EQ(DecodeFloat(ElementType::kBf16, 0x3fc0), 1.5);
  EXPECT_EQ(PrintElement(ElementType::kBf16, 0x3fc0), "1.5");
}

TEST(HeaderExamples, Checks) {
  const Module module = *ParseModule(kText);
  EXPECT_TRUE(CheckNesting(module).ok());
  const Module nested = *ParseModule(
      "f { p = f32[] parameter(0) } g { q = f32[] parameter(0) c = f32[] call(q), to_apply=f } "
      "ENTRY e { r = f32[] parameter(0) d = f32[] call(r), to_apply=g }");
  EXPECT_TRUE(NestsDeeper(nested, 1));
  EXPECT_FALSE(NestsDeeper(nested, 2));
  EXPECT_THAT(PostOrder(module, module.entry_id()),
              ElementsAre(Find(module, "x"), Find(module, "w"), Find(module, "dot")));
  absl::StatusOr<layout::Shape> shape = InferResultShape(module, Find(module, "dot"));
  EXPECT_EQ(layout::ShapeToString(shape->WithoutLayout()), "f32[8,6]");
  SideEffects effects(module);
  EXPECT_FALSE(effects.Of(Find(module, "dot")));
  text::Diagnostics found = VerifyModule(module, VerifierOptions{/*strict_layouts=*/true});
  EXPECT_TRUE(found.ok());
}

TEST(HeaderExamples, UnreadModule) {
  Module module = *ParseModule(kText);
  UnreadModule input(module);
  module.SetName(Find(module, "dot"), "sum");
  const Module before = input.Read();
  EXPECT_EQ(before.instruction(before.entry().root).name, "dot");
  EXPECT_EQ(before.text(), input.text());
  // Made by hand: there is no text.
  Module made;
  made.AddComputation("e");
  UnreadModule copy(made);
  made.AddComputation("f");
  EXPECT_EQ(copy.text(), nullptr);
  EXPECT_EQ(copy.Read().num_computations(), 1u);
}

// Of a file with several modules, the one that it was.
TEST(HeaderExamples, UnreadModuleOfSeveral) {
  const ParsedText parsed = ParseModules(
      text::Source::FromString("two.hlo",
                               "HloModule a ENTRY e { ROOT p = f32[2] parameter(0) } // a\n"
                               "HloModule b ENTRY e { ROOT q = f32[3] parameter(0) } // b\n"));
  ASSERT_EQ(parsed.modules.size(), 2u);
  const Module again = UnreadModule(parsed.modules[1]).Read();
  EXPECT_EQ(again.header().name, "b");
  EXPECT_EQ(again.num_computations(), 1u);
  EXPECT_EQ(again.source().begin, parsed.modules[1].source().begin);
  EXPECT_EQ(again.source().end, parsed.modules[1].source().end);
}

TEST(HeaderExamples, Proto) {
  const Module module = *ParseModule(kText);
  absl::StatusOr<std::string> bytes = ModuleToProto(module);
  absl::StatusOr<std::string> text = ProtoToText(*bytes);
  EXPECT_THAT(*text, HasSubstr("dot(%x, %w)"));
}

TEST(HeaderExamples, UniqueNames) {
  UniqueNames names;
  EXPECT_EQ(names.Unique("p"), "p");
  EXPECT_EQ(names.Unique("p"), "p.1");
  EXPECT_EQ(names.Unique("x.01"), "x.1");
}

TEST(HeaderExamples, StackFrames) {
  const Module module = *ParseModule(R"(HloModule m

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY e { ROOT p = f32[2] parameter(0), metadata={op_name="x" stack_frame_id=1} }
)");
  StackFrames frames = ParseStackFrames(module.header().stack_frames);
  const StackFrame& f = frames.frames[1 - 1];
  EXPECT_EQ(frames.file_names[frames.locations[f.location - 1].file - 1], "a.py");
}

}  // namespace
}  // namespace tessera::hlo
