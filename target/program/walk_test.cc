#include "tessera/target/program/walk.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

constexpr char kModule[] =
    "HloModule m\n\n"
    "callee {\n"
    "  y = f32[8] parameter(0)\n"
    "  ROOT c = f32[8] cosine(y)\n"
    "}\n\n"
    "ENTRY e {\n"
    "  x = f32[8] parameter(0)\n"
    "  n = f32[8] negate(x)\n"
    "  s = f32[8] sine(n)\n"
    "  ROOT k = f32[8] call(s), to_apply=callee\n"
    "}\n";

std::string NameOf(const DeviceProgram& program, InstructionId id) {
  return std::string(program.module().instruction(id).name);
}

TEST(AllInstructionsTest, CalleesAndOperandsComeFirst) {
  DeviceProgram program(*hlo::ParseModule(kModule));
  std::vector<std::string> names;
  for (const InstructionId id : AllInstructions(program)) names.push_back(NameOf(program, id));
  EXPECT_THAT(names, ElementsAre("y", "c", "x", "n", "s", "k"));
}

TEST(AllInstructionsTest, WhatIsAddedOrTakenOutIsNotVisited) {
  DeviceProgram program(*hlo::ParseModule(kModule));
  std::vector<std::string> names;
  for (const InstructionId id : AllInstructions(program)) {
    names.push_back(NameOf(program, id));
    if (names.back() != "n") continue;
    const InstructionId sine = program.OnlyUser(id);
    const InstructionId added = program.Clone(sine, {id}, program.shape(sine));
    program.ReplaceUses(sine, added);
    program.Remove(sine);
  }
  EXPECT_THAT(names, ElementsAre("y", "c", "x", "n", "k"));
}

TEST(AllInstructionsTest, AComputationWhoseLastInstructionIsGone) {
  DeviceProgram program(
      *hlo::ParseModule("HloModule m\n\nENTRY e {\n"
                        "  x = f32[8] parameter(0)\n"
                        "  n = f32[8] negate(x)\n"
                        "  ROOT s = f32[8] sine(n)\n}\n"));
  std::vector<std::string> names;
  for (const InstructionId id : AllInstructions(program)) {
    names.push_back(NameOf(program, id));
    if (names.back() != "n") continue;
    const InstructionId root = program.OnlyUser(id);
    program.SetRoot(program.computation(root), id);
    program.Remove(root);
  }
  EXPECT_THAT(names, ElementsAre("x", "n"));
}

}  // namespace
}  // namespace tessera::target
