// What runs on a single device, or, in manual code, on each for itself: operands are brought there,
// and only that device runs it.

#include <vector>

#include "tessera/sharding/partition/ops/ops.h"

namespace tessera::sharding::partition {

absl::StatusOr<NodeId> PartitionOnOneDevice(Visit& v) {
  std::vector<NodeId> operands;
  for (const Placed& operand : v.operands) {
    operands.push_back(ReshardLeaves(operand, Uniform(*operand.base, v.tiling())));
  }
  const RecipeId recipe = v.tiling().IsManual() ? Recipes::kAsWritten : v.graph().Keep([&v] {
    return recipe::OnOneDevice{v.tiling().device()};
  });
  return Clone(v, *v.base, operands, recipe);
}

}  // namespace tessera::sharding::partition
