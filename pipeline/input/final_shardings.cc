#include "tessera/pipeline/input/final_shardings.h"

#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline {
namespace {

bool IsForPropagation(const hlo::Module& module, hlo::InstructionId id) {
  const auto text = module.FindAttribute(id, hlo::AttributeName::kFrontendAttributes);
  if (text.has_value() && absl::StrContains(*text, "xla.sdy.")) return true;
  if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) return false;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  return target == "Sharding" || absl::StartsWith(target, "xla.sdy.");
}

// JAX and XLA put shardings on such instructions before propagation, too.
bool MayHaveBefore(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kParameter:
    case hlo::Opcode::kConstant:
    case hlo::Opcode::kTuple:
    case hlo::Opcode::kGetTupleElement:
    case hlo::Opcode::kCustomCall:
    case hlo::Opcode::kReshape:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool HasFinalShardings(const hlo::Module& module) {
  const auto& attributes = module.header().frontend_attributes;
  if (absl::c_any_of(attributes, [](const auto& attribute) {
        return absl::StartsWith(attribute.first, "xla.sdy.");
      })) {
    return false;
  }
  bool is_propagated = false;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (IsForPropagation(module, id)) return false;
    is_propagated |= module.HasAttribute(id, hlo::AttributeName::kSharding) &&
                     !MayHaveBefore(module.instruction(id).opcode);
  }
  return is_propagated;
}

}  // namespace tessera::pipeline
