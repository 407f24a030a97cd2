#include "tessera/hlo/parser.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ParsedText ParseAll(absl::string_view text) {
  return ParseModules(text::Source::FromString("t.hlo", text));
}

// The entry in a tiny form: "p:f32[2] n:f32[2]=negate(p)".
std::string Dump(const Module& module) {
  std::vector<std::string> lines;
  for (InstructionId id : module.entry().instructions) {
    const Instruction& i = module.instruction(id);
    std::vector<absl::string_view> operands;
    for (InstructionId o : module.operands(id)) operands.push_back(module.instruction(o).name);
    lines.push_back(absl::StrCat(
        i.name, ":", layout::ShapeToString(module.shape(id), layout::kNoLayout),
        i.opcode == Opcode::kParameter
            ? ""
            : absl::StrCat("=", OpcodeName(i.opcode), "(", absl::StrJoin(operands, ","), ")")));
  }
  return absl::StrJoin(lines, " ");
}

std::string Entry(absl::string_view lines) { return absl::StrCat("ENTRY e {\n", lines, "\n}\n"); }

struct DumpCase {
  absl::string_view name, lines, dump;
};

class ReadsTest : public ::testing::TestWithParam<DumpCase> {};

TEST_P(ReadsTest, Dump) {
  const auto module = ParseModule(Entry(GetParam().lines));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Dump(*module), GetParam().dump);
}

constexpr DumpCase kReads[] = {
    {"Plain", "p = f32[2] parameter(0)\nn = f32[2] negate(p)", "p:f32[2] n:f32[2]=negate(p)"},
    {"PercentAndShapes", "%p = f32[2]{0} parameter(0)\n%n = f32[2]{0} negate(f32[2]{0} %p)",
     "p:f32[2] n:f32[2]=negate(p)"},
    {"Comments", "p = f32[2] /*c*/ parameter(0) // d\nn = negate(/*e*/p)",
     "p:f32[2] n:f32[2]=negate(p)"},
    {"Inferred", "p = f32[2,3] parameter(0)\nn = transpose(p), dimensions={1,0}",
     "p:f32[2,3] n:f32[3,2]=transpose(p)"},
    {"Nested", "p = f32[] parameter(0)\nn = f32[] add(p, f32[] negate(p))",
     "p:f32[] negate.anon:f32[]=negate(p) n:f32[]=add(p,negate.anon)"},
    {"Elements", "p = (f32[2], (s32[])) parameter(0)\nn = s32[] negate(p#1#0)",
     "p:(f32[2], (s32[])) p_1:(s32[])=get-tuple-element(p) "
     "p_1_0:s32[]=get-tuple-element(p_1) n:s32[]=negate(p_1_0)"},
    {"LayoutApart", "p = f32[2,3] {0,1} parameter(0)", "p:f32[2,3]"},
    {"KeywordWithPercent", "%ROOT = f32[] parameter(0)", "ROOT:f32[]"},
    {"SendKeepsItsShape", "p = f32[2] parameter(0)\nt = after-all()\ns = f32[] send(p, t)",
     "p:f32[2] t:token[]=after-all() s:(f32[2], u32[], token[])=send(p,t)"},
};
INSTANTIATE_TEST_SUITE_P(All, ReadsTest, ::testing::ValuesIn(kReads),
                         [](const auto& c) { return std::string(c.param.name); });

struct ErrorCase {
  absl::string_view name, lines, rendered;  // after "t.hlo:"
};

class ErrorTest : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorTest, MessageAndCaret) {
  const auto source = text::Source::FromString("t.hlo", Entry(GetParam().lines));
  const ParsedText parsed = ParseOneModule(source);
  ASSERT_FALSE(parsed.diagnostics.ok());
  EXPECT_EQ(text::Render(*source, parsed.diagnostics.all()[0]),
            absl::StrCat("t.hlo:", GetParam().rendered));
}

constexpr ErrorCase kErrors[] = {
    {"UnknownOpcode", "p = f32[2] parametr(0)",
     "2:12: error: unknown opcode 'parametr', did you mean 'parameter'?\n"
     "  p = f32[2] parametr(0)\n"
     "             ^\n"},
    {"NameIsAType", "s1 = f32[2] parameter(0)\nn = f32[2] negate(s1)",
     "2:1: error: 's1' is a type or keyword of HLO; as a name, write it %s1, here and where it is "
     "read\n"
     "  s1 = f32[2] parameter(0)\n"
     "  ^\n"},
    {"OperandNotThere", "n = f32[2] negate(q)",
     "2:19: error: there is no instruction 'q' before this line of the computation\n"
     "  n = f32[2] negate(q)\n"
     "                    ^\n"},
    {"OperandShape", "p = f32[2] parameter(0)\nn = f32[2] negate(f32[3] p)",
     "3:19: error: the operand is written as f32[3]{0} but 'p' is f32[2]{0}\n"
     "  n = f32[2] negate(f32[3] p)\n"
     "                    ^\n"},
    {"MissingAttribute", "p = f32[2] parameter(0)\nn = f32[2] reverse(p)",
     "3:22: error: reverse needs the attribute 'dimensions'\n"
     "  n = f32[2] reverse(p)\n"
     "                       ^\n"},
    {"BroadcastOfArray", "p = f32[2] parameter(0)\nn = f32[2,2] broadcast(p)",
     "3:26: error: broadcast needs the attribute 'dimensions'\n"
     "  n = f32[2,2] broadcast(p)\n"
     "                           ^\n"},
    {"NestedConditional", "n = negate(f32[] conditional())",
     "2:12: error: there is no instruction 'conditional' before this line of the computation\n"
     "  n = negate(f32[] conditional())\n"
     "             ^\n"},
    {"StartOfNothing", "n = ((), f32[4]) broadcast-start()",
     "2:33: error: broadcast takes 1 operands, got 0\n"
     "  n = ((), f32[4]) broadcast-start()\n"
     "                                  ^\n"},
    {"StartOfTooFew", "z = () parameter(0)\nn = ((), (), ()) broadcast-start(z)",
     "3:33: error: broadcast takes 1 operands, got 0\n"
     "  n = ((), (), ()) broadcast-start(z)\n"
     "                                  ^\n"},
    {"StartOfReshape", "n = ((), f32[4]) reshape-start()",
     "2:31: error: reshape takes 1 operands, got 0\n"
     "  n = ((), f32[4]) reshape-start()\n"
     "                                ^\n"},
    {"StartOfDependency", "n = ((), f32[4]) add-dependency-start()",
     "2:38: error: add-dependency takes 2 operands, got 0\n"
     "  n = ((), f32[4]) add-dependency-start()\n"
     "                                       ^\n"},
    {"ListOfWords", "p = f32[2,3] parameter(0)\nn = f32[3,2] transpose(p), dimensions={1,x}",
     "3:42: error: expected an integer\n"
     "  n = f32[3,2] transpose(p), dimensions={1,x}\n"
     "                                           ^\n"},
    {"LineOfASource", "p = f32[2] parameter(0)\nn = f32[2] negate(p), metadata={source_line=x}",
     "3:45: error: expected an integer\n"
     "  n = f32[2] negate(p), metadata={source_line=x}\n"
     "                                              ^\n"},
    {"GroupOfNobody",
     "p = f32[2] parameter(0)\nn = f32[2] collective-broadcast(p), replica_groups={{0,1},{2,}}",
     "3:62: error: expected an integer\n"
     "  n = f32[2] collective-broadcast(p), replica_groups={{0,1},{2,}}\n"
     "                                                               ^\n"},
    {"DevicesWithoutEnd", "p = f32[2,2] parameter(0), sharding={devices=[2,2<=[4]}",
     "2:50: error: expected ']' or ',' after a dimension\n"
     "  p = f32[2,2] parameter(0), sharding={devices=[2,2<=[4]}\n"
     "                                                   ^\n"},
    {"ScanOfNothing",
     "n = scan(), dimensions={0}, num_carries=0, to_apply={ ROOT a = f32[] constant(0) }",
     "2:83: error: the shape of this scan cannot be inferred: scan needs an input\n"
     "  n = scan(), dimensions={0}, num_carries=0, to_apply={ ROOT a = f32[] constant(0) }\n"
     "                                                                                    ^\n"},
    {"Literal", "c = s8[2] constant({1, 300})",
     "2:24: error: 300 is out of the range of s8\n"
     "  c = s8[2] constant({1, 300})\n"
     "                         ^\n"},
    {"SecondRoot", "ROOT p = f32[] parameter(0)\nROOT q = f32[] parameter(1)",
     "3:1: error: a computation has only one ROOT\n"
     "  ROOT q = f32[] parameter(1)\n"
     "  ^\n"},
};
INSTANTIATE_TEST_SUITE_P(All, ErrorTest, ::testing::ValuesIn(kErrors),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(ParserTest, SeveralMistakesInOneRun) {
  const ParsedText parsed = ParseAll(
      "ENTRY e {\n"
      "  p = f32[2] parametr(0)\n"  // reported
      "  n = f32[2] negate(p)\n"    // follows from it
      "  q = f32[2] parameter(0)\n"
      "  m = f32[2] negate(q), foo=1\n"  // reported
      "}\n");
  std::vector<size_t> lines;
  const auto source = text::Source::FromString("", "");
  for (const text::Diagnostic& d : parsed.diagnostics.all()) lines.push_back(d.offset);
  EXPECT_EQ(lines.size(), 2u);
}

TEST(ParserTest, SeveralModules) {
  const ParsedText parsed = ParseAll(
      "HloModule a\nENTRY e { p = f32[] parameter(0) }\n"
      "HloModule b\nENTRY e { p = f32[] parameter(0) }\n"
      "// -----\n"
      "c (p: f32[]) -> f32[] { p = f32[] parameter(0) }\n");
  ASSERT_TRUE(parsed.diagnostics.ok());
  ASSERT_EQ(parsed.modules.size(), 3u);
  EXPECT_EQ(parsed.modules[0].header().name, "a");
  EXPECT_EQ(parsed.modules[1].header().name, "b");
  EXPECT_EQ(parsed.modules[2].header().name, "module_c");
}

TEST(ParserTest, OneModuleOnly) {
  EXPECT_FALSE(ParseModule("HloModule a\nENTRY e { p = f32[] parameter(0) }\nHloModule b").ok());
}

TEST(ParserTest, WhereATextIsCutOffItEnds) {
  const auto module = ParseModule("ENTRY e {\n  p = f32[] parameter(0)\n");
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("expected '}' to end the computation (the text ends here"));
}

// The brace of `g` goes with the mistake before it, and that of `f16` with its head.
TEST(ParserTest, AComputationNamedAsAType) {
  const auto module = ParseModule(
      "HloModule m\n"
      "f16 { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }\n"
      "g { p = f32[] parameter(0)\n ROOT n = f32[] call(p), to_apply=f16 }\n"
      "h { p = f32[] parameter(0)\n ROOT n = f32[] call(p), to_apply=g }\n"
      "ENTRY e { p = f32[] parameter(0)\n ROOT n = f32[] call(p), to_apply=h }\n");
  const std::string message(module.status().message());
  EXPECT_THAT(message, HasSubstr("2:1: error: expected the name of a computation; f16 is an "
                                 "element type, %f16 a name"));
  EXPECT_THAT(message, HasSubstr("5:35: error: expected the name of a computation; f16"));
  EXPECT_THAT(message, Not(HasSubstr("'}'")));
  EXPECT_THAT(message, Not(HasSubstr("before this one")));
}

TEST(ParserTest, SingleInstruction) {
  const auto module = ParseModule("f32[4] select(pred[4], f32[4] a, f32[4])");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Dump(*module), "_0:pred[4] a:f32[4] _2:f32[4] _:f32[4]=select(_0,a,_2)");
  EXPECT_TRUE(module->header().is_scheduled);
}

TEST(ParserTest, Header) {
  const auto module = ParseModule(
      "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, must-alias) }, "
      "entry_computation_layout={(f32[2]{0})->f32[2]{0}}, num_partitions=4, "
      "frontend_attributes={a=\"x\\n\",b={\"c\":1}}\n" +
      Entry("p = f32[2] parameter(0)"));
  ASSERT_TRUE(module.ok()) << module.status();
  const ModuleHeader& h = module->header();
  EXPECT_TRUE(h.is_scheduled);
  EXPECT_EQ(h.num_partitions, 4);
  EXPECT_EQ(h.input_output_alias[0].kind, AliasEntry::Kind::kMustAlias);
  EXPECT_EQ(h.frontend_attributes[0].second, "x\n");
  EXPECT_EQ(h.frontend_attributes[1].second, "{\"c\":1}");
  EXPECT_EQ(h.entry_layout->parameters.size(), 1u);
}

TEST(ParserTest, CalledComputationsInXlaOrder) {
  const auto module = ParseModule(
      "c { p = f32[] parameter(0) ROOT r = pred[] constant(true) }\n"
      "b { ROOT p = f32[] parameter(0) }\n"
      "ENTRY e { p = f32[] parameter(0) w = f32[] while(p), condition=c, body=b }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const InstructionId w = module->FindInstruction("w");
  EXPECT_THAT(module->called(w),
              ElementsAre(module->FindComputation("b"), module->FindComputation("c")));
}

TEST(ParserTest, InlineComputationHasItsOwnNames) {
  const auto module = ParseModule(
      Entry("p = f32[] parameter(0)\nn = f32[] call(p), to_apply={ p = f32[] parameter(0) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->num_computations(), 2u);
  EXPECT_TRUE(module->computation(0).is_inline);
}

TEST(ParserTest, AsyncShortFormMakesAComputation) {
  const auto module = ParseModule(
      Entry("x = f32[4] parameter(0)\n"
            "a = ((f32[4]), f32[4], s32[]) negate-start(x), async_execution_thread=\"t\"\n"
            "d = f32[4] negate-done(a)"));
  ASSERT_TRUE(module.ok()) << module.status();
  const InstructionId a = module->FindInstruction("a");
  EXPECT_EQ(module->instruction(a).opcode, Opcode::kAsyncStart);
  const Computation& wrapper = module->computation(module->called(a)[0]);
  EXPECT_TRUE(wrapper.is_async_wrapper);
  EXPECT_EQ(wrapper.execution_thread, "t");
  EXPECT_EQ(module->instruction(wrapper.root).opcode, Opcode::kNegate);
}

// Compilers for GPUs write all-reduce-start for an operation that an async-start wraps; the tuple of
// operands says which one it is.
TEST(ParserTest, AWrappedOperationThatHasAStartOfItsOwn) {
  const auto module = ParseModule(absl::StrCat(
      "s { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(a, b) }\n",
      Entry("x = f32[4] parameter(0)\n"
            "w = ((f32[4]), f32[4]) all-reduce-start(x), replica_groups={}, to_apply=s, "
            "output_to_operand_aliasing={{1}: (0, {})}\n"
            "v = f32[4] all-reduce-done(w)\n"
            "n = f32[4] all-reduce-start(v), replica_groups={}, to_apply=s\n"
            "o = f32[4] all-reduce-done(n)\n"
            "g = ((f32[4]), f32[8]) all-gather-start(o), replica_groups={}, dimensions={0}\n"
            "h = f32[8] all-gather-done(g)\n"
            "i = (f32[8], f32[16]) all-gather-start(h), replica_groups={}, dimensions={0}\n"
            "j = f32[16] all-gather-done(i)")));
  ASSERT_TRUE(module.ok()) << module.status();
  const auto opcode = [&](absl::string_view name) {
    return module->instruction(module->FindInstruction(name)).opcode;
  };
  EXPECT_EQ(opcode("w"), Opcode::kAsyncStart);
  EXPECT_EQ(opcode("v"), Opcode::kAsyncDone);
  EXPECT_EQ(opcode("n"), Opcode::kAllReduceStart);
  EXPECT_EQ(opcode("o"), Opcode::kAllReduceDone);
  EXPECT_EQ(opcode("g"), Opcode::kAsyncStart);
  EXPECT_EQ(opcode("h"), Opcode::kAsyncDone);
  EXPECT_EQ(opcode("i"), Opcode::kAllGatherStart);
  EXPECT_EQ(opcode("j"), Opcode::kAllGatherDone);
}

TEST(ParserTest, AnUpdateBringsOperandsThatTheStartDidNotHave) {
  const std::string body =
      "x = f32[4] parameter(0)\n"
      "s = ((), (), s32[]) call-start(), to_apply=f\n"
      "u = ((f32[4]), f32[4]) call-update(s, x)\n"
      "d = f32[4] call-done(u)";
  const auto parse = [](const std::string& text) {
    return ParseModule(
        absl::StrCat("f { a = f32[4] parameter(0) b = f32[4] negate(a) }\n", Entry(text)));
  };
  const auto module = parse(body);
  ASSERT_TRUE(module.ok()) << module.status();
  const Computation& wrapper = module->computation(module->called(module->FindInstruction("s"))[0]);
  EXPECT_EQ(wrapper.parameters.size(), 1u);
  EXPECT_EQ(module->operands(wrapper.root).size(), 1u);
  EXPECT_EQ(module->shape(wrapper.root), module->shape(module->FindInstruction("d")));
  EXPECT_TRUE(VerifyModule(*module).ok());
  const auto wrong = parse(absl::StrReplaceAll(body, {{"((f32[4]), f32[4])", "((), f32[4])"}}));
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("should begin with a tuple of the 1 operands"));
}

// In print --format=xla it takes the name that XLA gives it: of two `negate`, one is hidden.
TEST(ParserTest, AWrappedOperationIsNamedByItsOpcode) {
  const auto module =
      ParseModule(Entry("x = f32[4] parameter(0)\na = ((f32[4]), f32[4], s32[]) negate-start(x)\n"
                        "d = f32[4] negate-done(a)\nnegate = f32[4] negate(d)"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(PrintModule(*module, PrintOptions::Default()),
              HasSubstr("%negate.1 = f32[4]{0} negate(%d)"));
}

// Review: front 8.
TEST(ParserTest, TooDeepNestingSaysSo) {
  const auto shape = ParseModule(Entry("p = " + std::string(5000, '(')));
  EXPECT_THAT(std::string(shape.status().message()), HasSubstr("error: shapes nested too deeply"));
  std::string operands;
  for (int i = 0; i < 10000; ++i) operands += "f32[] tanh(";
  const auto module = ParseModule(Entry("p = " + operands));
  EXPECT_THAT(std::string(module.status().message()),
              HasSubstr("error: instructions are nested deeper than 1000"));
  std::string bodies;
  for (int i = 0; i < 200; ++i) bodies += "ROOT c = f32[] call(), to_apply={ ";
  const auto inner = ParseModule(Entry(bodies));
  EXPECT_THAT(std::string(inner.status().message()),
              HasSubstr("error: bodies in place of names are nested deeper than 100"));
}

// Each module of a file has room for itself, not for the rest of the file.
TEST(ParserTest, ManyModulesTakeLinearMemory) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "HloModule m\nENTRY e { ROOT p = f32[] parameter(0) }\n";
  const ParsedText parsed = ParseAll(text);
  ASSERT_EQ(parsed.modules.size(), 4000u);
  size_t bytes = 0;
  for (size_t i = 1; i < parsed.modules.size(); ++i) bytes += parsed.modules[i].MemoryBytes();
  EXPECT_LT(bytes, 1000 * text.size());
}

// Room for 200,000 parameters is cleared for the first of them only.
TEST(ParserTest, AGapOfParametersCostsOnce) {
  std::string text = "HloModule m\n";
  for (int i = 0; i < 8000; ++i) {
    absl::StrAppend(&text, "c", i, " {\n  ROOT p = f32[] parameter(200000)\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e { ROOT p = f32[] parameter(0) }\n");
  const ParsedText parsed = ParseAll(text);
  const std::vector<text::Diagnostic>& found = parsed.diagnostics.all();
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].message, "computation 'c0' has no parameter 0");
  EXPECT_EQ(found[0].offset, text.find("}"));
  EXPECT_EQ(found[1].message, "parameter numbers have a gap");
}

TEST(ParserTest, TuplesOfTuplesHaveALimit) {
  std::string lines = "p = f32[] parameter(0)\nt0 = tuple(p, p)\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&lines, "t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  }
  EXPECT_THAT(std::string(ParseModule(Entry(lines)).status().message()),
              HasSubstr("a tuple holds at most 1048576 arrays and tuples"));
}

TEST(ParserTest, EveryRangeLiesInTheSource) {
  const std::string text =
      Entry("%p = f32[2]{0} parameter(0)\nROOT n = f32[2] negate(%p), metadata={op_name=\"a\"}");
  const auto module = ParseModule(text);
  ASSERT_TRUE(module.ok());
  const Instruction& n = module->instruction(module->FindInstruction("n"));
  EXPECT_EQ(text.substr(n.source.begin, n.source.size()),
            "ROOT n = f32[2] negate(%p), metadata={op_name=\"a\"}");
  EXPECT_EQ(text[n.operands_open], '(');
  EXPECT_EQ(text[n.operands_close], ')');
}

std::vector<std::string> Messages(absl::string_view text) {
  std::vector<std::string> messages;
  const auto source = text::Source::FromString("t.hlo", text);
  const ParsedText parsed = ParseModules(source);
  for (const text::Diagnostic& d : parsed.diagnostics.all()) {
    messages.push_back(text::Render(*source, d));
  }
  return messages;
}

// The instruction after a mistake is read, and the closing brace is seen.
// Heads and lists of attributes that came before are not read again.
TEST(KnownTextTest, TheSecondLineSaysWhatTheFirstDoes) {
  for (const absl::string_view line :
       {"f32[4,4]{1,0} negate(%p)", "f32[4,4]{1,0} negate(%p), metadata={op_name=\"a\"}",
        "f32[4,4]{1,0:T(2,128)} transpose(%p), dimensions={1,0}",
        "f32[4,4]{1,0} transpose(%p), dimensions={1,0}, metadata={op_name=\"a\"}",
        "f32[4,4]{1,0} transpose(%p), dimensions={1, 0}, sharding={replicated}, "
        "metadata={op_type=\"b\" op_name=\"a\" stack_frame_id=3}",
        "f32[4,4]{1,0} negate(%p), metadata={op_name=\"a\" stack_frame_id=00}",
        "f32[4,4]{1,0} transpose(%p), metadata={op_name='a'}, dimensions={0,1}",
        "f32[4,4]{1,0} transpose(%p),metadata={op_name=\"a\"}, dimensions={0,1}",
        "f32[4,4]{1,0} custom-call(%p), custom_call_target=\"a, metadata={\", metadata={}",
        "f32[4,4]{1,0} custom-call(%p), custom_call_target=\"a\", backend_config={\"x\":\n1}",
        "f32[4,4] /*c*/ negate ( %p ) , /*d*/ sharding={replicated}  // e",
        "(f32[4,4]{1,0}, f32[4,4]{1,0}) tuple(%p, %p), sharding={{replicated}, {replicated}}"}) {
    const auto module = ParseModule(Entry(absl::StrCat(
        "%p = f32[4,4]{1,0} parameter(0)\n%a = ", line, "\n%b = ", line, "\n%c = ", line)));
    ASSERT_TRUE(module.ok()) << module.status();
    const std::vector<InstructionId>& ids = module->entry().instructions;
    const Instruction& first = module->instruction(ids[1]);
    for (const InstructionId id : {ids[2], ids[3]}) {
      const Instruction& again = module->instruction(id);
      EXPECT_EQ(again.opcode, first.opcode) << line;
      EXPECT_EQ(again.shape, first.shape) << line;
      EXPECT_EQ(again.form, first.form) << line;
      EXPECT_EQ(again.source.size(), first.source.size()) << line;
      ASSERT_EQ(module->attributes(id).size(), module->attributes(ids[1]).size()) << line;
      for (size_t k = 0; k < module->attributes(id).size(); ++k) {
        const Attribute &a = module->attributes(ids[1])[k], &b = module->attributes(id)[k];
        EXPECT_EQ(b.name(), a.name()) << line;
        EXPECT_EQ(b.value(), a.value()) << line;
        EXPECT_EQ(b.name_distance(), a.name_distance()) << line;
        EXPECT_EQ(module->RangeOf(b.value())->begin - again.source.begin,
                  module->RangeOf(a.value())->begin - first.source.begin)
            << line;
      }
    }
  }
}

TEST(KnownTextTest, WhatIsGoodElsewhereMayBeAMistakeHere) {
  const auto error = [](absl::string_view line) {
    return ParseModule(Entry(absl::StrCat("%p = f32[] parameter(0)\n"
                                          "%a = f32[2] broadcast(%p), dimensions={}\n%b = ",
                                          line)))
        .status()
        .ToString();
  };
  EXPECT_EQ(error("f32[2] broadcast(%p), dimensions={}"), "OK");
  EXPECT_THAT(error("f32[2] negate(%a), dimensions={}"), HasSubstr("no attribute 'dimensions'"));
  EXPECT_THAT(error("f32[2] broadcast(%p), dimensions={}, dimensions={}"),
              HasSubstr("second attribute 'dimensions'"));
  EXPECT_THAT(error("f32[2] broadcast(%p), dimensions={}, metadata={op_name=\"a\"}, "
                    "metadata={op_name=\"a\"}"),
              HasSubstr("second attribute 'metadata'"));
}

TEST(KnownTextTest, AttributesThatAreAlike) {
  Module module =
      *ParseModule(Entry("%p = f32[2,2] parameter(0)\n"
                         "%a = f32[2,2] transpose(%p), dimensions={1,0}, metadata={op_name=\"a\"}\n"
                         "%b = f32[2,2] transpose(%a), dimensions={1,0}, metadata={op_name=\"b\"}, "
                         "sharding={replicated}\n"
                         "%c = f32[2,2] transpose(%b), dimensions={1,0}\n"
                         "%d = f32[2,2] transpose(%c), dimensions={0,1}\n"
                         "%e = f32[2,2] transpose(%d), dimensions={1,0}\n, sharding={replicated}\n"
                         "%f = f32[2,2] negate(%e), metadata={op_name=\"f\"}\n"
                         "%g = f32[2,2] negate(%f)\n"
                         "%h = f32[2,2] negate(%g)\n, sharding={replicated}"));
  const auto number = [&module](absl::string_view name) {
    return module.instruction(module.FindInstruction(name)).attributes_alike;
  };
  EXPECT_NE(number("a"), 0);
  EXPECT_EQ(number("b"), number("a"));
  EXPECT_EQ(number("c"), number("a"));
  EXPECT_NE(number("d"), number("a"));
  EXPECT_EQ(number("e"), 0);
  EXPECT_EQ(number("f"), 1);
  EXPECT_EQ(number("g"), 1);
  EXPECT_EQ(number("h"), 0);
  module.SetAttribute(module.FindInstruction("c"), AttributeName::kDimensions, "{0,1}");
  EXPECT_EQ(number("c"), 0);
}

TEST(RecoveryTest, NothingIsSaidTwice) {
  const auto found = Messages(
      "ENTRY e {\n"
      "  p = f32[2] parameter(0)\n"
      "  p = f32[2] parameter(1)\n"  // second p: its end is seen at the next line
      "  n = f32[2] negate(q)\n"     // no q
      "  ROOT r = f32[2] negate(p, p)\n"
      "}\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].substr(0, 12), "t.hlo:3:3: e");
  EXPECT_EQ(found[1].substr(0, 12), "t.hlo:4:21: ");
  EXPECT_EQ(found[2].substr(0, 12), "t.hlo:5:25: ");
}

TEST(ParserTest, ATextThatIsCutOffHasOneMistake) {
  const struct {
    const char *text, *mistake;
  } cases[] = {
      {"HloModule m, num_partitions=", "1:29: error: expected an integer (the text ends here)\n"},
      {"HloModule m\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 ",
       "expected a string in quotes (the text ends here)\n"},
      {"ENTRY e {\n  p = f32[] parameter(0)\n  n = f32[] neg",
       "3:13: error: unknown opcode 'neg', did you mean 'negate'? (the text ends here, inside "
       "computation 'e')\n"},
      {"ENTRY e {\n  p = f32[] parameter(0)\n  n = f32[] negate(", "inside computation 'e')\n"},
  };
  for (const auto& c : cases) {
    const auto found = Messages(c.text);
    ASSERT_EQ(found.size(), 1u) << c.text;
    EXPECT_THAT(found[0], HasSubstr(c.mistake));
  }
}

TEST(ForeignTextTest, SaysWhatTheFileIs) {
  const struct {
    absl::string_view text, message;
  } cases[] = {
      {"", "the text is empty"},
      {"\n \n", "the text is empty"},
      {"\x1f\x8b\x08", "this is compressed by gzip; give the text of `gzip -dc`"},
      {"\xff\xfeH", "this is UTF-16; give the text in UTF-8"},
      {"\xef\xbb\xbfHloModule m",
       "a byte order mark stands before the text: remove these three bytes"},
      {"module @jit_f {",
       "this is MLIR; give HLO, in JAX that of jax.jit(f).lower(..).as_text(\"hlo\")"},
      {"import sys, jax\n",
       "this is Python; give HLO, in JAX that of jax.jit(f).lower(..).as_text(\"hlo\")"},
      {"<!DOCTYPE html>",
       "this is no HLO text, whose first line begins with HloModule, or with the name of a "
       "computation"},
      {"{\"tensors\":[]}",
       "this is no HLO text, whose first line begins with HloModule, or with the name of a "
       "computation"},
      {"\x0a\x03\x01jit_f",
       "this is binary, not text; a file of HLO protos has a name that ends in .pb"},
  };
  for (const auto& c : cases) {
    const auto found = Messages(c.text);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find(absl::StrCat("t.hlo:1:1: error: ", c.message)), std::string::npos)
        << found[0];
  }
}

}  // namespace
}  // namespace tessera::hlo
