#include "tessera/target/dataflow/own_fills.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

using ::testing::ElementsAre;

// The opcodes of the entry's nodes, without parameters and constants.
std::vector<std::string> NodesOf(const std::string& lines) {
  const auto module = hlo::ParseModule(absl::StrCat(
      "ENTRY e {\n  x = f32[1,4] parameter(0)\n  i = s32[] parameter(1)\n  n = f32[] parameter(2)\n"
      "  c = f32[] constant(0)\n",
      lines, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  GiveOwnFills(&*flow);
  std::vector<std::string> found;
  for (const NodeId n : flow->scopes[0].nodes) {
    const hlo::Opcode opcode = flow->nodes[n].opcode;
    if (opcode != hlo::Opcode::kParameter && opcode != hlo::Opcode::kConstant)
      found.emplace_back(hlo::OpcodeName(opcode));
  }
  return found;
}

constexpr char kTwoUpdates[] =
    "  a = f32[9,4] dynamic-update-slice(z, x, i, i)\n"
    "  y = f32[1,4] negate(x)\n"
    "  b = f32[9,4] dynamic-update-slice(z, y, i, i)\n"
    "  ROOT t = (f32[9,4], f32[9,4]) tuple(a, b)\n";

// The module of XLA's GPU compiler behind constant-fill-copy-rewriter has as many fills.
TEST(OwnFillsTest, EachUpdateHasAFill) {
  EXPECT_THAT(NodesOf(absl::StrCat("  z = f32[9,4] broadcast(c), dimensions={}\n", kTwoUpdates)),
              ElementsAre("broadcast", "dynamic-update-slice", "negate", "broadcast",
                          "dynamic-update-slice"));
}

TEST(OwnFillsTest, WhatIsComputedIsNoFill) {
  EXPECT_THAT(NodesOf(absl::StrCat("  z = f32[9,4] broadcast(n), dimensions={}\n", kTwoUpdates)),
              ElementsAre("broadcast", "dynamic-update-slice", "negate", "dynamic-update-slice"));
}

TEST(OwnFillsTest, AReaderNeedsNone) {
  EXPECT_THAT(NodesOf("  z = f32[9,4] broadcast(c), dimensions={}\n"
                      "  a = f32[9,4] dynamic-update-slice(z, x, i, i)\n"
                      "  ROOT b = f32[9,4] add(z, a)\n"),
              ElementsAre("broadcast", "dynamic-update-slice", "add"));
}

}  // namespace
}  // namespace tessera::target
