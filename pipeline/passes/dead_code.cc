#include "tessera/pipeline/passes/dead_code.h"

#include <algorithm>
#include <vector>

#include "tessera/hlo/side_effects.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::Opcode;

class Remover {
 public:
  explicit Remover(hlo::Module* module)
      : module_(*module),
        effects_(*module),
        uses_(module->num_instructions(), 0),
        dead_(module->num_instructions(), false) {}

  void Run(hlo::ComputationId c) {
    auto& ids = module_.mutable_computation(c).instructions;
    CountUses(module_.computation(c));
    for (hlo::InstructionId id : ids) Visit(id);
    while (!work_.empty()) {
      const hlo::InstructionId id = work_.back();
      work_.pop_back();
      dead_[id] = true;
      for (hlo::InstructionId operand : module_.operands(id)) DropUse(operand);
      for (hlo::InstructionId before : module_.control_predecessors(id)) DropUse(before);
    }
    const auto is_dead = [&](hlo::InstructionId id) { return dead_[id]; };
    ids.erase(std::remove_if(ids.begin(), ids.end(), is_dead), ids.end());
  }

 private:
  // Users of each instruction: operands, control predecessors and roots count.
  void CountUses(const hlo::Computation& computation) {
    for (hlo::InstructionId id : computation.instructions) {
      for (hlo::InstructionId operand : module_.operands(id)) ++uses_[operand];
      for (hlo::InstructionId before : module_.control_predecessors(id)) ++uses_[before];
    }
    ++uses_[computation.root];
  }
  void DropUse(hlo::InstructionId id) {
    if (--uses_[id] == 0) Visit(id);
  }
  void Visit(hlo::InstructionId id) {
    const bool stays =
        uses_[id] > 0 || module_.instruction(id).opcode == Opcode::kParameter || effects_.Of(id);
    if (!stays) work_.push_back(id);
  }

  hlo::Module& module_;
  hlo::SideEffects effects_;
  std::vector<int> uses_;  // of all computations: no instruction is in two
  std::vector<bool> dead_;
  std::vector<hlo::InstructionId> work_;
};

}  // namespace

void RemoveDeadInstructions(hlo::Module* module) {
  Remover remover(module);
  for (hlo::ComputationId c = 0; c < module->num_computations(); ++c) {
    if (!module->computation(c).removed) remover.Run(c);
  }
}

}  // namespace tessera::pipeline::passes
