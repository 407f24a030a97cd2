// Constants that a loop or a branch reads from outside are written again inside, one copy a region.

#ifndef TESSERA_SHARDING_GRAPH_EXPORT_SINK_CONSTANTS_H_
#define TESSERA_SHARDING_GRAPH_EXPORT_SINK_CONSTANTS_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

void SinkConstants(Graph& graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_EXPORT_SINK_CONSTANTS_H_
