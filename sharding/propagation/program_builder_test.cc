#include "tessera/sharding/propagation/program_builder.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::sharding::propagation {

void PrintTo(Use use, std::ostream* out) { *out << use.op << "." << use.operand; }

namespace {

using ::testing::ElementsAre;

OpSpec Spec(OpKind kind, OpId parent = kNone) {
  OpSpec spec;
  spec.kind = kind;
  spec.parent = parent;
  return spec;
}

// main(x): y = while(x) { cond: true  body: z = op(arg, arg) }; its edge; return edge, x
struct LoopProgram {
  LoopProgram() {
    const ShapeId shape = b.AddShape({4, 4});
    for (ValueId* v : {&x, &y, &cond, &body, &z, &edge}) *v = b.AddValue(shape);
    yes = b.AddValue(b.AddShape({}));
    main = b.AddOp(Spec(OpKind::kFunction));
    b.AddBlockArgument(main, x);
    loop = b.AddOp(Spec(OpKind::kWhile, main), {x}, {y});
    b.AddBlockArgument(loop, cond);
    b.AddBlockArgument(loop, body);
    b.AddOp(Spec(OpKind::kPlain, loop), {}, {yes});
    b.AddOp(Spec(OpKind::kTerminator, loop), {yes});
    twice = b.AddOp(Spec(OpKind::kPlain, loop), {body, body}, {z});
    b.AddOp(Spec(OpKind::kTerminator, loop), {z});
    edge_op = b.AddOp(Spec(OpKind::kDataFlowEdge, main), {y}, {edge});
    back = b.AddOp(Spec(OpKind::kReturn, main), {edge, x});
    spec.owner = y;
    spec.result = edge;
    spec.sources = {x, z};
    spec.other_targets = {cond, body};
  }
  ProgramBuilder b;
  ValueId x, y, cond, body, z, edge, yes;
  OpId main, loop, twice, edge_op, back;
  EdgeSpec spec;
};

TEST(ProgramBuilderTest, FreezesAProgram) {
  LoopProgram l;
  l.b.AddEdge(l.spec);
  l.b.AddOutput({l.edge, kNoSharding});
  const absl::StatusOr<Program> p = std::move(l.b).Build();
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(p->end_of(l.main), p->num_ops());
  EXPECT_EQ(p->end_of(l.loop), l.edge_op);
  EXPECT_EQ(p->def(l.z), l.twice);
  EXPECT_EQ(p->def(l.body), l.loop);
  EXPECT_TRUE(p->is_block_argument(l.body));
  EXPECT_EQ(p->sharding_owner(l.y), l.edge);
  EXPECT_EQ(p->sharding_owner(l.cond), l.edge);
  EXPECT_EQ(p->sharding_owner(l.body), l.edge);
  EXPECT_EQ(p->sharding_owner(l.x), l.x);
  EXPECT_EQ(p->edge(l.edge_op), 0);
  EXPECT_EQ(p->rank(l.x), 2);
}

TEST(ProgramBuilderTest, DefaultUsesAreLatestFirst) {
  LoopProgram l;
  l.b.AddEdge(l.spec);
  const absl::StatusOr<Program> p = std::move(l.b).Build();
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->uses(l.x), ElementsAre(Use{l.back, 1}, Use{l.loop, 0}));
  EXPECT_THAT(p->uses(l.body), ElementsAre(Use{l.twice, 1}, Use{l.twice, 0}));
}

TEST(ProgramBuilderTest, AnOpIsCreatedAfterItsRegions) {
  ProgramBuilder b;
  const ShapeId shape = b.AddShape({4});
  const ValueId x = b.AddValue(shape), y = b.AddValue(shape), z = b.AddValue(shape);
  const OpId main = b.AddOp(Spec(OpKind::kFunction));
  b.AddBlockArgument(main, x);
  const OpId outer = b.AddOp(Spec(OpKind::kRegion, main), {x}, {y});
  const OpId inner = b.AddOp(Spec(OpKind::kPlain, outer), {x}, {z});
  const absl::StatusOr<Program> p = std::move(b).Build();
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->uses(x), ElementsAre(Use{outer, 0}, Use{inner, 0}));
}

TEST(ProgramBuilderTest, UseListsThatAreGivenStay) {
  LoopProgram l;
  l.b.AddEdge(l.spec);
  l.b.SetUses(l.x, {{l.loop, 0}, {l.back, 1}});
  const absl::StatusOr<Program> p = std::move(l.b).Build();
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_THAT(p->uses(l.x), ElementsAre(Use{l.loop, 0}, Use{l.back, 1}));
  EXPECT_THAT(p->uses(l.body), ElementsAre(Use{l.twice, 1}, Use{l.twice, 0}));
}

TEST(ProgramBuilderTest, Faults) {
  struct Case {
    std::function<void(LoopProgram&)> damage;
    std::string message;
  };
  const Case cases[] = {
      {[](LoopProgram& l) { l.b.AddValue(kNoShape); }, "value 7 is not defined"},
      {[](LoopProgram& l) { l.b.AddValue(17); }, "value 7 has an unknown shape"},
      {[](LoopProgram& l) { l.b.AddBlockArgument(l.main, l.z); }, "value 4 is defined twice"},
      {[](LoopProgram& l) { l.b.AddOp(Spec(OpKind::kPlain, l.main), {99}); },
       "op 8 has an unknown operand"},
      {[](LoopProgram& l) { l.b.AddOp(Spec(OpKind::kPlain, l.loop)); },
       "op 8 is not enclosed by its parent"},
      {[](LoopProgram& l) { l.b.AddOp(Spec(OpKind::kTerminator)); },
       "op 8 ends the region of no op"},
      {[](LoopProgram& l) { l.b.AddOp(Spec(OpKind::kDataFlowEdge, l.main)); },
       "op 8 is an edge of which nothing is known"},
      {[](LoopProgram& l) {
         l.b.SetUses(l.x, {{l.back, 1}});
       },
       "value 0 has a use list of the wrong length"},
      {[](LoopProgram& l) {
         l.b.SetUses(l.x, {{l.back, 1}, {l.back, 1}});
       },
       "value 0 lists a use twice"},
      {[](LoopProgram& l) {
         l.b.SetUses(l.x, {{l.back, 1}, {l.back, 0}});
       },
       "value 0 has a use list with an op that does not use it"},
      {[](LoopProgram& l) {
         l.spec.owner = l.x;
         l.b.AddEdge(l.spec);
       },
       "edge 1 is not defined by an edge op on its owner"},
      {[](LoopProgram& l) {
         l.b.AddGroup({l.x});
         l.b.AddGroup({l.z, l.x});
       },
       "value 0 is in two groups"},
  };
  for (const Case& c : cases) {
    LoopProgram l;
    l.b.AddEdge(l.spec);
    c.damage(l);
    const absl::StatusOr<Program> p = std::move(l.b).Build();
    ASSERT_FALSE(p.ok()) << c.message;
    EXPECT_EQ(p.status().message(), c.message);
  }
}

}  // namespace
}  // namespace tessera::sharding::propagation
