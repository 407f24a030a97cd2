// The factor table again, as plainly as it can be said: ordered maps, lists that shrink from the
// front, nothing shared with the engine in projection.cc. For tests only.

#ifndef TESSERA_TESTING_FACTORS_PROJECTION_SLOW_H_
#define TESSERA_TESTING_FACTORS_PROJECTION_SLOW_H_

#include <map>

#include "tessera/sharding/factors/projection.h"

namespace tessera::sharding::factors {

// Factor -> cell; a factor that the tensor does not have, or not any more after an overflow, is
// absent.
using SlowRow = std::map<int, FactorSharding>;

SlowRow SlowProject(const OpShardingRule& rule, int tensor, const TensorSharding& sharding,
                    const Mesh& mesh);

// The dimensions that the row stands for, as a sharding without replicated or unreduced axes.
TensorSharding SlowToSharding(const OpShardingRule& rule, int tensor, const SlowRow& row,
                              const Mesh& mesh, MeshId mesh_id);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_TESTING_FACTORS_PROJECTION_SLOW_H_
