// Bytes that tell what an instruction and a kernel are: equal where no cost model can tell them apart.
//
//   std::string bytes;
//   AddContentOfOp(graph, op, &bytes);      // facts, and the shape where Triton has a part
//
// Names, ids and places are no part of it. Cost: some 200 bytes an instruction. Tested by
// fusion_memory_test.cc and kernel_kinds_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_CONTENT_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_CONTENT_H_

#include <cstdint>
#include <string>

#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

template <typename T>
void AddContent(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AddContentOfOp(const FusionGraph& graph, uint32_t op, std::string* bytes);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_CONTENT_H_
