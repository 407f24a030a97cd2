#include "tessera/pipeline/passes/replacements.h"

#include <algorithm>
#include <vector>

namespace tessera::pipeline::passes {

using hlo::InstructionId;

// Passes go from operands to users and ask for what they replace by, so that chains are short.
InstructionId Replacements::Of(InstructionId id) const {
  for (auto replacement = replacements_.find(id); replacement != replacements_.end();
       replacement = replacements_.find(id)) {
    id = replacement->second;
  }
  return id;
}

void Replacements::Rewrite(hlo::Module* module, InstructionId user) const {
  const auto is_replaced = [&](InstructionId id) { return replacements_.contains(id); };
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
  if (replacements_.empty()) return;
  hlo::Computation& computation = module->mutable_computation(c);
  auto& list = computation.instructions;
  const auto is_removed = [&](InstructionId id) { return removed_.contains(id); };
  list.erase(std::remove_if(list.begin(), list.end(), is_removed), list.end());
  for (InstructionId user : list) Rewrite(module, user);
  if (replacements_.contains(computation.root)) module->SetRoot(c, Of(computation.root));
  replacements_.clear();
  removed_.clear();
}

}  // namespace tessera::pipeline::passes
