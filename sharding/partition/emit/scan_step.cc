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
  const hlo::ComputationId called = module_.called(at.node.cause)[0];
  const Shape whole = module_.shape(module_.operands(at.node.cause).back());
  const Shape part = module_.shape(at.operands.back());
  if (whole.dims() == part.dims()) return called;
  BodyWriter body(output_, module_.AddComputation(
                               output_->NewComputationName(module_.computation(called).name)));
  absl::flat_hash_map<Id, Id> made;
  const std::vector<Id> instructions(module_.computation(called).instructions.begin(),
                                     module_.computation(called).instructions.end());
  for (const Id id : instructions) {
    std::vector<Id> operands;
    for (const Id operand : module_.operands(id)) operands.push_back(made[operand]);
    const std::vector<hlo::Attribute> attributes(module_.attributes(id).begin(),
                                                 module_.attributes(id).end());
    const Shape shape = Resized(module_.shape(id), whole, part);
    const hlo::Opcode opcode = module_.instruction(id).opcode;
    made[id] = body.AddNamed(output_->NewName(module_.instruction(id).name), opcode,
                             module_.InternShape(shape), operands, attributes);
    if (opcode == hlo::Opcode::kConstant) {
      module_.SetLiteralText(made[id], module_.LiteralText(id));
    }
  }
  module_.SetRoot(body.computation(), made[module_.computation(called).root]);
  return body.computation();
}

}  // namespace tessera::sharding::partition
