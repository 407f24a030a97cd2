#include "tessera/target/program/device_program.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

DeviceProgram Program(absl::string_view body) {
  return DeviceProgram(*hlo::ParseModule(absl::StrCat("HloModule m\n\nENTRY e {\n", body, "}\n")));
}

class DeviceProgramTest : public ::testing::Test {
 protected:
  DeviceProgramTest()
      : program_(Program("  x = f32[8] parameter(0)\n"
                         "  n = f32[8] negate(x)\n"
                         "  s = f32[8] sine(x)\n"
                         "  a = f32[8] add(n, n)\n"
                         "  m = f32[8] multiply(n, s)\n"
                         "  ROOT t = (f32[8], f32[8]) tuple(m, a)\n")) {}

  InstructionId Find(absl::string_view name) const {
    return program_.module().FindInstruction(name);
  }
  std::vector<std::string> Names(const std::vector<InstructionId>& ids) const {
    std::vector<std::string> names;
    for (const InstructionId id : ids) {
      names.emplace_back(program_.module().instruction(id).name);
    }
    return names;
  }
  std::vector<std::string> Order() {
    return Names(program_.PostOrder(program_.module().entry_id()));
  }

  DeviceProgram program_;
};

TEST_F(DeviceProgramTest, UsersAreSaidOnceInTheOrderOfTheirUses) {
  EXPECT_THAT(Names(program_.Users(Find("n"))), ElementsAre("a", "m"));
  EXPECT_THAT(Names(program_.Users(Find("x"))), ElementsAre("n", "s"));
  EXPECT_THAT(program_.Users(Find("t")), IsEmpty());
  EXPECT_EQ(program_.OnlyUser(Find("s")), Find("m"));
  EXPECT_EQ(program_.OnlyUser(Find("n")), kNoId);
  EXPECT_EQ(program_.OnlyUser(Find("t")), kNoId);
}

TEST_F(DeviceProgramTest, ACopyIsEditedOnItsOwn) {
  const ComputationId entry = program_.module().entry_id();
  const auto add = [&](DeviceProgram* program) {
    const InstructionId x = Find("x");
    const InstructionId id = program->Add(entry, Opcode::kSine, "s", program->shape(x), {x});
    return std::string(program->module().instruction(id).name);
  };
  EXPECT_EQ(add(&program_), "s.1");
  DeviceProgram copy = program_;
  EXPECT_EQ(add(&copy), "s.2");  // with the names that were given before
  copy.ReplaceUses(Find("m"), Find("s"));
  EXPECT_TRUE(copy.RemoveDead(Find("m")));
  EXPECT_FALSE(program_.IsRemoved(Find("m")));
  EXPECT_THAT(Names(program_.Users(Find("s"))), ElementsAre("m"));
  EXPECT_THAT(Names(copy.Users(Find("s"))), ElementsAre("t"));
  EXPECT_THAT(Order(), ElementsAre("x", "n", "s", "m", "a", "t", "s.1"));
}

TEST_F(DeviceProgramTest, HeirsAreWhatStandsInTheEnd) {
  program_.ReplaceUses(Find("s"), Find("x"));
  EXPECT_EQ(program_.Replacement(Find("s")), Find("s"));  // nobody asked to remember
  program_.RememberReplacements();
  program_.ReplaceUses(Find("m"), Find("a"));
  program_.ReplaceUses(Find("a"), Find("n"));
  EXPECT_EQ(program_.Replacement(Find("m")), Find("n"));
  EXPECT_EQ(program_.Replacement(Find("x")), Find("x"));
}

TEST_F(DeviceProgramTest, ManyUsersAreSaidOnce) {
  const InstructionId x = Find("x");
  std::vector<InstructionId> users = {Find("n"), Find("s")};
  for (int k = 0; k < 20; ++k) {
    users.push_back(
        program_.Add(program_.module().entry_id(), Opcode::kAdd, "sum", program_.shape(x), {x, x}));
  }
  EXPECT_EQ(program_.Users(x), users);
}

TEST_F(DeviceProgramTest, OperandsComeFirst) {
  EXPECT_THAT(Order(), ElementsAre("x", "n", "s", "m", "a", "t"));
}

TEST_F(DeviceProgramTest, ReplacedIsWhatIsUsed) {
  program_.ReplaceUses(Find("n"), Find("s"));
  EXPECT_FALSE(program_.HasUsers(Find("n")));
  EXPECT_THAT(Names(program_.Users(Find("s"))), ElementsAre("m", "a"));
  EXPECT_TRUE(program_.RemoveDead(Find("n")));
  EXPECT_THAT(Order(), ElementsAre("x", "s", "m", "a", "t"));
}

TEST_F(DeviceProgramTest, AnInstructionMayTakeThePlaceOfWhatItUses) {
  const InstructionId n = Find("n");
  const InstructionId copy =
      program_.Add(program_.module().entry_id(), Opcode::kCopy, "copy", program_.shape(n), {n});
  program_.ReplaceUses(n, copy);
  EXPECT_THAT(Names(program_.Users(n)), ElementsAre("copy"));
  EXPECT_THAT(Order(), ElementsAre("x", "n", "copy", "s", "m", "a", "t"));
}

TEST_F(DeviceProgramTest, WhatOnlyTheDeadUseIsDead) {
  const InstructionId t = Find("t");
  program_.SetOperands(t, {Find("a")});
  EXPECT_FALSE(program_.RemoveDead(Find("n")));
  EXPECT_TRUE(program_.RemoveDead(Find("m")));
  EXPECT_TRUE(program_.IsRemoved(Find("s")));
  EXPECT_FALSE(program_.IsRemoved(Find("x")));
  EXPECT_THAT(Order(), ElementsAre("x", "n", "a", "t"));
}

TEST_F(DeviceProgramTest, TheRootIsReplaced) {
  program_.ReplaceUses(Find("t"), Find("m"));
  EXPECT_TRUE(program_.IsRoot(Find("m")));
  EXPECT_TRUE(program_.RemoveDead(Find("t")));
  EXPECT_THAT(Order(), ElementsAre("x", "n", "s", "m"));
}

// Orders are kept between edits: they must be those that a walk over the module finds.
TEST(KeptOrderTest, IsThatOfTheModuleAfterEachEdit) {
  DeviceProgram program(*hlo::ParseModule(R"(HloModule m

f {
  a = f32[8] parameter(0)
  ROOT n = f32[8] negate(a)
}

ENTRY e {
  x = f32[8] parameter(0)
  y = f32[8] call(x), to_apply=f
  z = f32[8] add(x, y)
  ROOT r = f32[8] multiply(z, y)
}
)"));
  const ComputationId entry = program.module().entry_id();
  const ComputationId f = program.module().FindComputation("f");
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (int step = 0; step < 400; ++step) {
    const std::vector<InstructionId> order = program.PostOrder(entry);
    const size_t later = order.size() < 2 ? 0 : 1 + below(order.size() - 1);
    const InstructionId early = order[later == 0 ? 0 : below(later)], late = order[later];
    switch (later == 0 ? 0 : below(5)) {
      case 0:
        program.Add(entry, Opcode::kAdd, "sum", program.shape(early), {early, late});
        break;
      case 1:
        program.SetCalled(program.Add(entry, Opcode::kCall, "y", program.shape(early), {early}),
                          {f});
        break;
      case 2:
        if (!program.operands(late).empty()) program.SetOperand(late, 0, early);
        break;
      case 3:
        program.ReplaceUses(late, early);
        break;
      default:
        program.RemoveDead(late);
    }
    program.Tidy();
    ASSERT_EQ(program.PostOrder(entry), hlo::PostOrder(program.module(), entry)) << step;
    ASSERT_EQ(program.Computations(), hlo::ComputationPostOrder(program.module())) << step;
  }
}

TEST(PinnedTest, WhatHasControlDependenciesStays) {
  DeviceProgram program = Program(
      "  x = f32[8] parameter(0)\n"
      "  n = f32[8] negate(x)\n"
      "  s = f32[8] sine(x), control-predecessors={n}\n"
      "  ROOT c = f32[8] cosine(x)\n");
  const auto find = [&](absl::string_view name) { return program.module().FindInstruction(name); };
  EXPECT_TRUE(program.IsPinned(find("n")));
  EXPECT_FALSE(program.RemoveDead(find("n")));
  EXPECT_FALSE(program.RemoveDead(find("s")));
  EXPECT_FALSE(program.IsPinned(find("c")));
}

TEST(ReleaseTest, ComputationsThatNobodyReachesGo) {
  DeviceProgram program(*hlo::ParseModule(R"(HloModule m

f {
  a = f32[8] parameter(0)
  ROOT n = f32[8] negate(a)
}

ENTRY e {
  x = f32[8] parameter(0)
  ROOT c = f32[8] call(x), to_apply=f
}
)"));
  const InstructionId call = program.module().FindInstruction("c");
  program.ReplaceUses(call, program.operand(call, 0));
  program.RemoveDead(call);
  const hlo::Module module = std::move(program).Release();
  EXPECT_EQ(module.FindComputation("f"), kNoId);
  EXPECT_EQ(module.entry().instructions.size(), 1u);
}

}  // namespace
}  // namespace tessera::target
