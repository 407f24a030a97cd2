#include "tessera/sharding/passes/program/sharding_access.h"

#include <vector>

#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::sharding::passes {
namespace {

using layout::ElementType;
using layout::Shape;

class ShardingAccessTest : public testing::Test {
 protected:
  ShardingAccessTest() : program_(&module_), f_(program_.AddFunction("f", hlo::kNoId)) {}

  Value* Arg() { return program_.AddArg(f_->body, &shape_); }
  Op* Add(std::vector<Value*> operands, int results = 1, OpKind kind = OpKind::kHlo) {
    const std::vector<const Shape*> shapes(static_cast<size_t>(results), &shape_);
    return program_.AddOp({kind}, operands, shapes, InsertPoint::AtEnd(f_->body));
  }

  const Shape shape_ = Shape::Array(ElementType::kF32, {8});
  hlo::Module module_;
  HloProgram program_;
  Function* f_;
};

TEST_F(ShardingAccessTest, FirstWriteOpensTheOtherResults) {
  const MeshId mesh = *program_.meshes().Add("mesh", *Mesh::Create({{"a", 2}}));
  Op* op = Add({}, 2);
  const ShardingId closed = program_.shardings().Intern(TensorSharding::FullyClosed(mesh, 1));
  WriteSharding(program_, op->result(1), closed);
  EXPECT_EQ(op->result(1)->sharding(), closed);
  ASSERT_TRUE(op->result(0)->has_sharding());
  EXPECT_TRUE(program_.Find(op->result(0))->IsFullyOpen());
}

TEST_F(ShardingAccessTest, AnEdgeIsTheHomeOfItsTargets) {
  Op* barrier = Add({Arg()}, 1, OpKind::kOptBarrier);
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), barrier->result());
  Op* edge = Add({barrier->result()}, 1, OpKind::kDataFlowEdge);
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), edge->result());
  Add({barrier->result()});
  EXPECT_EQ(ShardingOwnerOf(barrier->result()), barrier->result());
}

}  // namespace
}  // namespace tessera::sharding::passes
