#include "tessera/pipeline/writers/custom_calls.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"

namespace tessera::pipeline::writers {
namespace {

constexpr std::pair<absl::string_view, CallKind> kTargets[] = {
    {"Sharding", CallKind::kConstraint},
    {"xla.sdy.FuncResultSharding", CallKind::kConsumed},
    {"xla.sdy.PropagationBarrier", CallKind::kConsumed},
    {"xla.sdy.ShardingGroup", CallKind::kConsumed},
    {"xla.sdy.GlobalToLocalShape", CallKind::kIntoManual},
    {"xla.sdy.LocalToGlobalShape", CallKind::kOutOfManual},
};

}  // namespace

CallKind CustomCallKind(const hlo::Module& module, hlo::InstructionId id) {
  if (module.operands(id).empty()) return CallKind::kOther;  // nothing that it could hand on
  const std::string target = hlo::GetCustomCallTarget(module, id);
  for (const auto& [name, kind] : kTargets) {
    if (target != name) continue;
    return IsBoundary(kind) && module.shape(id).is_token() ? CallKind::kConsumed : kind;
  }
  return CallKind::kOther;
}

bool IsConstrainedScalar(const hlo::Module& module, hlo::InstructionId id) {
  if (CallKindOf(module, id) == CallKind::kConstraint) return true;
  const hlo::Instruction& i = module.instruction(id);
  if (i.opcode == hlo::Opcode::kParameter || module.shape(id).is_tuple()) return false;
  for (hlo::InstructionId user : module.computation(i.computation).instructions) {
    if (CallKindOf(module, user) == CallKind::kConstraint && module.operands(user)[0] == id) {
      return true;
    }
  }
  return false;
}

}  // namespace tessera::pipeline::writers
