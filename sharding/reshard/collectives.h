// File: collectives.h
//
// The collectives that take a tensor from one sharding to another.
//
//   // [{x, y, z}, {}] -> [{x}, {}]
//   absl::StatusOr<CollectivePlan> plan = ToCollectives({16, 16}, from, to, meshes);
//   plan->steps[0].kind;           // kAllGather
//   plan->steps[0].axes_per_dim;   // [{y, z}, {}]
//   plan->steps[0].sharding;       // [{x}, {}]
//
// The order within a plan: slice what the target has in addition (it costs nothing), permute
// devices, exchange between dimensions, gather what the target does not have.

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
};

struct Collective {
  CollectiveKind kind = CollectiveKind::kCollectivePermute;
  std::vector<AxisList> axes_per_dim;
  AxisList axes;
  int source = 0;
  int target = 0;
  TensorSharding sharding;  // of the result: closed, with the target's unreduced axes
};

struct CollectivePlan {
  std::vector<Collective> steps;  // empty: the two shardings place the data alike
  // False if the last step does not end at the target: sizes that share no divisor can defeat the
  // method, and the published one stops there too.
  bool is_complete = true;
};

// From `from` to `to`, of a tensor of this shape. InvalidArgument if the ranks differ, a side is a
// single device, or the meshes differ in more than the order of devices.
absl::StatusOr<CollectivePlan> ToCollectives(absl::Span<const int64_t> shape,
                                             const TensorSharding& from, const TensorSharding& to,
                                             const MeshTable& meshes);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_COLLECTIVES_H_
