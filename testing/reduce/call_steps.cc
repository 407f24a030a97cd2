#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "tessera/testing/reduce/step.h"

namespace tessera::testing::reduce {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// --- entry: a called computation is the module --------------------------------------------------

// Those with work of their own; what a reduction or a sort calls has none.
bool HasCallees(Opcode opcode) { return hlo::IsControlFlow(opcode) || opcode == Opcode::kFusion; }

std::vector<Candidate> FindCallees(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    if (!HasCallees(module.instruction(id).opcode)) continue;
    for (uint32_t k = 0; k < module.called(id).size(); ++k) {
      const hlo::Computation& callee = module.computation(module.called(id)[k]);
      if (callee.execution_thread == "main") found.push_back({id, k});
    }
  }
  return found;
}

void EnterCallee(hlo::Builder& builder, Candidate c) {
  builder.module().SetEntry(builder.module().called(c.id)[c.part]);
}

// --- inline: a call gives way to what it calls --------------------------------------------------

std::vector<Candidate> FindCalls(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    if (module.instruction(id).opcode == Opcode::kCall) found.push_back({id, 0});
  }
  return found;
}

void InlineCall(hlo::Builder& builder, Candidate c) {
  Module& module = builder.module();
  const hlo::Computation callee = module.computation(module.called(c.id)[0]);
  const hlo::ComputationId caller = module.instruction(c.id).computation;
  absl::flat_hash_map<InstructionId, InstructionId> copies;
  for (InstructionId id : callee.instructions) {
    const hlo::Instruction& i = module.instruction(id);
    if (i.opcode == Opcode::kParameter) {
      copies[id] = module.operands(c.id)[i.parameter_number];
      continue;
    }
    std::vector<InstructionId> operands;
    for (InstructionId operand : module.operands(id)) operands.push_back(copies[operand]);
    copies[id] = builder.CloneInstruction(id, caller, operands, i.name);
  }
  builder.ReplaceUses(c.id, copies[callee.root]);
  module.RemoveInstruction(c.id);
}

// --- pick: an element of a tuple that is put together nearby ------------------------------------

std::vector<Candidate> FindPicks(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    if (module.instruction(id).opcode != Opcode::kGetTupleElement) continue;
    const InstructionId tuple = module.operands(id)[0];
    if (module.instruction(tuple).opcode == Opcode::kTuple) found.push_back({id, 0});
  }
  return found;
}

void Pick(hlo::Builder& builder, Candidate c) {
  const Module& module = builder.module();
  const InstructionId tuple = module.operands(c.id)[0];
  const auto text = module.FindAttribute(c.id, hlo::AttributeName::kIndex);
  uint32_t index = 0;
  if (!text.has_value() || !absl::SimpleAtoi(*text, &index)) return;
  const auto elements = module.operands(tuple);
  if (module.instruction(tuple).opcode != Opcode::kTuple || index >= elements.size()) return;
  builder.ReplaceUses(c.id, elements[index]);
}

}  // namespace

std::vector<Step> CallSteps() {
  return {{"entry", FindCallees, EnterCallee},
          {"inline", FindCalls, InlineCall},
          {"pick", FindPicks, Pick}};
}

}  // namespace tessera::testing::reduce
