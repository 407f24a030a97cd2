// The cost of going from one sharding to another: the least bytes that any plan must move, and
// those of a plan of collectives.
//
//   // mesh x=4, y=2, f32[16,8]: [{x}, {y}] -> [{y}, {x}]
//   Resharded array{{16, 8}, 4, from, to, meshes};
//   absl::StatusOr<ReshardDemand> demand = DemandOf(array);       // demand->total: 384 bytes
//   absl::StatusOr<CollectivePlan> plan = PlanCheaply({16, 8}, from, to, meshes);
//   absl::StatusOr<PlanCost> cost = CostOf(array, *plan);         // cost->total: 960 bytes
//
// The demand of a device is the part of its new shard that it did not hold. A step costs the bytes
// that it brings to devices, over all of them; one that combines partial results, the bytes sent.
// Plans come from atom_plans.h or from Shardy's planner (to_collectives.h).
//
// Cost: devices times dimensions times steps. Tested by reshard_cost_test.cc and the family
// projection_comm.

#ifndef TESSERA_TESTING_RESHARD_PLANS_RESHARD_COST_H_
#define TESSERA_TESTING_RESHARD_PLANS_RESHARD_COST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::testing::reshard_plans {

using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::reshard::Collective;
using sharding::reshard::CollectiveKind;
using sharding::reshard::CollectivePlan;

struct Resharded {
  std::vector<int64_t> shape;
  int64_t element_bytes;
  const sharding::TensorSharding& from;
  const sharding::TensorSharding& to;
  const sharding::MeshTable& meshes;
};

struct ReshardDemand {
  std::vector<int64_t> bytes;  // of each device, by its position in the mesh of `to`
  int64_t total = 0, max = 0;
};

// InvalidArgument if a rank differs; OutOfRange if the bytes do not fit 64 bits.
absl::StatusOr<ReshardDemand> DemandOf(const Resharded& array);

struct PlanCost {
  std::vector<int64_t> steps;  // bytes over all devices
  int64_t total = 0;
};

// Errors as of DemandOf().
absl::StatusOr<PlanCost> CostOf(const Resharded& array, const CollectivePlan& plan);

}  // namespace tessera::testing::reshard_plans

#endif  // TESSERA_TESTING_RESHARD_PLANS_RESHARD_COST_H_
