// Instructions that run on a single device, or in manual code on each device alone. Operands are
// moved to that device. XLA: SpmdPartitioningVisitor::HandleSingleDevice, HandleInfeed,
// HandleOutfeed.

#include <vector>

#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

absl::StatusOr<NodeId> PartitionOnOneDevice(Visit& v) {
  std::vector<NodeId> operands;
  for (const PartitionedLeaves& operand : v.operands) {
    operands.push_back(ReshardLeaves(operand, Uniform(*operand.base, v.tiling())));
  }
  const RecipeId recipe = v.tiling().IsManual() ? Recipes::kAsWritten : v.graph().Keep([&v] {
    return recipe::OnOneDevice{v.tiling().device()};
  });
  return Clone(v, *v.base, operands, recipe);
}

}  // namespace tessera::sharding::partition
