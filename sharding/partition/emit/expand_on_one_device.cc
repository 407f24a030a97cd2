// An instruction that runs on one device: a conditional whose other branch returns zeros.
//
//   infeed on device 2    // conditional(partition-id == 2, ..): infeed, or zeros and a token
//
// Both branches take a tuple of the operands. XLA: SpmdPartitioningVisitor::HandleInfeed. Linear in
// the arrays of operands and result. Tested by testing/partition/device_run_test.cc.

#include <utility>
#include <vector>

#include "tessera/hlo/opcode.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using layout::Shape;

BodyWriter Expander::NewBody(const Site& at, absl::string_view name) {
  BodyWriter body(output_, module_.AddComputation(output_->NewComputationName(name)));
  body.Begin(at.body.metadata());
  return body;
}

Expander::Id Expander::Parameter(BodyWriter* body, absl::string_view name, const Shape& shape) {
  return body->AddNamed(output_->NewName(name), Opcode::kParameter,
                        module_.InternShape(shape.WithoutLayout()), {}, {});
}

hlo::ComputationId Expander::OwnBranch(const Site& at, const Shape& operands) {
  BodyWriter body = NewBody(at, "true_computation");
  const Id tuple = Parameter(&body, "true_branch_param", operands);
  std::vector<Id> elements;
  for (size_t i = 0; i < at.operands.size(); ++i) {
    elements.push_back(body.Element(tuple, static_cast<int64_t>(i)));
  }
  const Site inside = {at.id, at.node, elements, body};
  module_.SetRoot(body.computation(), Written(inside, elements, {}));
  return body.computation();
}

hlo::ComputationId Expander::ZeroBranch(const Site& at, const Shape& operands) {
  BodyWriter body = NewBody(at, "false_computation");
  Parameter(&body, "false_branch_param", operands);
  module_.SetRoot(body.computation(), body.ZeroOf(at.node.shape->WithoutLayout()));
  return body.computation();
}

absl::StatusOr<Expander::Id> Expander::Of(const Site& at, const recipe::OnOneDevice& one) {
  std::vector<Shape> shapes;
  for (Id operand : at.operands) shapes.push_back(at.body.shape(operand));
  const Shape operands = Shape::Tuple(std::move(shapes));
  const Id is_it = at.body.IsDevice(one.device);
  const Id tuple = at.body.Add(Opcode::kTuple, operands, at.operands);
  const hlo::ComputationId own = OwnBranch(at, operands), zero = ZeroBranch(at, operands);
  const Id id = at.body.Add(Opcode::kConditional, ShapeOf(at.node), {is_it, tuple, tuple});
  module_.SetCalled(id, {own, zero});
  return id;
}

}  // namespace tessera::sharding::partition
