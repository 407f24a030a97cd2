// The computation that a scan calls, on shards: its arrays have the shape of a carry, and those of
// the per-device module are smaller.
//
//   step { a = f32[16,32] .. }, carries of f32[8,8]  ->  step.1 { a = f32[8,8] .. }
//
// XLA clones it for each scan that it partitions.

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {
namespace {

using layout::Shape;

Shape Resized(const Shape& shape, const Shape& whole, const Shape& part) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_elements()) {
      elements.push_back(Resized(element, whole, part));
    }
    return Shape::Tuple(std::move(elements));
  }
  const bool is_carry = shape.is_array() && shape.dims() == whole.dims();
  return is_carry ? Shape::Array(shape.element_type(), part.dims(), std::nullopt) : shape;
}

}  // namespace

hlo::ComputationId Expander::StepOf(const Site& at) {
  const hlo::ComputationId called = input_.called(at.node.cause)[0];
  const Shape whole = input_.shape(input_.operands(at.node.cause).back());
  const Shape part = module_.shape(at.operands.back());
  if (whole.dims() == part.dims()) return output_->kept->Of(called);
  BodyWriter body(output_, module_.AddComputation(
                               output_->NewComputationName(input_.computation(called).name)));
  absl::flat_hash_map<Id, Id> made;
  for (const Id id : input_.computation(called).instructions) {
    std::vector<Id> operands;
    for (const Id operand : input_.operands(id)) operands.push_back(made[operand]);
    const Shape shape = Resized(input_.shape(id), whole, part);
    const hlo::Opcode opcode = input_.instruction(id).opcode;
    made[id] =
        body.AddNamed(output_->NewName(input_.instruction(id).name), opcode,
                      module_.InternShape(shape), operands, HeldAttributes(input_, id, &module_));
    if (opcode == hlo::Opcode::kConstant) {
      module_.SetLiteralText(made[id], input_.LiteralText(id));
    }
  }
  module_.SetRoot(body.computation(), made[input_.computation(called).root]);
  return body.computation();
}

}  // namespace tessera::sharding::partition
