#include "tessera/pipeline/passes/dead_code.h"

#include <algorithm>
#include <vector>

#include "tessera/hlo/side_effects.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::HasSideEffect;
using hlo::Opcode;

// Users of each instruction: operands, control predecessors and roots count.
std::vector<int> CountUses(const hlo::Module& module, const hlo::Computation& computation) {
  std::vector<int> uses(module.num_instructions(), 0);
  for (hlo::InstructionId id : computation.instructions) {
    for (hlo::InstructionId operand : module.operands(id)) ++uses[operand];
    for (hlo::InstructionId before : module.control_predecessors(id)) ++uses[before];
  }
  ++uses[computation.root];
  return uses;
}

void RemoveDead(hlo::Module* module, hlo::ComputationId c) {
  std::vector<int> uses = CountUses(*module, module->computation(c));
  std::vector<hlo::InstructionId> work;
  const auto visit = [&](hlo::InstructionId id) {
    const bool stays = uses[id] > 0 || module->instruction(id).opcode == Opcode::kParameter ||
                       HasSideEffect(*module, id);
    if (!stays) work.push_back(id);
  };
  for (hlo::InstructionId id : module->computation(c).instructions) visit(id);
  std::vector<bool> dead(module->num_instructions(), false);
  while (!work.empty()) {
    const hlo::InstructionId id = work.back();
    work.pop_back();
    dead[id] = true;
    for (hlo::InstructionId operand : module->operands(id)) {
      if (--uses[operand] == 0) visit(operand);
    }
    for (hlo::InstructionId before : module->control_predecessors(id)) {
      if (--uses[before] == 0) visit(before);
    }
  }
  auto& ids = module->mutable_computation(c).instructions;
  ids.erase(std::remove_if(ids.begin(), ids.end(), [&](hlo::InstructionId id) { return dead[id]; }),
            ids.end());
}

}  // namespace

void RemoveDeadInstructions(hlo::Module* module) {
  for (hlo::ComputationId c = 0; c < module->num_computations(); ++c) {
    if (!module->computation(c).removed) RemoveDead(module, c);
  }
}

}  // namespace tessera::pipeline::passes
