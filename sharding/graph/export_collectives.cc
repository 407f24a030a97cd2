#include "tessera/sharding/graph/export.h"

namespace tessera::sharding::graph {

void SimplifyCollectives(Graph&) {}
void MoveUnreducedToOperands(Graph&) {}

}  // namespace tessera::sharding::graph
