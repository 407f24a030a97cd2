// xla.sdy.FuncResultSharding calls, see annotations.h.

#ifndef TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_
#define TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_

#include "absl/status/status.h"
#include "tessera/sharding/graph/graph.h"
#include "tessera/sharding/graph/import/annotations/sdy_attribute_reader.h"

namespace tessera::sharding::graph {

// Consumes the call, which lies in `f`.
absl::Status ImportFuncResult(Graph* graph, SdyAttributeReader* frontend, Function* f, Op* call);

}  // namespace tessera::sharding::graph

#endif  // TESSERA_SHARDING_GRAPH_IMPORT_ANNOTATIONS_FUNC_RESULTS_H_
