// Fusions, as in modules that were compiled before. One of element-wise operations alone is
// element-wise itself.

#include <algorithm>

#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

bool IsElementwiseFusion(const hlo::Module& module, hlo::InstructionId fusion) {
  const auto& fused = module.computation(module.called(fusion)[0]).instructions;
  return std::all_of(fused.begin(), fused.end(), [&module](hlo::InstructionId id) {
    const Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kFusion) return IsElementwiseFusion(module, id);
    return opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kMap ||
           opcode == Opcode::kRng || rules::IsElementWiseOpcode(opcode);
  });
}

}  // namespace

absl::StatusOr<NodeId> PartitionFusion(Visit& v) {
  return IsElementwiseFusion(v.module(), v.id) ? PartitionElementwise(v) : Default(v);
}

}  // namespace tessera::sharding::partition
