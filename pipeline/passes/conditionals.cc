#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/pipeline/passes/replacements.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using layout::Shape;

bool IsTuple(const hlo::Module& module, InstructionId id) { return module.shape(id).is_tuple(); }

// The parameter becomes a tuple of what it was; one element takes over its uses.
bool PackParameter(hlo::Builder* builder, ComputationId branch) {
  hlo::Module& module = builder->module();
  const InstructionId parameter = module.computation(branch).parameters[0];
  if (IsTuple(module, parameter)) return false;
  module.SetShape(parameter, Shape::Tuple({module.shape(parameter)}));
  const std::string name(module.instruction(parameter).name);
  const InstructionId element = builder->AddGetTupleElement(branch, name, parameter, 0);
  builder->ReplaceUsesExcept(parameter, element, {element});
  return true;
}

bool PackRoot(hlo::Builder* builder, ComputationId branch) {
  hlo::Module& module = builder->module();
  const InstructionId root = module.computation(branch).root;
  if (IsTuple(module, root)) return false;
  module.SetRoot(branch, builder->AddTuple(branch, "tuple", {root}));
  return true;
}

bool PackOperands(hlo::Builder* builder, InstructionId id) {
  hlo::Module& module = builder->module();
  const std::vector<InstructionId> operands(module.operands(id).begin(), module.operands(id).end());
  bool changed = false;
  for (size_t i = 1; i < operands.size(); ++i) {
    if (IsTuple(module, operands[i])) continue;
    const ComputationId c = module.instruction(id).computation;
    module.SetOperand(id, i, builder->AddTuple(c, "tuple", {operands[i]}));
    changed = true;
  }
  return changed;
}

bool PackResult(hlo::Builder* builder, InstructionId id, Replacements* replaced) {
  hlo::Module& module = builder->module();
  if (IsTuple(module, id)) return false;
  const ComputationId c = module.instruction(id).computation;
  const std::string name(module.instruction(id).name);
  const std::vector<InstructionId> operands(module.operands(id).begin(), module.operands(id).end());
  const InstructionId packed =
      builder->CloneInstruction(id, c, operands, absl::StrCat(name, ".clone"));
  module.SetShape(packed, Shape::Tuple({module.shape(id)}));
  const InstructionId element = builder->AddGetTupleElement(c, name, packed, 0);
  replaced->AddRemoved(id, element);
  return true;
}

bool Canonicalize(hlo::Builder* builder, InstructionId id, Replacements* replaced) {
  const hlo::Module& module = builder->module();
  bool changed = false;
  const std::vector<ComputationId> branches(module.called(id).begin(), module.called(id).end());
  for (ComputationId branch : branches) {
    changed |= PackParameter(builder, branch);
    changed |= PackRoot(builder, branch);
  }
  changed |= PackOperands(builder, id);
  return PackResult(builder, id, replaced) || changed;
}

}  // namespace

bool IsLooseConditional(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kConditional) return false;
  if (!IsTuple(module, id)) return true;
  for (ComputationId branch : module.called(id)) {
    if (!IsTuple(module, module.computation(branch).parameters[0])) return true;
  }
  return false;
}

bool CanonicalizeConditionals(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  bool changed = false;
  Replacements replaced;
  for (ComputationId c : hlo::ComputationPostOrder(module)) {
    for (InstructionId id : hlo::PostOrder(module, c)) {
      if (module.instruction(id).opcode != hlo::Opcode::kConditional) continue;
      changed |= Canonicalize(builder, id, &replaced);
    }
    replaced.Apply(&module, c);
  }
  return changed;
}

}  // namespace tessera::pipeline::passes
