#include "tessera/projection/signatures/passed_on.h"

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {

using hlo::InstructionId;
using hlo::Opcode;

bool PassedOn::Is(InstructionId id) const {
  const Opcode opcode = module_->instruction(id).opcode;
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
         opcode == Opcode::kOptBarrier;
}

// The tuple that is made or taken apart.
hlo::ShapeId PassedOn::TupleOf(InstructionId id) const {
  const bool takes = module_->instruction(id).opcode == Opcode::kGetTupleElement;
  return module_->shape_id(takes ? module_->operands(id)[0] : id);
}

void PassedOn::Read(InstructionId id) {
  if (module_->instruction(id).opcode == Opcode::kOptBarrier) return;
  const hlo::ShapeId tuple = TupleOf(id);
  const auto [starts, is_new] = starts_.try_emplace(tuple);
  if (is_new) starts->second = ArrayStarts(module_->interned_shape(tuple));
}

ResultArray PassedOn::OperandArray(InstructionId id, int leaf) const {
  const auto operands = module_->operands(id);
  const Opcode opcode = module_->instruction(id).opcode;
  if (opcode == Opcode::kOptBarrier) return {operands[0], leaf};
  const std::vector<int>& starts = starts_.at(TupleOf(id));
  if (opcode == Opcode::kGetTupleElement) {
    return {operands[0], starts[static_cast<size_t>(hlo::GetTupleIndex(*module_, id))] + leaf};
  }
  // The last element that begins there: those before it have no arrays.
  const auto element = std::upper_bound(starts.begin(), starts.end(), leaf) - starts.begin() - 1;
  return {operands[static_cast<size_t>(element)], leaf - starts[static_cast<size_t>(element)]};
}

}  // namespace tessera::projection
