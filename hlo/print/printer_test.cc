#include "tessera/hlo/printer.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Print(absl::string_view text, const PrintOptions& options) {
  const auto module = ParseModule(text);
  return module.ok() ? PrintModule(*module, options) : module.status().ToString();
}

TEST(PrinterTest, DefaultForm) {
  EXPECT_EQ(Print("add { x = f32[] parameter(0) y = f32[] parameter(1) s = f32[] add(x, y) }\n"
                  "ENTRY e {\n"
                  "  unused = s32[] constant(1)\n"
                  "  p = f32[4,2] parameter(0), frontend_attributes={b=\"1\",a=\"{}\"}\n"
                  "  z = f32[] constant(0)\n"
                  "  ROOT r = f32[4] reduce(p, z), to_apply=add, dimensions={1}, "
                  "metadata={source_line=3 op_name=\"r\"}\n"
                  "}",
                  PrintOptions::Default()),
            "HloModule module_e, entry_computation_layout={(f32[4,2]{1,0})->f32[4]{0}}\n\n"
            "%add (x: f32[], y: f32[]) -> f32[] {\n"
            "  %x = f32[] parameter(0)\n"
            "  %y = f32[] parameter(1)\n"
            "  ROOT %s = f32[] add(%x, %y)\n"
            "}\n\n"
            "ENTRY %e (p: f32[4,2]) -> f32[4] {\n"
            "  %unused = s32[] constant(1)\n"
            "  %p = f32[4,2]{1,0} parameter(0), frontend_attributes={a={},b=\"1\"}\n"
            "  %z = f32[] constant(0)\n"
            "  ROOT %r = f32[4]{0} reduce(%p, %z), dimensions={1}, to_apply=%add, "
            "metadata={op_name=\"r\" source_line=3}\n"
            "}\n\n");
}

TEST(PrinterTest, PiecesAreTheText) {
  std::string text = "HloModule m\nENTRY e {\n  p0 = f32[8] parameter(0)\n";
  for (int i = 0; i < 10000; ++i)
    absl::StrAppend(&text, "  p", i + 1, " = f32[8] negate(p", i, ")\n");
  const auto module = ParseModule(absl::StrCat(text, "}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::string> pieces;
  PrintModuleTo(*module, PrintOptions::Default(),
                [&](absl::string_view piece) { pieces.emplace_back(piece); });
  EXPECT_GT(pieces.size(), 1u);
  EXPECT_EQ(absl::StrJoin(pieces, ""), PrintModule(*module, PrintOptions::Default()));
}

// The parameter has an element that is a tuple; the name of one line is that of an element.
constexpr char kElements[] =
    "HloModule m\n"
    "ENTRY e {\n"
    "  p = (f32[8], (f32[4], s32[])) parameter(0)\n"
    "  h = (f32[4], s32[]) get-tuple-element(p), index=1\n"
    "  j = f32[4] get-tuple-element(h), index=0\n"
    "  p_1_0 = f32[4] add(j, p#1#0)\n"
    "  n = f32[8] negate(f32[8] p#0), control-predecessors={p_1_0}\n"
    "  ROOT t = (f32[8], f32[4]) tuple(n, /*a*/p#1#0)\n"
    "}\n";

TEST(PrinterTest, ElementsThatAreNamedInPlaceGetLines) {
  EXPECT_EQ(Print(kElements, PrintOptions::Default()),
            "HloModule m, entry_computation_layout={((f32[8]{0}, (f32[4]{0}, s32[])))->(f32[8]{0}, "
            "f32[4]{0})}\n\n"
            "ENTRY %e (p: (f32[8], (f32[4], s32[]))) -> (f32[8], f32[4]) {\n"
            "  %p = (f32[8]{0}, (f32[4]{0}, s32[])) parameter(0)\n"
            "  %h = (f32[4]{0}, s32[]) get-tuple-element(%p), index=1\n"
            "  %j = f32[4]{0} get-tuple-element(%h), index=0\n"
            "  %p_1 = (f32[4]{0}, s32[]) get-tuple-element(%p), index=1\n"
            "  %p_1_0 = f32[4]{0} get-tuple-element(%p_1), index=0\n"
            "  %p_1_0.1 = f32[4]{0} add(%j, %p_1_0)\n"
            "  %p_0 = f32[8]{0} get-tuple-element(%p), index=0\n"
            "  %n = f32[8]{0} negate(%p_0), control-predecessors={%p_1_0.1}\n"
            "  ROOT %t = (f32[8]{0}, f32[4]{0}) tuple(%n, %p_1_0)\n"
            "}\n\n");
}

TEST(PrinterTest, CompactGetTupleElements) {
  PrintOptions options;
  options.compact_get_tuple_elements = true;
  EXPECT_THAT(Print(kElements, options),
              EndsWith(" {\n"
                       "  %p = (f32[8]{0}, (f32[4]{0}, s32[])) parameter(0)\n"
                       "  %p_1_0.1 = f32[4]{0} add(%p#1#0, %p#1#0)\n"
                       "  %n = f32[8]{0} negate(%p#0), control-predecessors={%p_1_0.1}\n"
                       "  ROOT %t = (f32[8]{0}, f32[4]{0}) tuple(%n, %p#1#0)\n"
                       "}\n\n"));
  EXPECT_THAT(Print("ENTRY e {\n"
                    "  p = (f32[8], (f32[4], s32[])) parameter(0)\n"
                    "  h = (f32[4], s32[]) get-tuple-element(p), index=1\n"
                    "  ROOT j = f32[4] get-tuple-element(h), index=0\n"
                    "}",
                    options),
              EndsWith("  %p = (f32[8]{0}, (f32[4]{0}, s32[])) parameter(0)\n"
                       "  ROOT %j = f32[4]{0} get-tuple-element(%p#1), index=0\n"
                       "}\n\n"));
}

struct ReleaseCase {
  const char* operand;  // its shape, and what takes it
  const char* line;
  const char* newer;
  const char* older;
};

const ReleaseCase kReleaseCases[] = {
    {"f32[3]", "pred[3] compare(p, p), direction=LT, type=TOTALORDER", "direction=LT, order=TOTAL",
     "direction=LT, type=TOTALORDER"},
    {"f32[3]", "pred[3] compare(p, p), direction=LT, order=TOTAL", "direction=LT, order=TOTAL",
     "direction=LT, type=TOTALORDER"},
    {"f32[3]", "pred[3] compare(p, p), direction=LT, order=PARTIAL", "direction=LT",
     "direction=LT"},
    {"f32[3]", "pred[3] compare(p, p), direction=LT, type=SIGNED", "direction=LT, order=TOTAL",
     "direction=LT, type=SIGNED"},
    {"c64[3]", "pred[3] compare(p, p), direction=EQ, type=FLOAT", "direction=EQ", "direction=EQ"},
    {"s32[3]", "pred[3] compare(p, p), direction=LT, type=FLOAT", "direction=LT, order=PARTIAL",
     "direction=LT, type=FLOAT"},
    {"s32[3]", "pred[3] compare(p, p), direction=LT, order=PARTIAL", "direction=LT, order=PARTIAL",
     "direction=LT, type=FLOAT"},
    {"s32[3]", "pred[3] compare(p, p), direction=LT, order=TOTAL", "direction=LT", "direction=LT"},
    {"s32[3]", "pred[3] compare(p, p), direction=LT, type=UNSIGNED", "direction=LT",
     "direction=LT, type=UNSIGNED"},
    {"f32[9]", "(f32[2], s32[2]) topk(p), k=2", "k=2, largest=true, is_stable=true",
     "k=2, largest=true"},
    {"f32[9]", "(f32[2], s32[2]) topk(p), k=2, is_stable=false",
     "k=2, largest=true, is_stable=false", "k=2, largest=true, is_stable=false"},
    {"f32[9]",
     "f32[9] sort(p), dimensions={0}, to_apply={a = f32[] parameter(0) b = f32[] parameter(1) "
     "ROOT c = pred[] compare(a, b), direction=LT}",
     "dimensions={0}, to_apply=%_", "dimensions={0}, to_apply=%_"},
    {"f32[3]", "f32[3] negate(p), origin={[synthetic_call]}", "origin={(),[\"\"]}",
     "origin={[synthetic_call]}"},
    {"f32[3]", "f32[3] negate(p), origin={{\"a\"}, [\"f\"]}", "origin={{\"a\"},[\"f\"]}",
     "origin={{\"a\"},[\"f\"]}"},
    {"f32[3]", "f32[3] negate(p), sharding={maximal_mesh[device_id=3]}",
     "sharding={single_device[device_id=3]}", "sharding={maximal_mesh[device_id=3]}"},
    {"f32[3]", "f32[3] negate(p), sharding={unreduced}",
     "sharding={unreduced metadata={op_type=\"sdy::reduction_op\" op_name=\"SUM\"}}",
     "sharding={unreduced}"},
};

TEST(PrinterTest, Releases) {
  PrintOptions older;
  older.comparison_order = older.topk_stability = older.origin_call_hierarchy = false;
  older.sharding_reductions = older.single_device_shardings = false;
  for (const ReleaseCase& c : kReleaseCases) {
    const std::string text =
        absl::StrCat("ENTRY e {\n  p = ", c.operand, " parameter(0)\n  ROOT r = ", c.line, "\n}\n");
    EXPECT_THAT(Print(text, PrintOptions()), EndsWith(absl::StrCat("), ", c.newer, "\n}\n\n")));
    EXPECT_THAT(Print(text, older), EndsWith(absl::StrCat("), ", c.older, "\n}\n\n")));
  }
}

TEST(PrinterTest, BackendConfigsOfModulesAndComputations) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}, num_partitions=4, "
      "backend_config={\"z\":1}\n\n"
      "ENTRY %e (p: f32[2]) -> f32[2] {\n"
      "  ROOT %p = f32[2]{0} parameter(0)\n"
      "}, execution_thread=\"t\", backend_config=\"raw\"\n\n";
  EXPECT_EQ(Print(text, PrintOptions::Default()), text);
  PrintOptions without;
  without.backend_config = false;
  EXPECT_THAT(Print(text, without), AllOf(Not(HasSubstr("backend_config")), HasSubstr("thread")));
}

TEST(PrinterTest, CanonicalFormPutsBodiesInPlace) {
  EXPECT_EQ(Print("HloModule m\n"
                  "f { ROOT x = f32[] parameter(0) }\n"
                  "ENTRY e { p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=f }",
                  PrintOptions::Canonical()),
            "HloModule m, entry_computation_layout={(f32[])->f32[]}\n\n"
            "f {\n"
            "  ROOT tmp_0 = f32[] parameter(0)\n"
            "}\n\n"
            "ENTRY e {\n"
            "  tmp_0 = f32[] parameter(0)\n"
            "  ROOT tmp_1 = f32[] call(f32[] tmp_0), to_apply=\n"
            "  {\n"
            "    ROOT tmp_0 = f32[] parameter(0)\n"
            "  }\n"
            "}\n\n");
}

TEST(PrinterTest, NamesBecomeUniqueInTheModule) {
  const std::string text =
      "HloModule m\n"
      "f { ROOT p = f32[] parameter(0) }\n"
      "ENTRY e { p = f32[] parameter(0) ROOT x.01 = f32[] call(p), to_apply=f }";
  EXPECT_NE(Print(text, PrintOptions::Default()).find("%x.1 = f32[] call(%p.1)"),
            std::string::npos);
  PrintOptions as_written;
  as_written.load_like_xla = false;
  EXPECT_NE(Print(text, as_written).find("%x.01 = f32[] call(%p)"), std::string::npos);
}

TEST(PrinterTest, StackFramesAreNumberedByUse) {
  const std::string printed = Print(
      "HloModule m\n"
      "FileNames\n1 \"unused\"\n2 \"f\"\n"
      "FunctionNames\n1 \"g\"\n"
      "FileLocations\n1 {file_name_id=2 function_name_id=1 line=3 end_line=3 column=1 "
      "end_column=2}\n"
      "StackFrames\n1 {file_location_id=1 parent_frame_id=9}\n2 {file_location_id=1 "
      "parent_frame_id=1}\n"
      "ENTRY e { ROOT p = f32[] parameter(0), metadata={stack_frame_id=2} }",
      PrintOptions::Default());
  EXPECT_NE(printed.find("FileNames\n1 \"f\"\n\n"), std::string::npos);
  EXPECT_NE(printed.find("metadata={stack_frame_id=1}"), std::string::npos);
}

// In the order of the old arrays, the module printed anew.
TEST(PrinterTest, RecoveryTable) {
  const auto module = ParseModule(
      "HloModule m, origin_recovery_table={ {\"x\"} : {\"d\"}, \"ENTRY r { ROOT p = f32[4] "
      "parameter(0) }\" {\"a\" {1,0}}:{} {\"x\"}:{\"later\"} }\n"
      "ENTRY e { ROOT p = f32[4] parameter(0) }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(PrintModule(*module, PrintOptions::Default()),
              testing::HasSubstr(", origin_recovery_table={\n"
                                 "  {\"a\" {1,0}} : {\"\"}\n"
                                 "  {\"x\"} : {\"d\"},\n"
                                 "  \"\n"
                                 "    HloModule module_r, "
                                 "entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n"
                                 "\n"
                                 "    ENTRY %r (p: f32[4]) -> f32[4] {\n"
                                 "      ROOT %p = f32[4]{0} parameter(0)\n"
                                 "    }\n"
                                 "\n"
                                 "\n"
                                 "  \"\n"
                                 "}\n"
                                 "\n"
                                 "\n"));
}

TEST(PrinterTest, ShortFormReadsBack) {
  const std::string text =
      "HloModule m\nENTRY e { ROOT c = f32[12] constant({1,2,3,4,5,6,7,8,9,10,11,12}) }";
  const std::string once = Print(text, PrintOptions::ShortParsable());
  EXPECT_EQ(Print(once, PrintOptions::ShortParsable()), once);
  EXPECT_NE(Print(text, PrintOptions::Default()).find("constant({...})"), std::string::npos);
}

// Such as the tables of offsets and the pairs of per-device modules.
TEST(PrinterTest, LongNumbersHaveOneForm) {
  const std::string written = Print(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  a = s32[11] constant({007, -0,1, 2, 3, 4, 5, 6, 7, 8, -2147483648})
  b = s32[11] constant({0, -10, 20, 30, 40, 50, 60, 70, 80, 90, 999999999})
  c = f32[11] constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1e3})
  p = f32[2] collective-permute(x), source_target_pairs={{0, 01},{1,0}}
  ROOT q = f32[2] collective-permute(x), source_target_pairs={{0,10},{10,0}}
})",
                                    PrintOptions::ShortParsable());
  for (const char* part :
       {"constant({7, 0, 1, 2, 3, 4, 5, 6, 7, 8, -2147483648})",
        "constant({0, -10, 20, 30, 40, 50, 60, 70, 80, 90, 999999999})",
        "constant({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000})", "source_target_pairs={{0,1},{1,0}}",
        "source_target_pairs={{0,10},{10,0}}"}) {
    EXPECT_NE(written.find(part), std::string::npos) << part << "\n" << written;
  }
}

// --- Copying from the source ---------------------------------------------------------------------

// The form of the root of an entry with %p = f32[2]{0}, %q = f32[2]{0} and %c.1 = f32[].
SpellingState FormOf(absl::string_view root) {
  const auto module = ParseModule(
      absl::StrCat("HloModule m\n\n%f (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n"
                   "  %y = f32[] parameter(1)\n  ROOT %s = f32[] add(%x, %y)\n}\n\nENTRY %e {\n"
                   "  %p = f32[2]{0} parameter(0)\n  %q = f32[2]{0} parameter(1)\n"
                   "  %c.1 = f32[] constant(1)\n  ROOT ",
                   root, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? module->instruction(module->entry().root).form : SpellingState::kOther;
}

TEST(TextFormTest, SpelledAsPrinted) {
  for (absl::string_view root :
       {"%r = f32[2]{0} add(%p, %q)",
        "%r = f32[2]{0} negate(%p), metadata={op_name=\"a\\\"b\" source_line=3}",
        "%r = f32[] reduce(%p, %c.1), dimensions={0}, to_apply=%f", "%r = f32[2]{0} parameter(2)",
        "%r = pred[2]{0} compare(%p, %q), direction=LT",
        "%r = (f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, f32[2]{0}, /*index=5*/f32[2]{0}) "
        "tuple(%p, %p, %p, %p, %p, /*index=5*/%p)"}) {
    EXPECT_EQ(FormOf(root), SpellingState::kPrinted) << root;
  }
  EXPECT_EQ(FormOf("%r = f32[2]{0} negate(%p), sharding={replicated}"), SpellingState::kValues);
  EXPECT_EQ(FormOf("%r = f32[] constant(1)"), SpellingState::kValues);
}

TEST(TextFormTest, SpelledOtherwise) {
  for (absl::string_view root :
       {"r = f32[2]{0} add(%p, %q)",
        "%r = f32[2] add(%p, %q)",
        "%r  = f32[2]{0} add(%p, %q)",
        "%r = f32[2]{0}  add(%p, %q)",
        "%r = f32[2]{0} add (%p, %q)",
        "%r = f32[2]{0} add( %p, %q)",
        "%r = f32[2]{0} add(%p,%q )",
        "%r = f32[2]{0} add(p, %q)",
        "%r = f32[2]{0} add(%p,\n%q)",
        "%r = f32[2]{0} add(f32[2] %p, %q)",
        "%r = f32[2]{0} add(%p, /*index=5*/%q)",
        "%r = add(%p, %q)",
        "%r = f32[2]{0} parameter(02)",
        "%r = f32[2]{0} parameter( 2)",
        "%r = f32[] reduce(%p, %c.1), to_apply=%f, dimensions={0}",
        "%r = f32[] reduce(%p, %c.1),  dimensions={0}, to_apply=%f",
        "%r = f32[] reduce(%p, %c.1), dimensions= {0}, to_apply=%f",
        "%r = f32[] reduce(%p, %c.1), dimensions={00}, to_apply=%f",
        "%r = f32[] reduce(%p, %c.1), dimensions={0 }, to_apply=%f",
        "%r = f32[] reduce(%p, %c.1), dimensions={0}, to_apply=f",
        "%r = f32[2]{0} broadcast(%c.1)",
        "%r = f32[2]{0} negate(%p), metadata={source_line=3}",
        "%r = f32[2]{0} negate(%p), metadata={op_name='a'}",
        "%r = f32[2]{0} negate(%p), metadata={source_line=3 op_name=\"a\"}",
        "%r = f32[2]{0} negate(%p), metadata={op_name=\"a\"}, sharding={replicated}",
        "%r = f32[2]{0} dot(%c.1, %p), lhs_batch_dims={}, lhs_contracting_dims={}, "
        "rhs_contracting_dims={}",
        "%r = f32[2]{0} dot(%c.1, %p), lhs_contracting_dims={}"}) {
    EXPECT_EQ(FormOf(root), SpellingState::kOther) << root;
  }
}

TEST(PrinterTest, ChangedInstructionsAreNotCopied) {
  auto module = ParseModule(
      "HloModule m\n\nENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
      "  %a = f32[2]{0} negate(%p)\n  %b = f32[2]{0} add(%a, %p)\n"
      "  ROOT %r = f32[2]{0} multiply(%b, %a), metadata={op_name=\"r\"}\n}\n");
  ASSERT_TRUE(module.ok());
  module->SetName(1, "other");
  module->SetOperand(3, 1, 0);
  module->SetAttribute(0, AttributeName::kSharding, "{replicated}");
  const std::string printed = PrintModule(*module, PrintOptions::Default());
  EXPECT_NE(printed.find("  %p = f32[2]{0} parameter(0), sharding={replicated}\n"
                         "  %other = f32[2]{0} negate(%p)\n"
                         "  %b = f32[2]{0} add(%other, %p)\n"
                         "  ROOT %r = f32[2]{0} multiply(%b, %p), metadata={op_name=\"r\"}\n"),
            std::string::npos)
      << printed;
}

constexpr absl::string_view kCall = "call(p), to_apply=$0";
constexpr absl::string_view kTooLong = "the text gets longer than 10000000 bytes";

// Functions that call the one before `times` times each; `call` has its name for $0.
std::string CallChain(int depth, int times, absl::string_view call = kCall) {
  std::string text = "g0 { ROOT r = f32[] parameter(0) }\n";
  for (int i = 1; i <= depth; ++i) {
    absl::StrAppend(&text, i == depth ? "ENTRY g" : "g", i,
                    " {\n  p = f32[] parameter(0)\n  b = pred[] constant(true)\n");
    for (int k = 0; k < times; ++k) {
      absl::StrAppend(&text, "  c", k, " = f32[] ",
                      absl::Substitute(call, absl::StrCat("g", i - 1)), "\n");
    }
    text += "}\n";
  }
  return text;
}

absl::Status PrintWithin(const std::string& text, size_t most) {
  const auto module = ParseModule(text);
  if (!module.ok()) return module.status();
  return PrintModuleWithin(*module, PrintOptions::Canonical(), most).status();
}

TEST(PrintWithinTest, BodiesInPlaceHaveALimit) {
  EXPECT_EQ(PrintWithin(CallChain(3, 2), 10000000), absl::OkStatus());
  EXPECT_EQ(PrintWithin(CallChain(2000, 1), 10000000).message(), kTooLong);
  for (const absl::string_view call :
       {kCall, absl::string_view("fusion(p), kind=kLoop, calls=$0"),
        absl::string_view("map(p), dimensions={}, to_apply=$0"),
        absl::string_view("conditional(b, p, p), true_computation=$0, false_computation=$0")}) {
    const absl::Status status = PrintWithin(CallChain(40, 2, call), 10000000);
    EXPECT_EQ(status.message(), kTooLong) << call;
    EXPECT_GT(text::ErrorOffset(status), 0u) << call;
  }
}

// Each element of a tuple says the shape of the whole.
TEST(PrintWithinTest, WideTuplesHaveALimit) {
  constexpr int kWide = 2000;
  const std::string tuple =
      absl::StrCat("(", absl::StrJoin(std::vector<std::string>(kWide, "f32[8,16]"), ", "), ")");
  std::string text = absl::StrCat("ENTRY e {\n  p = ", tuple, " parameter(0)\n");
  std::vector<std::string> names;
  for (int i = 0; i < kWide; ++i) {
    names.push_back(absl::StrCat("g", i));
    absl::StrAppend(&text, "  ", names.back(), " = f32[8,16] get-tuple-element(p), index=", i,
                    "\n");
  }
  absl::StrAppend(&text, "  ROOT r = ", tuple, " tuple(", absl::StrJoin(names, ", "), ")\n}\n");
  EXPECT_EQ(PrintWithin(text, 10000000).message(), kTooLong);
  EXPECT_EQ(PrintWithin(text, 1000000000), absl::OkStatus());
}

}  // namespace
}  // namespace tessera::hlo
