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

absl::flat_hash_set<hlo::InstructionId> ConstrainedScalars(const hlo::Module& module,
                                                           const hlo::Computation& computation) {
  absl::flat_hash_set<hlo::InstructionId> scalars;
  for (const hlo::InstructionId id : computation.instructions) {
    if (CallKindOf(module, id) != CallKind::kConstraint) continue;
    const hlo::InstructionId read = module.operands(id)[0];
    const bool is_parameter = module.instruction(read).opcode == hlo::Opcode::kParameter;
    scalars.insert(id);
    if (!is_parameter && !module.shape(read).is_tuple()) scalars.insert(read);
  }
  return scalars;
}

}  // namespace tessera::pipeline::writers
