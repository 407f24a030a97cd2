// One propagation step, told as plainly as possible: for tests of the real one (op_step.h).

#ifndef TESSERA_TESTING_PROPAGATION_SLOW_STEP_H_
#define TESSERA_TESTING_PROPAGATION_SLOW_STEP_H_

#include <optional>
#include <vector>

#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

struct SlowMode {
  std::vector<Direction> directions;  // by factor
  bool aggressive = true;
  bool element_wise = false;
  bool conservative = false;
};

using Slots = std::vector<std::optional<TensorSharding>>;

// The shardings of the rule's tensors after a step on `mesh`; equal where nothing changes.
Slots SlowStep(const SlowMode& mode, const factors::OpShardingRule& rule, const Slots& before,
               MeshId mesh_id, const Mesh& mesh);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_SLOW_STEP_H_
