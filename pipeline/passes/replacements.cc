#include "tessera/pipeline/passes/replacements.h"

#include <algorithm>
#include <vector>

namespace tessera::pipeline::passes {

using hlo::InstructionId;

// Passes go from operands to users and ask for what they replace by, so that chains are short.
InstructionId Replacements::Of(InstructionId id) const {
  for (auto heir = heirs_.find(id); heir != heirs_.end(); heir = heirs_.find(id)) {
    id = heir->second;
  }
  return id;
}

void Replacements::Rewrite(hlo::Module* module, InstructionId user) const {
  const auto is_replaced = [&](InstructionId id) { return heirs_.contains(id); };
  for (size_t i = 0; i < module->operands(user).size(); ++i) {
    const InstructionId operand = module->operands(user)[i];
    if (is_replaced(operand)) module->SetOperand(user, i, Of(operand));
  }
  const auto before = module->control_predecessors(user);
  if (std::none_of(before.begin(), before.end(), is_replaced)) return;
  std::vector<InstructionId> changed(before.begin(), before.end());
  for (InstructionId& id : changed) id = Of(id);
  module->SetControlPredecessors(user, changed);
}

void Replacements::Apply(hlo::Module* module, hlo::ComputationId c) {
  if (heirs_.empty()) return;
  hlo::Computation& computation = module->mutable_computation(c);
  auto& list = computation.instructions;
  const auto is_removed = [&](InstructionId id) { return removed_.contains(id); };
  list.erase(std::remove_if(list.begin(), list.end(), is_removed), list.end());
  for (InstructionId user : list) Rewrite(module, user);
  if (heirs_.contains(computation.root)) module->SetRoot(c, Of(computation.root));
  heirs_.clear();
  removed_.clear();
}

}  // namespace tessera::pipeline::passes
