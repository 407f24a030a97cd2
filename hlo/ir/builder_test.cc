#include "tessera/hlo/builder.h"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;
using layout::Shape;
using ::testing::ElementsAre;

std::vector<std::string> Names(const Module& module, const std::vector<InstructionId>& ids) {
  std::vector<std::string> names;
  for (InstructionId id : ids) names.emplace_back(module.instruction(id).name);
  return names;
}

TEST(BuilderTest, FromNothing) {
  Module module;
  module.mutable_header().name = "made";
  Builder b(&module);
  const ComputationId e = b.AddComputation("e");
  const InstructionId p = b.AddParameter(e, "p", Shape::Array(ElementType::kF32, {2}));
  const InstructionId c = b.AddConstant(e, "p", Shape::Array(ElementType::kS32, {}), "3");
  const InstructionId t = b.AddTuple(e, "t", {p, c});
  module.SetRoot(e, b.AddGetTupleElement(e, "g", t, 1));
  module.SetEntry(e);
  EXPECT_EQ(PrintModule(module, PrintOptions::Default()),
            "HloModule made, entry_computation_layout={(f32[2]{0})->s32[]}\n\n"
            "ENTRY %e (p: f32[2]) -> s32[] {\n"
            "  %p = f32[2]{0} parameter(0)\n"
            "  %p.1 = s32[] constant(3)\n"
            "  %t = (f32[2]{0}, s32[]) tuple(%p, %p.1)\n"
            "  ROOT %g = s32[] get-tuple-element(%t), index=1\n"
            "}\n\n");
}

TEST(BuilderTest, ReplacesUsesButNotItsOwn) {
  auto module = ParseModule("ENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }");
  ASSERT_TRUE(module.ok());
  Builder b(&*module);
  const InstructionId p = module->FindInstruction("p");
  const InstructionId copy = b.Add(module->entry_id(), Opcode::kCopy, "p.copy", {p});
  b.ReplaceUses(p, copy);
  EXPECT_THAT(module->operands(module->FindInstruction("n")), ElementsAre(copy));
  EXPECT_THAT(module->operands(copy), ElementsAre(p));
  EXPECT_THAT(Names(*module, PostOrder(*module, module->entry_id())),
              ElementsAre("p", "p.copy", "n"));
}

// The parser refuses such a text; by hand anything can be set.
TEST(BuilderTest, AnAttributeThatDoesNotReadIsAsIfAbsent) {
  auto module = ParseModule(
      "ENTRY e { p = f32[2,3] parameter(0) ROOT t = f32[3,2] transpose(p), dimensions={1,0} }");
  ASSERT_TRUE(module.ok()) << module.status();
  const InstructionId t = module->FindInstruction("t");
  EXPECT_TRUE(GetInts(*module, t, AttributeName::kDimensions).has_value());
  for (const char* const value : {"{x}", "{1,", "{1,0", "1,0}", "{1,0}}", ""}) {
    module->SetAttribute(t, AttributeName::kDimensions, value);
    EXPECT_FALSE(GetInts(*module, t, AttributeName::kDimensions).has_value()) << value;
  }
}

TEST(BuilderTest, ClonesAComputation) {
  auto module = ParseModule(
      "f { x = f32[] parameter(0) ROOT n = f32[] negate(x), metadata={op_name=\"a\"} }\n"
      "ENTRY e { p = f32[] parameter(0) ROOT c = f32[] call(p), to_apply=f }");
  ASSERT_TRUE(module.ok());
  Builder b(&*module);
  const ComputationId clone = b.CloneComputation(module->FindComputation("f"), "clone");
  module->SetCalled(module->FindInstruction("c"), {clone});
  b.RemoveUnreachableComputations();
  EXPECT_EQ(module->FindComputation("f"), kNoId);
  EXPECT_EQ(PrintModule(*module, PrintOptions::ShortParsable()),
            "HloModule module_e, entry_computation_layout={(f32[])->f32[]}\n\n"
            "f.clone {\n"
            "  x.1 = f32[] parameter(0)\n"
            "  ROOT n.1 = f32[] negate(x.1)\n"
            "}\n\n"
            "ENTRY e {\n"
            "  p = f32[] parameter(0)\n"
            "  ROOT c = f32[] call(p), to_apply=f.clone\n"
            "}\n\n");
}

TEST(BuilderTest, ClonesWhatReadsAnOperandAfterIt) {
  auto module = ParseModule("ENTRY e { p = f32[] parameter(0)\n ROOT n = f32[] negate(p) }");
  ASSERT_TRUE(module.ok()) << module.status();
  Builder b(&*module);
  const InstructionId p = module->FindInstruction("p");
  const InstructionId x = b.Add(module->entry_id(), Opcode::kCopy, "x", {p});
  module->SetOperand(module->FindInstruction("n"), 0, x);
  const Computation& clone = module->computation(b.CloneComputation(module->entry_id(), "clone"));
  EXPECT_THAT(Names(*module, clone.instructions), ElementsAre("p.1", "n.1", "x.1"));
  EXPECT_THAT(module->operands(clone.root), ElementsAre(clone.instructions[2]));
}

TEST(BuilderTest, CopiesDoNotShareChanges) {
  const auto module = ParseModule("ENTRY e { ROOT p = f32[2] parameter(0) }");
  Module copy = *module;
  copy.SetAttribute(0, AttributeName::kSharding, "{replicated}");
  copy.SetName(0, "q");
  EXPECT_FALSE(module->HasAttribute(0, AttributeName::kSharding));
  EXPECT_EQ(module->instruction(0).name, "p");
  EXPECT_EQ(copy.FindAttribute(0, AttributeName::kSharding), "{replicated}");
}

// Each copy kept the texts of the one before it, one after the other, and gave them back one
// inside the other.
TEST(BuilderTest, CopiesOfCopiesMakeNoChain) {
  Module module;
  const absl::string_view kept = module.Keep("kept");
  for (int i = 0; i < 200'000; ++i) module = Module(std::as_const(module));
  EXPECT_EQ(kept, "kept");
}

TEST(OrderTest, ControlPredecessorsComeLastOneFirst) {
  const auto module = ParseModule(
      "ENTRY e {\n"
      "  a = f32[] parameter(0)\n"
      "  b = f32[] parameter(1)\n"
      "  c = f32[] parameter(2)\n"
      "  ROOT n = f32[] negate(a), control-predecessors={b, c}\n"
      "}");
  ASSERT_TRUE(module.ok());
  // b and c have no users of their own, so they are visited at their places in the text.
  EXPECT_THAT(Names(*module, PostOrder(*module, module->entry_id())),
              ElementsAre("b", "c", "a", "n"));
}

TEST(OrderTest, ACalleeNamedTwiceKeepsItsFirstPlace) {
  const auto module = ParseModule(
      "t { ROOT x = f32[] parameter(0) }\n"
      "f { ROOT y = f32[] parameter(0) }\n"
      "ENTRY e { i = s32[] parameter(0) p = f32[] parameter(1)\n"
      "  ROOT c = f32[] conditional(i, p, p, p), branch_computations={t, f, t} }");
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::string> names;
  for (ComputationId c : ComputationPostOrder(*module)) {
    names.emplace_back(module->computation(c).name);
  }
  EXPECT_THAT(names, ElementsAre("f", "t", "e"));
}

TEST(UniqueNamesTest, NumbersOfARoot) {
  UniqueNames names;
  EXPECT_EQ(names.Unique("p"), "p");
  EXPECT_EQ(names.Unique("p"), "p.1");
  EXPECT_EQ(names.Unique("p.2"), "p.2");
  EXPECT_EQ(names.Unique("p.2"), "p.3");
  EXPECT_EQ(names.Unique("x.01"), "x.1");
  EXPECT_EQ(names.Unique("q.0"), "q.0");
  EXPECT_EQ(SanitizeName("1a b"), "_a_b");
  EXPECT_EQ(SanitizeName("f32"), "f32_");
  EXPECT_EQ(SanitizeName("__x"), "a_x");
}

// With the numbers of each root in a set: near each other and far apart, some of 19 digits.
TEST(UniqueNamesTest, AreAsThoseOfSetsOfNumbers) {
  std::mt19937_64 random(3);
  UniqueNames names;
  std::map<std::string, std::set<uint64_t>> taken;
  std::map<std::string, uint64_t> next;
  constexpr uint64_t kSpans[] = {4, 100, 5000, 1u << 20, uint64_t{1} << 62};
  for (int k = 0; k < 5000; ++k) {
    const std::string root(1, static_cast<char>('a' + random() % 3));
    uint64_t number = random() % kSpans[random() % 5];
    const std::string zero = number == 0 ? root : root + ".0";
    const std::string wanted = number == 0 ? root : absl::StrCat(root, ".", number);
    while (!taken[root].insert(number).second) number = next[root]++;
    ASSERT_EQ(names.Unique(wanted), number == 0 ? zero : absl::StrCat(root, ".", number)) << wanted;
  }
}

// Names that a module lost meanwhile are still those that the builder found.
TEST(BuilderTest, TakesTheNamesThatItFound) {
  Module module =
      *ParseModule("HloModule m\n\nENTRY e { p = f32[] parameter(0) ROOT n = f32[] negate(p) }");
  Builder builder(&module);
  const ComputationId e = module.entry_id();
  module.SetRoot(e, module.FindInstruction("p"));
  module.mutable_computation(e).instructions.pop_back();
  EXPECT_EQ(builder.UniqueInstructionName("n"), "n.1");
  EXPECT_EQ(builder.UniqueInstructionName("p"), "p.1");
}

}  // namespace
}  // namespace tessera::hlo
