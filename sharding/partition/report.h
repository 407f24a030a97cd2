// The answer: the collectives among the nodes that somebody needs.
//
//   MarkLive(bodies, graph);
//   return Report(module, graph, calls);

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

// Marks what the entry, the first body, needs, in it and in what it calls.
void MarkLive(const std::vector<BodyNodes>& bodies, Graph& graph);

// The live collectives, body by body. A loop that the partitioner makes is one more body.
Partitioned Report(const hlo::Module& module, const Graph& graph, std::vector<Body> bodies);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPORT_H_
