#include <string>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/passes/passes.h"

namespace tessera::pipeline::passes {

using hlo::AttributeName;

bool IsPlacementMark(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) return false;
  if (module.operands(id).size() != 1) return false;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  return target == "annotate_device_placement" || target == "MoveToHost" ||
         target == "MoveToDevice";
}

namespace {

void Remove(hlo::Builder* builder, hlo::InstructionId mark) {
  hlo::Module& module = builder->module();
  const hlo::InstructionId operand = module.operands(mark)[0];
  const auto sharding = module.FindAttribute(mark, AttributeName::kSharding);
  if (sharding.has_value() && !module.HasAttribute(operand, AttributeName::kSharding)) {
    module.SetAttribute(operand, AttributeName::kSharding, std::string(*sharding));
  }
  builder->ReplaceUses(mark, operand);
  module.RemoveInstruction(mark);
}

}  // namespace

bool RemovePlacementMarks(hlo::Builder* builder) {
  const hlo::Module& module = builder->module();
  bool changed = false;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    const std::vector<hlo::InstructionId> ids = module.computation(c).instructions;
    for (hlo::InstructionId id : ids) {
      if (module.computation(c).removed || !IsPlacementMark(module, id)) continue;
      Remove(builder, id);
      changed = true;
    }
  }
  return changed;
}

}  // namespace tessera::pipeline::passes
