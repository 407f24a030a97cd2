#include "tessera/sharding/rules/update_computation.h"

#include <optional>
#include <vector>

namespace tessera::sharding::rules {
namespace {

using hlo::Opcode;

// What the instruction does, if it is something that reduces.
std::optional<Opcode> ReducingOpcode(const hlo::Module& module, hlo::InstructionId id) {
  const bool pred = module.shape(id).element_type() == layout::ElementType::kPred;
  switch (const Opcode opcode = module.instruction(id).opcode) {
    case Opcode::kAdd:
      return pred ? Opcode::kOr : Opcode::kAdd;
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return opcode;
    case Opcode::kAnd:
    case Opcode::kOr:
      return pred ? std::optional(opcode) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// The two operands are `a` and `b`, in either order.
bool Reads(const hlo::Module& module, hlo::InstructionId id, hlo::InstructionId a,
           hlo::InstructionId b) {
  const absl::Span<const hlo::InstructionId> operands = module.operands(id);
  if (operands.size() != 2) return false;
  return (operands[0] == a && operands[1] == b) || (operands[0] == b && operands[1] == a);
}

}  // namespace

bool IsReduction(const hlo::Module& module, hlo::ComputationId id) {
  const hlo::Computation& computation = module.computation(id);
  if (computation.root == hlo::kNoId) return false;
  absl::Span<const hlo::InstructionId> roots = absl::MakeConstSpan(&computation.root, 1);
  if (module.instruction(computation.root).opcode == Opcode::kTuple) {
    roots = module.operands(computation.root);
  }
  const size_t n = roots.size();
  const std::vector<hlo::InstructionId>& parameters = computation.parameters;
  if (n == 0 || parameters.size() != 2 * n) return false;
  const std::optional<Opcode> first = ReducingOpcode(module, roots[0]);
  for (size_t k = 0; k < n; ++k) {
    if (!first || ReducingOpcode(module, roots[k]) != first) return false;
    if (!Reads(module, roots[k], parameters[k], parameters[k + n])) return false;
  }
  return true;
}

}  // namespace tessera::sharding::rules
