// The collectives that take a tensor from one sharding to another, as Shardy's reshard-to-collectives
// pass writes them. XLA's own pipeline leaves that pass out: its partitioner chooses collectives
// itself (sharding/partition).
//
//   // [{x, y, z}, {}] -> [{x}, {}]
//   absl::StatusOr<CollectivePlan> plan = ToCollectives({16, 16}, from, to, meshes);
//   plan->steps[0].kind;           // kAllGather
//   plan->steps[0].axes_per_dim;   // [{y, z}, {}]
//   plan->steps[0].sharding;       // [{x}, {}]
//
// An axis may be split although neither side splits it: from [{x}, {y}] to [{y}, {x}] with x=4, y=2,
// the plan is a permute to [{y, x:(2)2}, {x:(1)2}] and an exchange of x:(2)2.

#ifndef TESSERA_SHARDING_RESHARD_TO_COLLECTIVES_H_
#define TESSERA_SHARDING_RESHARD_TO_COLLECTIVES_H_

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

struct CollectivePlan {
  std::vector<Collective> steps;  // empty: the two shardings place the data alike
  // False if the last step does not end at the target: Shardy's pass stops there too, where sizes
  // share no divisor.
  bool is_complete = true;
};

// Slices what the target has in addition, permutes devices, exchanges axes between dimensions, and
// gathers what the target does not have. Partial results stay: other passes combine them.
// InvalidArgument if the ranks differ, a side is a single device, or the meshes differ in more than
// the order of devices.
absl::StatusOr<CollectivePlan> ToCollectives(absl::Span<const int64_t> shape,
                                             const TensorSharding& from, const TensorSharding& to,
                                             const MeshTable& meshes);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_TO_COLLECTIVES_H_
