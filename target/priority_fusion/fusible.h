// Whether a producer may be fused into a kernel that reads it, where neither is one of Triton.
//
//   CanBeOne(&graph, producer, consumer);      // not two reductions, for example
//
// Cost: linear in both. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_FUSIBLE_H_
#define TESSERA_TARGET_PRIORITY_FUSION_FUSIBLE_H_

#include <cstdint>

#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

bool CanBeOne(FusionGraph* graph, uint32_t producer, uint32_t consumer);

// XLA limits what a kernel reads.
bool FitsInOperands(const FusionGraph& graph, uint32_t producer, uint32_t consumer);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_FUSIBLE_H_
