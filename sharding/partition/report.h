// The live nodes, and the collectives among them.
//
//   return Report(module, graph, FindLiveNodes(nodes_of_bodies, graph).collectives, bodies);

#ifndef TESSERA_SHARDING_PARTITION_REPORT_H_
#define TESSERA_SHARDING_PARTITION_REPORT_H_

#include <cstdint>
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

// The nodes that the entry, the first body, needs, in it and in the bodies that it calls.
struct LiveNodes {
  std::vector<uint8_t> is_live;     // by node
  std::vector<uint8_t> is_run;      // by body
  std::vector<NodeId> collectives;  // in the order in which they were made
};
LiveNodes FindLiveNodes(const std::vector<BodyNodes>& bodies, const Graph& graph);

// An element that is named in place (`x#1`) has the metadata of its tuple.
hlo::InstructionId NamedBy(const hlo::Module& module, hlo::InstructionId id);

// The live collectives, body by body. A loop that the partitioner inserts is an additional body.
Partitioned Report(const hlo::Module& module, const Graph& graph, const std::vector<NodeId>& live,
                   std::vector<Body> bodies);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_REPORT_H_
