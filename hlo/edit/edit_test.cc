#include "tessera/hlo/edit.h"

#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

constexpr absl::string_view kText =
    "HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={a},k=\"v\"}  // note\n"
    "\n"
    "ENTRY %e (p: f32[2]) -> f32[2] {\n"
    "  %p = f32[2]{0} parameter(0), sharding={replicated}, metadata={op_name=\"x\"}\n"
    "\t%n = f32[2] negate(f32[2] %p), frontend_attributes={xla.sdy.a=\"1\", "
    "k=\"v\",xla.sdy.b=\"2\"}\n"
    "  ROOT %a = f32[2] add(%p, /*index=1*/%n),  metadata={op_name=\"y\"} // end\n"
    "} // e\n";

struct EditCase {
  const char* name;
  std::function<void(const Module&, Editor&)> edit;
  // The removed text and its replacement; everything else must stay.
  const char* removed;
  const char* added;
};

class EditTest : public ::testing::TestWithParam<EditCase> {};

TEST_P(EditTest, ChangesOnlyTheseBytes) {
  const EditCase& c = GetParam();
  const auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok()) << module.status();
  Editor editor(*module);
  c.edit(*module, editor);
  std::string expected(kText);
  const size_t at = expected.find(c.removed);
  ASSERT_NE(at, std::string::npos);
  expected.replace(at, std::string(c.removed).size(), c.added);
  EXPECT_EQ(editor.Apply(), expected);
}

InstructionId Find(const Module& m, absl::string_view name) { return m.FindInstruction(name); }

const EditCase kEdits[] = {
    {"Nothing", [](const Module&, Editor&) {}, "HloModule", "HloModule"},
    {"NewValue",
     [](const Module& m, Editor& e) { e.SetAttribute(Find(m, "p"), A::kSharding, "{manual}"); },
     "{replicated}", "{manual}"},
    {"NewShardingStandsBeforeMetadata",
     [](const Module& m, Editor& e) { e.SetAttribute(Find(m, "a"), A::kSharding, "{manual}"); },
     "%n),  metadata", "%n), sharding={manual},  metadata"},
    {"NewShardingStandsBeforeFrontendAttributes",
     [](const Module& m, Editor& e) { e.SetAttribute(Find(m, "n"), A::kSharding, "{manual}"); },
     "%p), frontend", "%p), sharding={manual}, frontend"},
    {"AttributeGoes",
     [](const Module& m, Editor& e) { e.RemoveAttribute(Find(m, "p"), A::kSharding); },
     ", sharding={replicated}", ""},
    {"LastAttributeGoes",
     [](const Module& m, Editor& e) { e.RemoveAttribute(Find(m, "a"), A::kMetadata); },
     ",  metadata={op_name=\"y\"}", ""},
    {"SomeFrontendEntriesGo",
     [](const Module& m, Editor& e) { e.RemoveFrontendAttributes(Find(m, "n"), "xla.sdy."); },
     "{xla.sdy.a=\"1\", k=\"v\",xla.sdy.b=\"2\"}", "{k=\"v\"}"},
    {"AllFrontendEntriesGo",
     [](const Module& m, Editor& e) { e.RemoveFrontendAttributes(Find(m, "n"), ""); },
     ", frontend_attributes={xla.sdy.a=\"1\", k=\"v\",xla.sdy.b=\"2\"}", ""},
    {"InstructionGoes", [](const Module& m, Editor& e) { e.RemoveInstruction(Find(m, "a")); },
     "  ROOT %a = f32[2] add(%p, /*index=1*/%n),  metadata={op_name=\"y\"} // end\n", ""},
    {"LinesAround",
     [](const Module& m, Editor& e) {
       e.InsertBefore(Find(m, "a"), "  second");
       e.InsertAfter(Find(m, "n"), "  first");
     },
     "  ROOT", "  first\n  second\n  ROOT"},
    {"Replaced",
     [](const Module& m, Editor& e) {
       e.InsertAfter(Find(m, "a"), "  new");
       e.RemoveInstruction(Find(m, "a"));
     },
     "  ROOT %a = f32[2] add(%p, /*index=1*/%n),  metadata={op_name=\"y\"} // end\n", "  new\n"},
    {"OperandKeepsItsShape",
     [](const Module& m, Editor& e) { e.ReplaceOperand(Find(m, "n"), 0, "%q"); }, "(f32[2] %p)",
     "(f32[2] %q)"},
    {"OperandBehindAComment",
     [](const Module& m, Editor& e) { e.ReplaceOperand(Find(m, "a"), 1, "%q"); }, "/*index=1*/%n",
     "/*index=1*/%q"},
    {"Shape", [](const Module& m, Editor& e) { e.ReplaceShape(Find(m, "n"), "(f32[2])"); },
     "%n = f32[2] negate", "%n = (f32[2]) negate"},
    {"RootGoes", [](const Module& m, Editor& e) { e.SetRoot(Find(m, "a"), false); }, "ROOT %a",
     "%a"},
    {"RootComes", [](const Module& m, Editor& e) { e.SetRoot(Find(m, "n"), true); },
     "%n =", "ROOT %n ="},
    {"HeaderValue", [](const Module&, Editor& e) { e.SetHeaderAttribute("num_partitions", "8"); },
     "num_partitions=2", "num_partitions=8"},
    {"HeaderAttributeInItsPlace",
     [](const Module&, Editor& e) { e.SetHeaderAttribute("replica_count", "3"); }, "m, num",
     "m, replica_count=3, num"},
    {"HeaderAttributeGoes",
     [](const Module&, Editor& e) { e.RemoveHeaderAttribute("num_partitions"); },
     ", num_partitions=2", ""},
    {"HeaderFrontendEntryGoes",
     [](const Module&, Editor& e) { e.RemoveHeaderFrontendAttributes("xla.sdy."); },
     "{xla.sdy.meshes={a},k=\"v\"}", "{k=\"v\"}"},
};
INSTANTIATE_TEST_SUITE_P(All, EditTest, ::testing::ValuesIn(kEdits),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(EditTest, CommentsBetweenTokensAreNoTokens) {
  const auto module = ParseModule(
      "HloModule m, /* a, */ num_partitions=2\n\nENTRY e {\n"
      "  p /*=*/ = f32[2] /*(*/ parameter(0), // b, c\n    sharding={replicated}, metadata={}\n"
      "  ROOT a = f32[2] add/**/(p /*,*/, p // d,\n  ) // e\n  , /* f, */ metadata={}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  Editor edit(*module);
  const InstructionId p = Find(*module, "p"), a = Find(*module, "a");
  edit.RemoveHeaderAttribute("num_partitions");
  edit.RemoveAttribute(p, A::kSharding);
  edit.ReplaceShape(p, "f32[3]");
  edit.ReplaceOperand(a, 1, "q");
  edit.SetAttribute(a, A::kSharding, "{manual}");
  EXPECT_EQ(edit.Apply(),
            "HloModule m\n\nENTRY e {\n  p /*=*/ = f32[3] /*(*/ parameter(0), metadata={}\n"
            "  ROOT a = f32[2] add/**/(p /*,*/, q // d,\n  ) // e\n  , sharding={manual}, /* f, */ "
            "metadata={}\n}\n");
}

TEST(EditTest, AHeaderIsMadeWhereThereIsNone) {
  const auto module = ParseModule("// ours\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  Editor edit(*module);
  edit.SetHeaderAttribute("replica_count", "2");
  edit.SetHeaderAttribute("num_partitions", "4");
  EXPECT_EQ(edit.Apply(),
            "// ours\n\nHloModule module_e, replica_count=2, num_partitions=4\n\n"
            "ENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
}

TEST(EditTest, TheNameInTheHeaderMayHaveAColon) {
  const auto module =
      ParseModule("HloModule m: // c\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
  Editor edit(*module);
  edit.SetHeaderAttribute("num_partitions", "4");
  EXPECT_EQ(edit.Apply(),
            "HloModule m:, num_partitions=4 // c\n\nENTRY e {\n  ROOT p = f32[] parameter(0)\n}\n");
}

TEST(EditTest, OfTwoThatOverlapTheFirstWins) {
  const auto module = ParseModule("ENTRY e { p = f32[] parameter(0) }");
  Editor edit(*module);
  edit.Replace({12, 15}, "later");
  edit.Replace({10, 13}, "first");
  EXPECT_EQ(edit.Apply(), "ENTRY e { first f32[] parameter(0) }");
}

TEST(EditTest, SpellsNamesAsTheTextDoes) {
  const auto with = ParseModule(kText);
  EXPECT_EQ(Editor(*with).Spell("x"), "%x");
  const auto without = ParseModule("ENTRY e { p = f32[] parameter(0) }");
  EXPECT_EQ(Editor(*without).Spell("x"), "x");
}

}  // namespace
}  // namespace tessera::hlo
