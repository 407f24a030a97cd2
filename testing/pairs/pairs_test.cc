// The comparisons must see a single mistake: each case is a module, a change to it, and what is
// said.

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/in_place/in_place.h"
#include "tessera/testing/pairs/spelling.h"
#include "tessera/testing/pairs/structure.h"
#include "tessera/testing/pairs/table/derive_table.h"
#include "tessera/testing/pairs/table/table.h"

namespace tessera::testing::pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kResult[] = R"(HloModule m, num_partitions=2

%sum (p.0: f32[], p.1: f32[]) -> f32[] {
  %p.0 = f32[] parameter(0)
  %p.1 = f32[] parameter(1)
  ROOT %s = f32[] add(%p.0, %p.1)
}

ENTRY %main (x: f32[4]) -> (f32[4], f32[]) {
  %x = f32[4]{0} parameter(0), sharding={devices=[2]<=[2]}
  %n = f32[4]{0} negate(%x), sharding={devices=[2]<=[2]}
  %zero = f32[] constant(0)
  %r = f32[] reduce(%n, %zero), dimensions={0}, to_apply=%sum
  ROOT %t = (f32[4]{0}, f32[]) tuple(%n, %r), sharding={{devices=[2]<=[2]}, {replicated}}
}
)";

std::vector<std::string> AgainstChanged(const char* from, const char* to) {
  Spellings spellings;
  return CompareStructure(Dump(kResult), Dump(absl::StrReplaceAll(kResult, {{from, to}})),
                          spellings);
}

TEST(Dump, ReadsInstructionsAndLeavesThemInTheText) {
  const Dump dump(kResult);
  ASSERT_TRUE(dump.readable());
  const Instruction& r = *dump.entry().Get("r");
  EXPECT_EQ(r.opcode, "reduce");
  EXPECT_THAT(r.operands, ElementsAre("n", "zero"));
  EXPECT_EQ(r.Attribute("to_apply"), "%sum");
  EXPECT_THAT(TupleLeaves("(f32[4]{0},(f32[],s32[2]))"),
              ElementsAre(Path{0}, Path{1, 0}, Path{1, 1}));
}

TEST(Dump, ElementsThatAreNamedInPlace) {
  const Dump dump(R"(ENTRY %e {
  %p = (f32[4]{0}, (s32[], f32[])) parameter(0), metadata={op_name="p"}
  ROOT %n = f32[] negate(%p#1#1)
}
)");
  std::vector<std::string> lines;
  for (const Instruction& i : dump.entry().instructions) {
    lines.push_back(std::string(i.name) + " " + std::string(i.shape) + " " +
                    std::to_string(i.element()));
  }
  EXPECT_THAT(lines,
              ElementsAre("p (f32[4]{0},(s32[],f32[])) 0", "p#0 f32[4]{0} 0", "p#1 (s32[],f32[]) 1",
                          "p#1#0 s32[] 0", "p#1#1 f32[] 1", "n f32[] 0"));
  EXPECT_THAT(dump.entry().Get("n")->operands, ElementsAre("p#1#1"));
}

TEST(Spellings, EqualDevicesAreEqual) {
  Spellings spellings;
  EXPECT_TRUE(spellings.Same("{devices=[2,4]<=[4,2]T(1,0)}", "{devices=[2,4]0,2,4,6,1,3,5,7}"));
  EXPECT_FALSE(spellings.Same("{devices=[2,4]<=[8]}", "{devices=[4,2]<=[8]}"));
  EXPECT_FALSE(spellings.Same("{replicated}", ""));
}

TEST(Structure, NamesAndSpellingAreFree) {
  EXPECT_THAT(AgainstChanged("%n", "%other.7"), IsEmpty());
  EXPECT_THAT(AgainstChanged("<=[2]", "0,1"), IsEmpty());
}

TEST(Structure, WhatReadsAlikeIsAlike) {
  EXPECT_THAT(AgainstChanged("constant(0)", "constant(-0)"), IsEmpty());
  EXPECT_THAT(AgainstChanged("constant(0)", "constant(-0.5)"), Not(IsEmpty()));
  EXPECT_THAT(AgainstChanged("negate(%x)", "negate(%x), is_associative=false"), IsEmpty());
}

TEST(Structure, SeesEverySingleMistake) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"negate", "sine"},
      {"constant(0)", "constant(1)"},
      {"num_partitions=2", "num_partitions=4"},
      {"dimensions={0}", "dimensions={1}"},
      {"%n = f32[4]{0} negate(%x), sharding={devices=[2]<=[2]}", "%n = f32[4]{0} negate(%x)"},
      {"tuple(%n, %r)", "tuple(%x, %r)"},
      {"add(%p.0, %p.1)", "add(%p.1, %p.0)"},
  };
  for (const auto& [from, to] : mistakes)
    EXPECT_THAT(AgainstChanged(from, to), Not(IsEmpty())) << to;
}

constexpr char kBefore[] =
    R"(HloModule m, num_partitions=2, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2]>}}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}]>"}
  %c = f32[4]{0} custom-call(%x), custom_call_target="Sharding", metadata={op_name="c"}
  ROOT %n = f32[4]{0} negate(%c)
}
)";
constexpr char kTable[] =
    "R\t{}\t{replicated}\n"
    "C\tmain\tmain.1\n"
    "=\tx\t{devices=[2]<=[2]}\n"
    "=\tc\t{devices=[2]<=[2]}\n"
    "=\tn\t{replicated}\n"
    "+\tn\tc\tcopy\t{replicated}\n";
constexpr char kAfter[] = R"(HloModule m, num_partitions=2

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), sharding={devices=[2]<=[2]}
  %c = f32[4]{0} copy(%x), sharding={devices=[2]<=[2]}, metadata={op_name="c"}
  %c.reshard = f32[4]{0} copy(%c), sharding={replicated}
  ROOT %n = f32[4]{0} negate(%c.reshard), sharding={replicated}
}
)";

std::vector<std::string> InPlace(const std::string& actual) {
  Spellings spellings;
  return CompareInPlace(Dump(kBefore), ParseTable(kTable), Dump(actual), spellings);
}

TEST(InPlace, AcceptsTheRightResult) { EXPECT_THAT(InPlace(kAfter), IsEmpty()); }

TEST(InPlace, SeesEverySingleMistake) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"negate(%c.reshard)", "negate(%c)"},
      {"copy(%c), sharding={replicated}", "copy(%c), sharding={devices=[2]<=[2]}"},
      {"negate(%c.reshard), sharding={replicated}", "negate(%c.reshard)"},
      {"metadata={op_name=\"c\"}", "metadata={op_name=\"d\"}"},
      {"num_partitions=2", "num_partitions=2, frontend_attributes={xla.sdy.meshes={}}"},
      {"parameter(0), sharding={devices=[2]<=[2]}", "parameter(0), sharding={replicated}"},
      {") -> f32[4] {", ") ->  f32[4] {"},
  };
  for (const auto& [from, to] : mistakes) {
    EXPECT_THAT(InPlace(absl::StrReplaceAll(kAfter, {{from, to}})), Not(IsEmpty())) << to;
  }
}

TEST(InPlace, OfTwoEqualCopiesInARowEitherIsTheOneOfTheText) {
  const std::string table = absl::StrReplaceAll(
      kTable, {{"{replicated}", "{devices=[2]<=[2]}"}, {"+\tn\tc\t", "+\tc\tx\t"}});
  const auto differences = [&](const std::string& sharding) {
    const std::string actual = absl::StrReplaceAll(
        kAfter, {{"copy(%c), sharding={replicated}", "copy(%c), sharding=" + sharding},
                 {"negate(%c.reshard), sharding={replicated}",
                  "negate(%c.reshard), sharding={devices=[2]<=[2]}"}});
    Spellings spellings;
    return CompareInPlace(Dump(kBefore), ParseTable(table), Dump(actual), spellings);
  };
  EXPECT_THAT(differences("{devices=[2]<=[2]}"), IsEmpty());
  EXPECT_THAT(differences("{replicated}"), Not(IsEmpty()));
}

// The same module as the pass would leave it: names are new, the constraint is a copy, and one more
// copy stands between it and its user.
constexpr char kPassed[] = R"(HloModule m, num_partitions=2

ENTRY %main.1 (x.1: f32[4]) -> f32[4] {
  %x.1 = f32[4]{0} parameter(0), sharding={devices=[2]<=[2]}
  %c.1 = f32[4]{0} copy(%x.1), sharding={devices=[2]<=[2]}, metadata={op_name="c"}
  %c.2 = f32[4]{0} copy(%c.1), sharding={replicated}
  ROOT %n.1 = f32[4]{0} negate(%c.2), sharding={replicated}
}
)";

TEST(DeriveTable, SaysWhatTheTableSays) {
  const Derived derived = DeriveTable(Dump(kBefore), Dump(kPassed));
  EXPECT_THAT(derived.problems, IsEmpty());
  const Table expected = ParseTable(kTable);
  EXPECT_EQ(derived.table.results, expected.results);
  const Rows& rows = derived.table.computations.at("main");
  EXPECT_EQ(rows.shardings, expected.computations.at("main").shardings);
  ASSERT_EQ(rows.inserted.size(), 1u);
  const Insertion& inserted = rows.inserted.at("n")[0];
  EXPECT_EQ(ToString(inserted.value), "c");
  EXPECT_EQ(inserted.sharding, "{replicated}");
}

TEST(DeriveTable, SaysWhereModulesDoNotMatch) {
  const std::string other = absl::StrReplaceAll(kPassed, {{"negate", "sine"}});
  EXPECT_THAT(DeriveTable(Dump(kBefore), Dump(other)).problems, Not(IsEmpty()));
}

// Two constraints without an op_name, `second` of `first`, and what is left of them.
Rows ConstraintsBecame(const std::string& left) {
  const Dump before(R"(ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %first = f32[4]{0} custom-call(%x), custom_call_target="Sharding"
  %second = f32[4]{0} custom-call(%first), custom_call_target="Sharding"
  ROOT %n = f32[4]{0} negate(%second)
}
)");
  const Dump after("ENTRY %main.0 (x.0: f32[4]) -> f32[4] {\n  %x.0 = f32[4]{0} parameter(0)\n" +
                   left + "}\n");
  return DeriveTable(before, after).table.computations.at("main");
}

TEST(DeriveTable, NamesTellWhichOfSeveralConstraintsIsLeft) {
  const Rows rows = ConstraintsBecame(
      "  %c = f32[4]{0} copy(%x.0), sharding={replicated}, metadata={op_name=\"second\"}\n"
      "  ROOT %n.0 = f32[4]{0} negate(%c)\n");
  EXPECT_FALSE(rows.shardings.contains("first"));
  EXPECT_TRUE(rows.shardings.contains("second"));
}

TEST(DeriveTable, WithoutNamesTheNearestConstraintIsLeft) {
  const Rows rows = ConstraintsBecame(
      "  %c = f32[4]{0} copy(%x.0), sharding={replicated}\n"
      "  ROOT %n.0 = f32[4]{0} negate(%c)\n");
  EXPECT_TRUE(rows.shardings.contains("first"));
  EXPECT_FALSE(rows.shardings.contains("second"));
}

// A loop that returns nothing but a constraint of its argument changes it.
TEST(DeriveTable, ConstraintsChangeTheStateOfLoops) {
  const std::string text = R"(HloModule m

%body (s: (f32[4])) -> (f32[4]) {
  %s = (f32[4]{0}) parameter(0)
  %x = f32[4]{0} get-tuple-element(%s), index=0
  %c = f32[4]{0} custom-call(%x), custom_call_target="Sharding", metadata={op_name="c"}
  ROOT %t = (f32[4]{0}) tuple(%c)
}

%cond (p: (f32[4])) -> pred[] {
  %p = (f32[4]{0}) parameter(0)
  ROOT %k = pred[] constant(true)
}

ENTRY %main (a: f32[4]) -> (f32[4]) {
  %a = f32[4]{0} parameter(0)
  %u = (f32[4]{0}) tuple(%a)
  ROOT %w = (f32[4]{0}) while(%u), condition=%cond, body=%body
}
)";
  const std::string after = absl::StrReplaceAll(
      text,
      {{"custom-call(%x), custom_call_target=\"Sharding\"", "copy(%x), sharding={replicated}"},
       {"body=%body", "body=%body, sharding={{devices=[2]<=[2]}}"}});
  const Derived derived = DeriveTable(Dump(text), Dump(after));
  EXPECT_THAT(derived.problems, IsEmpty());
  const LeafShardings expected = {{Path{0}, "{devices=[2]<=[2]}"}};
  EXPECT_EQ(derived.table.computations.at("main").shardings.at("w"), expected);
}

}  // namespace
}  // namespace tessera::testing::pairs
