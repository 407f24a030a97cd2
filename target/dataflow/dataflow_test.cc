#include "tessera/target/dataflow/dataflow.h"

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::target {
namespace {

// The loop hands w on, counts in two places alike, and drags y along for nobody.
constexpr char kLoop[] =
    "HloModule m\n"
    "body {\n"
    "  s = (s32[], s32[], f32[8], f32[8], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  j = s32[] get-tuple-element(s), index=1\n"
    "  w = f32[8] get-tuple-element(s), index=2\n"
    "  x = f32[8] get-tuple-element(s), index=3\n"
    "  y = f32[8] get-tuple-element(s), index=4\n"
    "  one = s32[] constant(1)\n"
    "  n = s32[] add(i, one)\n"
    "  c = f32[8] copy(w)\n"
    "  p = f32[8] multiply(c, x)\n"
    "  q = f32[8] multiply(w, x)\n"
    "  r = f32[8] add(p, q)\n"
    "  z = f32[8] add(y, y)\n"
    "  ROOT t = (s32[], s32[], f32[8], f32[8], f32[8]) tuple(n, j, c, r, z)\n"
    "}\n"
    "go {\n"
    "  s = (s32[], s32[], f32[8], f32[8], f32[8]) parameter(0)\n"
    "  i = s32[] get-tuple-element(s), index=0\n"
    "  j = s32[] get-tuple-element(s), index=1\n"
    "  ROOT l = pred[] compare(i, j), direction=LT\n"
    "}\n"
    "ENTRY e {\n"
    "  w = f32[8] parameter(0)\n"
    "  x = f32[8] parameter(1)\n"
    "  zero = s32[] constant(0)\n"
    "  ten = s32[] constant(10)\n"
    "  t = (s32[], s32[], f32[8], f32[8], f32[8]) tuple(zero, ten, w, x, x)\n"
    "  l = (s32[], s32[], f32[8], f32[8], f32[8]) while(t), condition=go, body=body\n"
    "  ROOT r = f32[8] get-tuple-element(l), index=3\n"
    "}\n";

TEST(DataflowTest, ALoopCarriesWhatChanges) {
  const auto module = hlo::ParseModule(kLoop);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  ASSERT_EQ(flow->scopes.size(), 2u);
  EXPECT_EQ(flow->scopes[1].parameters.size(), 2u);  // i and x
  size_t products = 0;
  for (const NodeId n : flow->scopes[1].nodes) {
    products += flow->nodes[n].opcode == hlo::Opcode::kMultiply;
  }
  EXPECT_EQ(products, 1u);  // p and q are one
}

// As the partitioner masks zeros that a sharded scatter adds to.
TEST(DataflowTest, AChoiceOfEqualValuesIsThatValue) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  p = pred[8] parameter(0)\n  x = f32[8] parameter(1)\n"
      "  y = f32[8] negate(x)\n  z = f32[8] negate(x)\n  ROOT s = f32[8] select(p, y, z)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  EXPECT_EQ(flow->NodeOf(flow->scopes[0].roots[0])->opcode, hlo::Opcode::kNegate);
}

// A fault of the hostile hunt: the body of a loop that only hands on had values of the entry as its results.
TEST(DataflowTest, ALoopThatOnlyHandsOnLeavesNothing) {
  const auto module = hlo::ParseModule(
      "HloModule m\n"
      "body {\n"
      "  s = (s32[], f32[8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  x = f32[8] get-tuple-element(s), index=1\n"
      "  ROOT t = (s32[], f32[8]) tuple(i, x)\n"
      "}\n"
      "go {\n"
      "  s = (s32[], f32[8]) parameter(0)\n"
      "  i = s32[] get-tuple-element(s), index=0\n"
      "  ROOT l = pred[] compare(i, i), direction=LT\n"
      "}\n"
      "ENTRY e {\n"
      "  i = s32[] parameter(0)\n"
      "  x = f32[8] parameter(1)\n"
      "  y = f32[8] tanh(x)\n"
      "  t = (s32[], f32[8]) tuple(i, y)\n"
      "  l = (s32[], f32[8]) while(t), condition=go, body=body\n"
      "  ROOT r = f32[8] get-tuple-element(l), index=1\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  ASSERT_EQ(flow->scopes.size(), 2u);
  EXPECT_TRUE(flow->scopes[1].roots.empty());
  EXPECT_TRUE(flow->scopes[1].parameters.empty());
  EXPECT_EQ(flow->scopes[1].condition, kNone);
}

// Whichever is needed first.
TEST(DataflowTest, ArgumentsHaveTheOrderOfParameters) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e {\n  b = f32[8] parameter(1)\n  n = f32[8] negate(b)\n"
      "  a = f32[4] parameter(0)\n  ROOT t = (f32[8], f32[4]) tuple(n, a)\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto flow = FindDataflow(*module);
  ASSERT_TRUE(flow.ok()) << flow.status();
  ASSERT_EQ(flow->arguments.size(), 2u);
  EXPECT_EQ(flow->values[flow->arguments[0]].shape->dim(0), 4);
}

TEST(DataflowTest, EqualGathersAreOneOrStay) {
  const auto module = hlo::ParseModule(
      "HloModule m, num_partitions=2\n"
      "ENTRY e {\n"
      "  x = f32[8] parameter(0)\n"
      "  g = f32[16] all-gather(x), channel_id=1, dimensions={0}, replica_groups={{0,1}}\n"
      "  h = f32[16] all-gather(x), channel_id=2, dimensions={0}, replica_groups={{0,1}}\n"
      "  ROOT r = f32[16] add(g, h)\n"
      "}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto are_one = [&](EqualGathers gathers) {
    const auto flow = FindDataflow(*module, gathers);
    EXPECT_TRUE(flow.ok()) << flow.status();
    const Node& sum = *flow->NodeOf(flow->scopes[0].roots[0]);
    return sum.operands[0] == sum.operands[1];
  };
  EXPECT_TRUE(are_one(EqualGathers::kAreOne));
  EXPECT_FALSE(are_one(EqualGathers::kStay));
}

}  // namespace
}  // namespace tessera::target
