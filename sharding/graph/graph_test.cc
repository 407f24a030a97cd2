#include "tessera/sharding/graph/graph.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/queries/walk.h"
#include "tessera/sharding/graph/sharding_access.h"

namespace tessera::sharding::graph {
namespace {

using layout::ElementType;
using layout::Shape;

class GraphTest : public testing::Test {
 protected:
  GraphTest() : graph_(&module_), f_(graph_.AddFunction("f", hlo::kNoId)) {}

  Value* Arg() { return graph_.AddArg(f_->body, &shape_); }
  Op* Add(std::vector<Value*> operands, int results = 1, OpKind kind = OpKind::kHlo) {
    OpHead head;
    head.kind = kind;
    const std::vector<const Shape*> shapes(static_cast<size_t>(results), &shape_);
    Op* op = graph_.AddOp(head, operands, shapes, InsertPoint::AtEnd(f_->body));
    op->number = next_++;
    return op;
  }
  // The uses in order, as "op.operand op.operand".
  static std::string Uses(const Value* value) {
    std::string text;
    for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
      absl::StrAppend(&text, text.empty() ? "" : " ", use->user()->number, ".", use->number());
    }
    return text;
  }

  const Shape shape_ = Shape::Array(ElementType::kF32, {8});
  hlo::Module module_;
  Graph graph_;
  Function* f_;
  int next_ = 0;
};

TEST_F(GraphTest, LatestUseComesFirst) {
  Value* x = Arg();
  Add({x, x});
  Add({x});
  EXPECT_EQ(Uses(x), "1.0 0.1 0.0");
}

TEST_F(GraphTest, ReplacedUsesArriveReversedInFront) {
  Value* x = Arg();
  Value* y = Arg();
  Add({y});
  Add({x});
  Add({x});
  x->ReplaceAllUsesWith(y);
  EXPECT_EQ(Uses(x), "");
  EXPECT_EQ(Uses(y), "1.0 2.0 0.0");
}

TEST_F(GraphTest, OneUseMovesToTheFront) {
  Value* x = Arg();
  Op* first = Add({x});
  Add({x});
  first->operands[0].Set(x);
  EXPECT_EQ(Uses(x), "0.0 1.0");
}

TEST_F(GraphTest, ErasedOpsLeaveNoUse) {
  Value* x = Arg();
  Op* middle = Add({x});
  Add({x});
  graph_.Erase(middle);
  EXPECT_EQ(Uses(x), "1.0");
  EXPECT_EQ(middle->block, nullptr);
  EXPECT_EQ(middle->result()->Resolve(), nullptr);
}

TEST_F(GraphTest, OperandsBehindADroppedOneAreTakenUpAnew) {
  Value* x = Arg();
  Value* y = Arg();
  Op* op = Add({x, y});
  Add({y});
  graph_.EraseOperands(op, {true, false});
  EXPECT_EQ(op->num_operands(), 1);
  EXPECT_EQ(Uses(x), "");
  EXPECT_EQ(Uses(y), "0.0 1.0");
}

TEST_F(GraphTest, DroppedValuesLeadToTheirHeirs) {
  Value* x = Arg();
  Op* a = Add({x});
  Op* b = Add({a->result()});
  graph_.Replace(b, {a->result()});
  graph_.Replace(a, {x});
  EXPECT_EQ(b->result()->Resolve(), x);
}

TEST_F(GraphTest, ClonesCopyBlocksAndSlots) {
  Value* x = Arg();
  Op* loop = Add({x}, 1, OpKind::kNamedComputation);
  Block* body = graph_.NewBlock(f_, hlo::kNoId);
  graph_.AddBlock(loop, body);
  Value* arg = graph_.AddArg(body, &shape_);
  graph_.AddOp({OpKind::kReturn}, {arg}, {}, InsertPoint::AtEnd(body));
  ValueMap map;
  Op* copy = graph_.Clone(loop, InsertPoint::AtEnd(f_->body), &map);
  ASSERT_EQ(copy->blocks().size(), 1u);
  EXPECT_EQ(copy->blocks()[0]->terminator()->operand(0), copy->blocks()[0]->args[0]);
  EXPECT_EQ(copy->operand(0), x);
  EXPECT_EQ(map.at(arg), copy->blocks()[0]->args[0]);
}

TEST_F(GraphTest, FirstWriteOpensTheOtherResults) {
  const MeshId mesh = *graph_.meshes().Add("mesh", *Mesh::Create({{"a", 2}}));
  Op* op = Add({}, 2);
  const ShardingId closed = graph_.shardings().Intern(TensorSharding::FullyClosed(mesh, 1));
  WriteSharding(graph_, op->result(1), closed);
  EXPECT_EQ(op->result(1)->sharding(), closed);
  ASSERT_TRUE(op->result(0)->has_sharding());
  EXPECT_TRUE(graph_.Find(op->result(0))->IsFullyOpen());
}

TEST_F(GraphTest, AnEdgeIsTheHomeOfItsTargets) {
  Op* barrier = Add({Arg()}, 1, OpKind::kOptBarrier);
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), barrier->result());
  Op* edge = Add({barrier->result()}, 1, OpKind::kDataFlowEdge);
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), edge->result());
  Add({barrier->result()});
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), barrier->result());
}

}  // namespace
}  // namespace tessera::sharding::graph
