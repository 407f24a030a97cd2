#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/pipeline/passes/dead_code.h"
#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

bool IsZeroSized(const hlo::Module& module, InstructionId id) {
  const layout::Shape& shape = module.shape(id);
  return shape.is_array() && !shape.has_dynamic_dim() && shape.NumElements() == 0;
}

bool HasControlEdges(const hlo::Module& module, hlo::ComputationId c, InstructionId id) {
  if (!module.control_predecessors(id).empty()) return true;
  for (InstructionId other : module.computation(c).instructions) {
    for (InstructionId before : module.control_predecessors(other)) {
      if (before == id) return true;
    }
  }
  return false;
}

bool CountsAsEffect(const hlo::Module& module, InstructionId id) {
  return hlo::HasSideEffect(module, id) &&
         hlo::GetCustomCallTarget(module, id) != "xla.sdy.LocalToGlobalShape";
}

// "{{}, {}}" for [2,0]: nested lists down to the dimension of size 0.
std::string EmptyLiteral(const layout::Shape& shape, int64_t dim) {
  if (dim == shape.rank()) return "";
  std::string text = "{";
  for (int64_t i = 0; i < shape.dim(dim); ++i) {
    if (i > 0) text += ", ";
    text += EmptyLiteral(shape, dim + 1);
  }
  return text + "}";
}

bool Replace(hlo::Builder* builder, hlo::ComputationId c, InstructionId id) {
  hlo::Module& module = builder->module();
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kConstant || !IsZeroSized(module, id)) return false;
  if (CountsAsEffect(module, id) || HasControlEdges(module, c, id)) return false;
  if (opcode == Opcode::kParameter && hlo::FindUsers(module, c)[id].empty()) return false;
  const layout::Shape shape = module.shape(id);
  const std::string name = std::string(module.instruction(id).name);
  const InstructionId constant = builder->AddConstant(c, name, shape, EmptyLiteral(shape, 0));
  builder->ReplaceUses(id, constant);
  return true;
}

}  // namespace

bool RemoveZeroSized(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  bool changed = false;
  for (hlo::ComputationId c : hlo::ComputationPostOrder(module)) {
    for (InstructionId id : hlo::PostOrder(module, c)) changed |= Replace(builder, c, id);
  }
  if (changed) RemoveDeadInstructions(&module);
  return changed;
}

}  // namespace tessera::pipeline::passes
