// File: collectives.h
//
// The collectives that take a tensor from one sharding to another: one form of plan, three
// policies.
//
//   // [{x, y, z}, {}] -> [{x}, {}]
//   absl::StatusOr<CollectivePlan> plan = ToCollectives({16, 16}, from, to, meshes);
//   plan->steps[0].kind;           // kAllGather
//   plan->steps[0].axes_per_dim;   // [{y, z}, {}]
//   plan->steps[0].sharding;       // [{x}, {}]
//
// The policies answer different questions, and so they differ on purpose:
//
//   policy     question                                                 where
//   kShardy    which steps does Shardy's own pass write?                shardy_planner.cc
//   kGreedy    what do six fixed rules make of it, at once?             greedy_plan.cc
//   kCheapest  with whole atoms (atoms.h), how little can travel?       cheapest_plan.cc
//
//   mesh x=4, y=2; f32[16,8] from [{x}, {y}] to [{y}, {x}]; bytes over all devices
//     kShardy    permute to [{y, x:(2)2}, {x:(1)2}], exchange x:(2)2              512
//     kGreedy    gather x, exchange y, slice x                                  2,560
//     kCheapest  y to dimension 0, (x, y) to dimension 1, y to dimension 0        960
//
// Shardy's is less here than the cheapest of whole atoms, for it may cut an axis in halves though
// neither side does.
//
// What a plan moves, and the least that any plan must: cost/reshard/reshard_cost.h. Which
// collectives XLA's partitioner really inserts is a fourth question: sharding/partition.

#ifndef TESSERA_SHARDING_RESHARD_COLLECTIVES_H_
#define TESSERA_SHARDING_RESHARD_COLLECTIVES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::reshard {

enum class CollectiveKind : uint8_t {
  kAllSlice,           // axes_per_dim are added at the minor end of each dimension
  kAllGather,          // axes_per_dim are taken off
  kAllToAll,           // `axes` move from dimension `source` to dimension `target`
  kCollectivePermute,  // every device sends its shard to one other: as `sharding` says
  kReduceScatter,      // partial results along `axes` are combined and cut along `target`
  kAllReduce,          // partial results along `axes` are combined everywhere
};

struct Collective {
  CollectiveKind kind = CollectiveKind::kCollectivePermute;
  std::vector<AxisList> axes_per_dim;
  AxisList axes;
  int source = 0;
  int target = 0;
  TensorSharding
      sharding;  // of the result: closed; Shardy's steps have the target's unreduced axes
};

enum class ReshardPolicy : uint8_t {
  // Slice what the target has in addition (it costs nothing), permute devices, exchange between
  // dimensions, gather what the target does not have. Partial results are left to other passes.
  kShardy,
  kGreedy,
  // By elements that travel, then by steps; axes are cut only where a side cuts them. The greedy
  // plan where there are too many ways.
  kCheapest,
};

struct CollectivePlan {
  std::vector<Collective> steps;  // empty: the two shardings place the data alike
  // False if the last step does not end at the target: sizes that share no divisor can defeat
  // Shardy's method, and the published one stops there too.
  bool is_complete = true;
  ReshardPolicy policy = ReshardPolicy::kShardy;  // the one that made it
};

// From `from` to `to`, of a tensor of this shape. InvalidArgument if the ranks differ, a side is a
// single device, or the meshes differ in more than the order of devices; and for kGreedy and
// kCheapest if they differ in that, if the target has unreduced axes, or if sub-axes of one axis
// have borders that do not divide each other. OutOfRange if elements times devices do not fit
// 64 bits.
absl::StatusOr<CollectivePlan> ToCollectives(absl::Span<const int64_t> shape,
                                             const TensorSharding& from, const TensorSharding& to,
                                             const MeshTable& meshes,
                                             ReshardPolicy policy = ReshardPolicy::kShardy);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_COLLECTIVES_H_
