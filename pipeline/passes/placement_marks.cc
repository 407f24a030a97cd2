#include <string>

#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/pipeline/passes/replacements.h"

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

void Remove(hlo::Module& module, hlo::InstructionId mark, Replacements* replaced) {
  const hlo::InstructionId operand = replaced->Of(module.operands(mark)[0]);
  const auto sharding = module.FindAttribute(mark, AttributeName::kSharding);
  if (sharding.has_value() && !module.HasAttribute(operand, AttributeName::kSharding)) {
    module.SetAttribute(operand, AttributeName::kSharding, std::string(*sharding));
  }
  replaced->AddRemoved(mark, operand);
}

}  // namespace

bool RemovePlacementMarks(hlo::Builder* builder) {
  hlo::Module& module = builder->module();
  bool changed = false;
  Replacements replaced;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (hlo::InstructionId id : module.computation(c).instructions) {
      if (IsPlacementMark(module, id)) Remove(module, id, &replaced);
    }
    changed |= !replaced.empty();
    replaced.Apply(&module, c);
  }
  return changed;
}

}  // namespace tessera::pipeline::passes
