// Factors that have to be replicated give their axes away.

#ifndef TESSERA_SHARDING_RESHARD_AGREE_REPLICATION_H_
#define TESSERA_SHARDING_RESHARD_AGREE_REPLICATION_H_

#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::reshard {

// Empties the list of each factor that needs replication. If every tensor has the factor, its axes
// go, in order, to the batching factors, ascending, as far as their sizes divide evenly; what finds
// no place is dropped.
//   concatenate along i of size 8, batching factor j of size 6; axes a=2, c=4:
//   {i: [a, c], j: []}  ->  {i: [], j: [a]}
void HandOnReplicated(const factors::OpShardingRule& rule, const Mesh& mesh,
                      std::vector<AxisList>& axes);

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_REPLICATION_H_
