// The value that a propagation barrier hands on. Internal to the package.
//
//   %b = barrier(%x)      BehindBarriers(b) is x
//   %c = barrier(%b)      BehindBarriers(c) is x

#ifndef TESSERA_SHARDING_GRAPH_QUERIES_BEHIND_BARRIERS_H_
#define TESSERA_SHARDING_GRAPH_QUERIES_BEHIND_BARRIERS_H_

#include "tessera/sharding/graph/graph.h"

namespace tessera::sharding::graph {

inline const Value* BehindBarriers(const Value* value) {
  while (value->def() != nullptr && value->def()->kind == OpKind::kPropagationBarrier) {
    value = value->def()->operand(0);
  }
  return value;
}

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_QUERIES_BEHIND_BARRIERS_H_
