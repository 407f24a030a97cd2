// The answer: the collectives among the nodes that somebody needs.
//
//   return Report(module, graph, LiveCollectives(nodes_of_bodies, graph), bodies);

#ifndef TESSERA_SHARDING_PARTITION_REPORT_H_
#define TESSERA_SHARDING_PARTITION_REPORT_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/sharding/partition/reshard/graph.h"

namespace tessera::sharding::partition {

// What a body must compute.
struct BodyNodes {
  NodeId root = -1;
  std::vector<NodeId> kept;  // with side effects
};

// The collectives that the entry, the first body, needs, in it and in what it calls; in the order in
// which they were made.
std::vector<NodeId> LiveCollectives(const std::vector<BodyNodes>& bodies, const Graph& graph);

// The same as the answer says it, body by body. A loop that the partitioner makes is one more body.
Partitioned Report(const hlo::Module& module, const Graph& graph, const std::vector<NodeId>& live,
                   std::vector<Body> bodies);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPORT_H_
