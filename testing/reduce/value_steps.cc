#include <algorithm>

#include "tessera/testing/reduce/step.h"

namespace tessera::testing::reduce {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

bool IsRoot(const Module& module, InstructionId id) {
  return module.computation(module.instruction(id).computation).root == id;
}

// --- root: the result of the module is an operand of what it was --------------------------------

std::vector<Candidate> FindRootOperands(const Module& module) {
  const InstructionId root = module.entry().root;
  std::vector<Candidate> found;
  for (uint32_t k = 0; k < module.operands(root).size(); ++k) found.push_back({root, k});
  return found;
}

void TakeRootOperand(hlo::Builder& builder, Candidate c) {
  Module& module = builder.module();
  if (module.entry().root != c.id) return;
  module.SetRoot(module.entry_id(), module.operands(c.id)[c.part]);
}

// --- parameter: an instruction of the entry becomes an input ------------------------------------

std::vector<Candidate> FindInner(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : module.entry().instructions) {
    const bool is_input = module.instruction(id).opcode == Opcode::kParameter;
    if (is_input || id == module.entry().root || module.shape(id).is_token()) continue;
    found.push_back({id, 0});
  }
  return found;
}

void ReplaceByParameter(hlo::Builder& builder, Candidate c) {
  Module& module = builder.module();
  const layout::Shape shape = module.shape(c.id);
  const InstructionId parameter = builder.AddParameter(module.entry_id(), "input", shape);
  const auto sharding = module.FindAttribute(c.id, hlo::AttributeName::kSharding);
  if (sharding.has_value()) {
    module.SetAttribute(parameter, hlo::AttributeName::kSharding, *sharding);
  }
  builder.ReplaceUses(c.id, parameter);
}

// --- operand: an instruction gives way to an operand of its own shape ---------------------------

std::vector<Candidate> FindBypasses(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    const auto operands = module.operands(id);
    for (uint32_t k = 0; k < operands.size(); ++k) {
      if (module.shape_id(operands[k]) == module.shape_id(id)) found.push_back({id, k});
    }
  }
  return found;
}

void Bypass(hlo::Builder& builder, Candidate c) {
  builder.ReplaceUses(c.id, builder.module().operands(c.id)[c.part]);
}

// --- zeros: what a called computation makes does not matter -------------------------------------

bool IsZeros(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kConstant) return true;
  return opcode == Opcode::kBroadcast && IsZeros(module, module.operands(id)[0]);
}

std::vector<Candidate> FindCalled(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    const bool is_kept = module.instruction(id).computation == module.entry_id() ||
                         IsZeros(module, id) || module.instruction(id).opcode == Opcode::kParameter;
    if (!is_kept && module.shape(id).is_array()) found.push_back({id, 0});
  }
  return found;
}

void ReplaceByZeros(hlo::Builder& builder, Candidate c) {
  const Module& module = builder.module();
  const layout::Shape shape = module.shape(c.id);
  const InstructionId zeros = AddZeros(builder, module.instruction(c.id).computation, shape);
  if (zeros != hlo::kNoId) builder.ReplaceUses(c.id, zeros);
}

// --- unused: instructions without users that the input has --------------------------------------

std::vector<Candidate> FindUnused(const Module& module) {
  std::vector<bool> is_used(module.num_instructions(), false);
  for (InstructionId id : InstructionsOf(module)) {
    if (IsRoot(module, id)) is_used[id] = true;
    for (InstructionId operand : module.operands(id)) is_used[operand] = true;
    for (InstructionId p : module.control_predecessors(id)) is_used[p] = true;
  }
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    const bool is_input = module.instruction(id).opcode == Opcode::kParameter;
    if (!is_used[id] && !is_input) found.push_back({id, 0});
  }
  return found;
}

void Remove(hlo::Builder& builder, Candidate c) { builder.module().RemoveInstruction(c.id); }

}  // namespace

std::vector<Step> ValueSteps() {
  return {{"unused", FindUnused, Remove},
          {"root", FindRootOperands, TakeRootOperand},
          {"parameter", FindInner, ReplaceByParameter},
          {"operand", FindBypasses, Bypass},
          {"zeros", FindCalled, ReplaceByZeros}};
}

}  // namespace tessera::testing::reduce
