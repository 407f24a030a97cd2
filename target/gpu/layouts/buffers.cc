#include "tessera/target/gpu/layouts/buffers.h"

#include "tessera/hlo/attributes.h"

namespace tessera::target {

size_t LeavesOf(const layout::Shape& shape) {
  return shape.is_tuple() ? shape.tuple_elements().size() : 1;
}

ArrayBuffers::ArrayBuffers(DeviceProgram& program, absl::Span<const ComputationId> computations)
    : program_(program) {
  for (const ComputationId c : computations) AddComputation(c);
}

void ArrayBuffers::AddComputation(ComputationId c) {
  const std::vector<InstructionId>& order = program_.PostOrder(c);
  for (const InstructionId id : order) {
    if (HandsOn(id) && program_.shape(id).is_array()) after_.try_emplace(id, Of(id));
  }
  for (const InstructionId id : order) {
    if (!HandsOn(id)) AddMade(id);
  }
}

// Its arrays, and those that it reads.
void ArrayBuffers::AddMade(InstructionId id) {
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    const BufferId buffer = {id, static_cast<int64_t>(leaf)};
    if (ShapeOf(buffer).is_array()) all_.push_back(buffer);
  }
  for (size_t k = 0; k < program_.operands(id).size(); ++k) {
    const InstructionId operand = program_.operand(id, k);
    if (program_.shape(operand).is_array()) uses_[Of(operand)].emplace_back(id, k);
  }
}

// It hands on its operands, or a part of one.
bool ArrayBuffers::HandsOn(InstructionId id) const {
  const layout::Shape& shape = program_.shape(id);
  switch (program_.opcode(id)) {
    case Opcode::kTuple:
    case Opcode::kOptBarrier:
      return true;
    case Opcode::kGetTupleElement:
      return !shape.is_tuple();
    case Opcode::kBitcast:
      return shape.dims() == program_.shape(program_.operand(id, 0)).dims();
    default:
      return false;
  }
}

BufferId ArrayBuffers::Of(InstructionId id, int64_t leaf) const {
  while (HandsOn(id)) {
    if (const auto found = after_.find(id); found != after_.end()) return found->second;
    const Opcode opcode = program_.opcode(id);
    if (opcode == Opcode::kGetTupleElement) leaf = hlo::GetTupleIndex(program_.module(), id);
    const bool is_tuple = opcode == Opcode::kTuple;
    const InstructionId operand = program_.operand(id, is_tuple ? static_cast<size_t>(leaf) : 0);
    if (is_tuple && program_.shape(operand).is_tuple()) return {id, leaf};
    id = operand;
    if (is_tuple) leaf = 0;
  }
  return {id, leaf};
}

const layout::Shape& ArrayBuffers::ShapeOf(const BufferId& buffer) const {
  const layout::Shape& shape = program_.shape(buffer.first);
  return shape.is_tuple() ? shape.tuple_elements()[static_cast<size_t>(buffer.second)] : shape;
}

const std::vector<OperandId>& ArrayBuffers::UsesOf(const BufferId& buffer) const {
  const auto found = uses_.find(buffer);
  return found == uses_.end() ? none_ : found->second;
}

}  // namespace tessera::target
