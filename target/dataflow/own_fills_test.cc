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
std::vector<std::string> NodesOf(const std::string& lines, const std::string& callees = "",
                                 OtherReaders others = OtherReaders::kRead) {
  const auto module = hlo::ParseModule(absl::StrCat(
      callees,
      "ENTRY e {\n  x = f32[1,4] parameter(0)\n  i = s32[] parameter(1)\n  n = f32[] parameter(2)\n"
      "  c = f32[] constant(0)\n",
      lines, "}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  auto flow = FindDataflow(*module);
  EXPECT_TRUE(flow.ok()) << flow.status();
  GiveOwnFills(&*flow, others);
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

// The module of XLA's GPU compiler after constant-fill-copy-rewriter has as many fills.
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

// Two loops that start from the same zeros and compute `next` from them.
std::vector<std::string> NodesOfLoops(const std::string& next) {
  return NodesOf(
      "  z = f32[9,4] broadcast(c), dimensions={}\n  t = (s32[], f32[9,4]) tuple(i, z)\n"
      "  a = (s32[], f32[9,4]) while(t), condition=go, body=body\n"
      "  j = s32[] get-tuple-element(a), index=0\n  u = (s32[], f32[9,4]) tuple(j, z)\n"
      "  b = (s32[], f32[9,4]) while(u), condition=go, body=body\n"
      "  p = f32[9,4] get-tuple-element(a), index=1\n  q = f32[9,4] get-tuple-element(b), index=1\n"
      "  ROOT r = (f32[9,4], f32[9,4]) tuple(p, q)\n",
      "go {\n  s = (s32[], f32[9,4]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  ROOT l = pred[] compare(i, i), direction=LT\n}\n"
      "body {\n  s = (s32[], f32[9,4]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  j = s32[] add(i, i)\n  x = f32[9,4] get-tuple-element(s), index=1\n  y = f32[9,4] " +
          next + "\n  ROOT t = (s32[], f32[9,4]) tuple(j, y)\n}\n");
}

// In the compiler's module in front of its scheduler, windowed einsums that go round eight devices are loops, each with
// a buffer of its own; those that go round four are no loops any more.
TEST(OwnFillsTest, EachLoopHasAFillButUnrolledOnes) {
  const std::string permute = "collective-permute(x), source_target_pairs=";
  EXPECT_THAT(NodesOfLoops("negate(x)"), ElementsAre("broadcast", "while", "broadcast", "while"));
  EXPECT_THAT(NodesOfLoops(permute + "{{0,1},{1,2},{2,3},{3,0}}"),
              ElementsAre("broadcast", "while", "while"));
  EXPECT_THAT(NodesOfLoops(permute + "{{0,1},{1,2},{2,3},{3,4},{4,5},{5,6},{6,7},{7,0}}"),
              ElementsAre("broadcast", "while", "broadcast", "while"));
}

// A loop that starts from zeros, and what else reads them.
std::vector<std::string> NodesOfLoopAnd(const std::string& reader, OtherReaders others) {
  return NodesOf(absl::StrCat("  z = f32[9,4] broadcast(c), dimensions={}\n", reader),
                 "go {\n  s = (s32[], f32[9,4]) parameter(0)\n"
                 "  i = s32[] get-tuple-element(s), index=0\n"
                 "  ROOT l = pred[] compare(i, i), direction=LT\n}\n"
                 "body {\n  s = (s32[], f32[9,4]) parameter(0)\n"
                 "  i = s32[] get-tuple-element(s), index=0\n  j = s32[] add(i, i)\n"
                 "  x = f32[9,4] get-tuple-element(s), index=1\n  y = f32[9,4] negate(x)\n"
                 "  ROOT t = (s32[], f32[9,4]) tuple(j, y)\n}\n",
                 others);
}

// XLA's module of a diffusion transformer for H100: Adam multiplies weights by the zeros from which a backward loop
// starts, as the weight decay is 0. After constant-fill-copy-rewriter both have a fill.
TEST(OwnFillsTest, ALoopHasItsOwnIfAReaderMayComeLater) {
  const std::string loop =
      "  a = (s32[], f32[9,4]) while(t), condition=go, body=body\n"
      "  p = f32[9,4] get-tuple-element(a), index=1\n";
  const std::string later = absl::StrCat("  t = (s32[], f32[9,4]) tuple(i, z)\n", loop,
                                         "  ROOT r = f32[9,4] multiply(p, z)\n");
  EXPECT_THAT(NodesOfLoopAnd(later, OtherReaders::kRead),
              ElementsAre("broadcast", "broadcast", "while", "multiply"));
  EXPECT_THAT(NodesOfLoopAnd(later, OtherReaders::kMakeAnew),
              ElementsAre("broadcast", "while", "multiply"));
  EXPECT_THAT(NodesOfLoopAnd(absl::StrCat("  q = f32[9,4] negate(z)\n"
                                          "  h = f32[1,1] slice(q), slice={[0:1], [0:1]}\n"
                                          "  f = f32[] reshape(h)\n  k = s32[] convert(f)\n"
                                          "  t = (s32[], f32[9,4]) tuple(k, z)\n",
                                          loop, "  ROOT r = f32[9,4] add(p, q)\n"),
                             OtherReaders::kRead),
              ElementsAre("broadcast", "negate", "slice", "reshape", "convert", "while", "add"));
}

}  // namespace
}  // namespace tessera::target
