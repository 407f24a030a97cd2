// Fusions of modules that were compiled before. A fusion of element-wise operations is
// element-wise. XLA: SpmdPartitioningVisitor::DefaultAction and HandleElementwise.

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

// However often computations are fused into each other, each is looked at once.
bool IsElementwiseFusion(const hlo::Module& module, hlo::InstructionId fusion) {
  std::vector<hlo::ComputationId> open = {module.called(fusion)[0]};
  absl::flat_hash_set<hlo::ComputationId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const hlo::ComputationId fused = open.back();
    open.pop_back();
    for (hlo::InstructionId id : module.computation(fused).instructions) {
      const Opcode opcode = module.instruction(id).opcode;
      if (opcode == Opcode::kFusion) {
        if (seen.insert(module.called(id)[0]).second) open.push_back(module.called(id)[0]);
        continue;
      }
      const bool is_plain = opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
                            opcode == Opcode::kMap || opcode == Opcode::kRng;
      if (!is_plain && !rules::IsElementWiseOpcode(opcode)) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<NodeId> PartitionFusion(Visit& v) {
  return IsElementwiseFusion(v.module(), v.id) ? PartitionElementwise(v) : Default(v);
}

}  // namespace tessera::sharding::partition
