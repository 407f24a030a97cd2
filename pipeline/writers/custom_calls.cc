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

CallKind CallKindOf(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) return CallKind::kOther;
  const std::string target = hlo::GetCustomCallTarget(module, id);
  for (const auto& [name, kind] : kTargets) {
    if (target == name) return kind;
  }
  return CallKind::kOther;
}

}  // namespace tessera::pipeline::writers
