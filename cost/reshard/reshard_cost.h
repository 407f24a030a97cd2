// File: cost/reshard/reshard_cost.h
//
// What it costs to go from one sharding to another: the least that any plan must move, and what a
// plan of collectives moves.
//
//   // mesh x=4, y=2, f32[16,8]: [{x}, {y}] -> [{y}, {x}]
//   Resharded array{{16, 8}, 4, from, to, meshes};
//   absl::StatusOr<ReshardDemand> demand = DemandOf(array);       // demand->total: 384 bytes
//   absl::StatusOr<CollectivePlan> plan =
//       ToCollectives({16, 8}, from, to, meshes, ReshardPolicy::kCheapest);
//   absl::StatusOr<PlanCost> cost = CostOf(array, *plan);         // cost->total: 960 bytes
//
// The demand of a device is the part of its new tile that it did not hold. A step costs what it
// brings to devices, over all of them; one that combines partial results, what these send. Plans
// come from any policy of sharding/reshard/collectives.h.
//
// Cost: devices times dimensions times steps. Tested by reshard_cost_test.cc and the family
// projection_comm.

#ifndef TESSERA_COST_RESHARD_RESHARD_COST_H_
#define TESSERA_COST_RESHARD_RESHARD_COST_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/collectives.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::cost {

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
absl::StatusOr<PlanCost> CostOf(const Resharded& array,
                                const sharding::reshard::CollectivePlan& plan);

}  // namespace tessera::cost

#endif  // TESSERA_COST_RESHARD_RESHARD_COST_H_
