#include "tessera/sharding/propagation/numbered_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/shape.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::sharding::propagation {
namespace {

using program::InsertPoint;
using program::Op;
using program::Value;
using ::testing::ElementsAre;

OpSpec Spec(OpKind kind) {
  OpSpec spec;
  spec.kind = kind;
  return spec;
}

// main(x): y = while(x) { cond: true  body: z = op(arg, arg) }; return its edge, x
struct LoopProgram {
  LoopProgram() {
    const Tensor tensor = {{4, 4}};
    x = p.AddArgument(tensor);
    loop = p.AddOp(Spec(OpKind::kWhile), {x}, {tensor});
    p.OpenBlock();
    cond = p.AddArgument(tensor);
    p.CloseBlock({p.AddOp(OpSpec(), {}, {Tensor()})->result()});
    p.OpenBlock();
    body = p.AddArgument(tensor);
    twice = p.AddOp(OpSpec(), {body, body}, {tensor});
    p.CloseBlock({twice->result()});
    edge = p.AddEdge(loop->result());
  }
  absl::Status Return() { return p.Return({edge, x}, {kNoSharding, kNoSharding}); }

  TestProgram p;
  Value *x, *cond, *body, *edge;
  Op *loop, *twice;
};

TEST(NumberedProgramTest, AnOpComesBeforeThoseOfItsBlocks) {
  LoopProgram l;
  ASSERT_TRUE(l.Return().ok());
  const NumberedProgram& p = l.p.numbered();
  EXPECT_EQ(p.num_ops(), 8);
  EXPECT_EQ(p.num_values(), 7);
  EXPECT_EQ(p.op(0), nullptr);
  EXPECT_EQ(l.loop->number, 1);
  EXPECT_EQ(p.end_of(0), 8);
  EXPECT_EQ(p.end_of(1), l.edge->def()->number);
  EXPECT_EQ(p.end_of(l.twice->number), l.twice->number + 1);
  EXPECT_EQ(p.def(l.x->number()), 0);
  EXPECT_EQ(p.def(l.body->number()), 1);
  EXPECT_EQ(p.def(l.twice->result()->number()), l.twice->number);
  const ValueId body = l.body->number();
  EXPECT_THAT(p.tensors(l.twice->number), ElementsAre(body, body, l.twice->result()->number()));
  EXPECT_THAT(p.operands(l.twice->number), ElementsAre(body, body));
  EXPECT_EQ(p.rank(body), 2);
}

TEST(NumberedProgramTest, AnEdgeIsTheOwnerOfItsTargets) {
  LoopProgram l;
  ASSERT_TRUE(l.Return().ok());
  const NumberedProgram& p = l.p.numbered();
  const ValueId edge = l.edge->number();
  for (const Value* target : {l.loop->result(), l.cond, l.body}) {
    EXPECT_EQ(p.sharding_owner(target->number()), edge);
  }
  EXPECT_EQ(p.sharding_owner(l.x->number()), l.x->number());
  ASSERT_EQ(p.edge(l.edge->def()->number), 0);
  EXPECT_THAT(p.edges()[0].sources, ElementsAre(l.x->number(), l.twice->result()->number()));
  EXPECT_THAT(p.edges()[0].other_targets, ElementsAre(l.cond->number(), l.body->number()));
}

TEST(NumberedProgramTest, AGroupHasTheOwnersOfItsMembers) {
  LoopProgram l;
  l.p.AddToGroup(0, l.body);
  l.p.AddToGroup(0, l.x);
  l.p.AddToGroup(0, l.edge);
  ASSERT_TRUE(l.Return().ok());
  const NumberedProgram& p = l.p.numbered();
  ASSERT_EQ(p.groups().size(), 1u);
  EXPECT_THAT(p.groups()[0], ElementsAre(l.edge->number(), l.x->number()));
  EXPECT_EQ(p.group(l.x->number()), 0);
  EXPECT_EQ(p.group(l.body->number()), kNone);
}

TEST(NumberedProgramTest, WhatIsReadBeforeItIsMadeIsAFault) {
  LoopProgram l;
  l.p.program().Move(l.edge->def(), InsertPoint::AtFront(l.loop->block));
  EXPECT_EQ(l.Return(), absl::InvalidArgumentError("op 1 reads what no op before it makes"));
}

TEST(NumberedProgramTest, NumbersOfAnEarlierWalkAreNone) {
  LoopProgram l;
  ASSERT_TRUE(l.Return().ok());
  l.p.program().Move(l.edge->def(), InsertPoint::AtFront(l.loop->block));
  const auto no_traits = [](const Op&) { return OpTraits(); };
  EXPECT_EQ(NumberedProgram(&l.p.program(), no_traits).lost_reader(), 1);
}

TEST(NumberedProgramTest, ResultsOfADynamicShapeAreNamed) {
  LoopProgram l;
  layout::Shape shape = layout::Shape::Array(layout::ElementType::kF32, {4});
  shape.set_dynamic(0, true);
  const layout::Shape* const kept = l.p.program().KeepShape(shape);
  ASSERT_TRUE(l.Return().ok());
  const Op* const op =
      l.p.program().AddOp({OpKind::kConstant}, {}, {kept}, InsertPoint::Before(l.loop));
  const auto no_traits = [](const Op&) { return OpTraits(); };
  const NumberedProgram p(&l.p.program(), no_traits);
  EXPECT_THAT(p.dynamic_results(), ElementsAre(op->result()->number()));
  EXPECT_FALSE(p.has_shape(op->result()->number()));
}

TEST(TestProgramTest, Faults) {
  LoopProgram open;
  open.p.OpenBlock();
  EXPECT_EQ(open.Return(), absl::InvalidArgumentError("a block is open"));
  LoopProgram edges;
  edges.p.AddEdge(edges.x);
  EXPECT_EQ(edges.Return(), absl::InvalidArgumentError("an edge of a value that has none"));
  LoopProgram groups;
  groups.p.AddToGroup(0, groups.x);
  groups.p.AddToGroup(1, groups.x);
  EXPECT_EQ(groups.Return(), absl::InvalidArgumentError("value 0 is in two groups"));
}

}  // namespace
}  // namespace tessera::sharding::propagation
