#include "tessera/projection/signatures/passed_on.h"

#include <algorithm>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// Where the arrays of each element begin.
std::vector<int> ElementBegins(const layout::Shape& tuple) {
  std::vector<int> begins;
  int at = 0;
  for (const layout::Shape& element : tuple.tuple_elements()) {
    begins.push_back(at);
    at += static_cast<int>(ArrayLeaves(element).size());
  }
  return begins;
}

}  // namespace

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
  const auto [begins, is_new] = begins_.try_emplace(tuple);
  if (is_new) begins->second = ElementBegins(module_->interned_shape(tuple));
}

ResultArray PassedOn::Behind(InstructionId id, int leaf) const {
  const auto operands = module_->operands(id);
  const Opcode opcode = module_->instruction(id).opcode;
  if (opcode == Opcode::kOptBarrier) return {operands[0], leaf};
  const std::vector<int>& begins = begins_.at(TupleOf(id));
  if (opcode == Opcode::kGetTupleElement) {
    return {operands[0], begins[static_cast<size_t>(hlo::GetTupleIndex(*module_, id))] + leaf};
  }
  // The last element that begins there: those before it have no arrays.
  const auto element = std::upper_bound(begins.begin(), begins.end(), leaf) - begins.begin() - 1;
  return {operands[static_cast<size_t>(element)], leaf - begins[static_cast<size_t>(element)]};
}

}  // namespace tessera::projection
