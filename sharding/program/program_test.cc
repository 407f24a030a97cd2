#include "tessera/sharding/program/program.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::program {
namespace {

using layout::ElementType;
using layout::Shape;

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() : f_(program_.AddFunction("f", kNoOrigin)) {}

  Value* Arg() { return program_.AddArg(f_->body, &shape_); }
  Op* Add(std::vector<Value*> operands, int results = 1, OpKind kind = OpKind::kHlo) {
    OpHead head;
    head.kind = kind;
    const std::vector<const Shape*> shapes(static_cast<size_t>(results), &shape_);
    Op* op = program_.AddOp(head, operands, shapes, InsertPoint::AtEnd(f_->body));
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
  Program program_;
  Function* f_;
  int next_ = 0;
};

TEST_F(ProgramTest, LatestUseComesFirst) {
  Value* x = Arg();
  Add({x, x});
  Add({x});
  EXPECT_EQ(Uses(x), "1.0 0.1 0.0");
}

TEST_F(ProgramTest, ReplacedUsesArriveReversedInFront) {
  Value* x = Arg();
  Value* y = Arg();
  Add({y});
  Add({x});
  Add({x});
  x->ReplaceAllUsesWith(y);
  EXPECT_EQ(Uses(x), "");
  EXPECT_EQ(Uses(y), "1.0 2.0 0.0");
}

TEST_F(ProgramTest, OneUseMovesToTheFront) {
  Value* x = Arg();
  Op* first = Add({x});
  Add({x});
  first->operands[0].Set(x);
  EXPECT_EQ(Uses(x), "0.0 1.0");
}

TEST_F(ProgramTest, ErasedOpsLeaveNoUse) {
  Value* x = Arg();
  Op* middle = Add({x});
  Add({x});
  program_.Erase(middle);
  EXPECT_EQ(Uses(x), "1.0");
  EXPECT_EQ(middle->block, nullptr);
  EXPECT_EQ(middle->result()->Resolve(), nullptr);
}

TEST_F(ProgramTest, OperandsAfterADroppedOneAreTakenUpAnew) {
  Value* x = Arg();
  Value* y = Arg();
  Op* op = Add({x, y});
  Add({y});
  program_.EraseOperands(op, {true, false});
  EXPECT_EQ(op->num_operands(), 1);
  EXPECT_EQ(Uses(x), "");
  EXPECT_EQ(Uses(y), "0.0 1.0");
}

TEST_F(ProgramTest, DroppedValuesLeadToTheirHeirs) {
  Value* x = Arg();
  Op* a = Add({x});
  Op* b = Add({a->result()});
  program_.Replace(b, {a->result()});
  program_.Replace(a, {x});
  EXPECT_EQ(b->result()->Resolve(), x);
}

TEST_F(ProgramTest, ClonesCopyBlocksAndSlots) {
  Value* x = Arg();
  Op* loop = Add({x}, 1, OpKind::kNamedComputation);
  Block* body = program_.NewBlock(f_, kNoOrigin);
  program_.AddBlock(loop, body);
  Value* arg = program_.AddArg(body, &shape_);
  program_.AddOp({OpKind::kReturn}, {arg}, {}, InsertPoint::AtEnd(body));
  ValueMap map;
  Op* copy = program_.Clone(loop, InsertPoint::AtEnd(f_->body), &map);
  ASSERT_EQ(copy->blocks().size(), 1u);
  EXPECT_EQ(copy->blocks()[0]->terminator()->operand(0), copy->blocks()[0]->args[0]);
  EXPECT_EQ(copy->operand(0), x);
  EXPECT_EQ(map.at(arg), copy->blocks()[0]->args[0]);
}

}  // namespace
}  // namespace tessera::sharding::program
