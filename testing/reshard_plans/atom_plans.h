// Plans of collectives between two shardings, by search and by fixed rules: peers of Shardy's planner
// (to_collectives.h), in the same form.
//
//   // mesh x=4, y=2; f32[16,8] from [{x}, {y}] to [{y}, {x}]; bytes over all devices
//   PlanGreedily({16, 8}, from, to, meshes);   // gather x, exchange y, slice x: 2,560
//   PlanCheaply({16, 8}, from, to, meshes);    // y to dimension 0, (x, y) to 1, y to 0: 960
//
// Shardy's plan takes 512: it may split an axis in halves although neither side does; these two plan
// with whole atoms (atoms.h). Their costs: reshard_cost.h.

#ifndef TESSERA_TESTING_RESHARD_PLANS_ATOM_PLANS_H_
#define TESSERA_TESTING_RESHARD_PLANS_ATOM_PLANS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::testing::reshard_plans {

using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::reshard::Collective;
using sharding::reshard::CollectiveKind;
using sharding::reshard::CollectivePlan;

// By six fixed rules (greedy_plan.cc), or with fewest moved elements, then fewest steps
// (cheapest_plan.cc; the greedy plan if there are too many ways). Both shardings have one rank and
// one mesh. InvalidArgument if the two meshes order their devices differently, or the target has
// unreduced axes. Also if sub-axes of one axis have borders that do not divide each other.
// OutOfRange if elements times devices do not fit 64 bits.
absl::StatusOr<CollectivePlan> PlanGreedily(absl::Span<const int64_t> shape,
                                            const sharding::TensorSharding& from,
                                            const sharding::TensorSharding& to,
                                            const sharding::MeshTable& meshes);
absl::StatusOr<CollectivePlan> PlanCheaply(absl::Span<const int64_t> shape,
                                           const sharding::TensorSharding& from,
                                           const sharding::TensorSharding& to,
                                           const sharding::MeshTable& meshes);

}  // namespace tessera::testing::reshard_plans

#endif  // TESSERA_TESTING_RESHARD_PLANS_ATOM_PLANS_H_
