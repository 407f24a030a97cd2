#include "tessera/target/gpu/layouts/buffers.h"

#include "tessera/hlo/attributes.h"

namespace tessera::target {

bool HandsOn(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
         opcode == Opcode::kOptBarrier || opcode == Opcode::kBitcast;
}

size_t LeavesOf(const layout::Shape& shape) {
  return shape.is_tuple() ? shape.tuple_elements().size() : 1;
}

ArrayBuffers::ArrayBuffers(const DeviceProgram& program, ComputationId c) : program_(program) {
  for (const InstructionId id : program.module().computation(c).instructions) {
    if (program.IsRemoved(id) || HandsOn(program.opcode(id))) continue;
    for (int64_t leaf = 0; leaf < static_cast<int64_t>(LeavesOf(program.shape(id))); ++leaf) {
      if (ShapeOf({id, leaf}).is_array()) all_.emplace_back(id, leaf);
    }
    for (size_t k = 0; k < program.operands(id).size(); ++k) {
      const InstructionId operand = program.operand(id, k);
      if (program.shape(operand).is_array()) uses_[Of(operand)].emplace_back(id, k);
    }
  }
}

BufferId ArrayBuffers::Of(InstructionId id, int64_t leaf) const {
  while (true) {
    switch (program_.opcode(id)) {
      case Opcode::kTuple:
        id = program_.operand(id, static_cast<size_t>(leaf));
        leaf = 0;
        break;
      case Opcode::kGetTupleElement:
        leaf = hlo::GetTupleIndex(program_.module(), id);
        id = program_.operand(id, 0);
        break;
      case Opcode::kOptBarrier:
      case Opcode::kBitcast:
        id = program_.operand(id, 0);
        break;
      default:
        return {id, leaf};
    }
  }
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
