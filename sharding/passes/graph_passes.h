// Functions on a graph as passes. Internal to the package.
//
//   {"sdy-close-shardings", kExport, "sdy-close-shardings", "..", OnGraph(graph::CloseShardings)}

#ifndef TESSERA_SHARDING_PASSES_GRAPH_PASSES_H_
#define TESSERA_SHARDING_PASSES_GRAPH_PASSES_H_

#include <functional>

#include "absl/status/status.h"
#include "tessera/sharding/passes/context.h"

namespace tessera::sharding::passes {

using RunFunction = std::function<absl::Status(Context&)>;

inline RunFunction OnGraph(void (*change)(graph::Graph*)) {
  return [change](Context& c) {
    change(c.graph.get());
    return absl::OkStatus();
  };
}

inline RunFunction OnGraph(void (*change)(graph::Graph&)) {
  return [change](Context& c) {
    change(*c.graph);
    return absl::OkStatus();
  };
}

inline RunFunction OnGraph(absl::Status (*change)(graph::Graph*)) {
  return [change](Context& c) { return change(c.graph.get()); };
}

inline RunFunction OnGraph(absl::Status (*change)(graph::Graph&)) {
  return [change](Context& c) { return change(*c.graph); };
}

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_GRAPH_PASSES_H_
