// How a value gets from its sharding to a target sharding where an op demands one: at the border of
// loops, branches and calls, at returns, and at constraints that introduce unreduced axes.
//
//   const auto steps = ToTarget(&from, &to, Version::kMinimal, meshes);
//   for (const Conversion& c : *steps) {
//     value = Insert(c.kind, value, c.axes, c.sharding);
//   }
//
// In the minimal version only partial sums are dealt with; an ordinary difference between the two
// shardings is left to the partitioner.

#ifndef TESSERA_SHARDING_RESHARD_TO_TARGET_H_
#define TESSERA_SHARDING_RESHARD_TO_TARGET_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/reference/behaviors.h"
#include "tessera/sharding/reshard/explicit_reshards.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::reshard {

enum class ConversionKind : uint8_t {
  kAllReduce,              // sums over `axes`, which were unreduced
  kReshard,                // any change of dimensions
  kReplicatedToUnreduced,  // `axes` become unreduced; no dimension had them
  kShardedToUnreduced,     // the axes of `axes_per_dim` leave their dimensions and become unreduced
};

struct Conversion {
  ConversionKind kind = ConversionKind::kReshard;
  AxisList axes;                       // kAllReduce, kReplicatedToUnreduced
  std::vector<AxisList> axes_per_dim;  // kShardedToUnreduced
  TensorSharding sharding;             // of the result
};

// The steps from `from` to `to`, in order; null stands for no sharding. InvalidArgument for new
// unreduced axes if `to` lacks some of `from`, has another mesh or rank, or reduces otherwise than
// by sum. Also if dimensions have to change first, in releases whose pass ends there.
absl::StatusOr<std::vector<Conversion>> ToTarget(const TensorSharding* from,
                                                 const TensorSharding* to, Version version,
                                                 const MeshTable& meshes,
                                                 const reference::Behaviors& behaviors = {});

// The steps that make axes unreduced. They replace a reshard from `from` to `to` that introduces
// unreduced axes. Empty if it introduces none, or if `how` leaves it a reshard. InvalidArgument
// also if a reshard would have to come first and `how` knows none.
absl::StatusOr<std::vector<Conversion>> BecomeUnreduced(
    const TensorSharding* from, const TensorSharding& to, const MeshTable& meshes,
    reference::BecomingUnreduced how = reference::BecomingUnreduced::kReshardFirst);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_TO_TARGET_H_
