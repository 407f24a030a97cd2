// A graph as text, for tests and for reading.
//
//   entry(%x [{"a"}, {}], %w) {
//     %h = dot(%x, %w)
//     %r = while(%h) {             blocks in order, with their arguments
//       cond(%a) ..
//     }
//     %e = edge(%r) [{"a"}, {?}]   what stands behind a value is its sharding, if it has one
//     return %e -> [{?}, {?}]      result shardings of the function
//   }
//
// Values have the name of their instruction, with `#k` for one of several results and `'` for each
// copy; other ops are named after what they are.

#ifndef TESSERA_SHARDING_GRAPH_GRAPH_TEXT_H_
#define TESSERA_SHARDING_GRAPH_GRAPH_TEXT_H_

#include <string>

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

std::string GraphToString(const Graph& graph);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_GRAPH_TEXT_H_
