// Kernels that read different parts of an array: multi-output fusion leaves them apart.
//
//   s = slice(x), slice={[0:64]}; t = slice(x), slice={[64:128]}   // the kernels of s and t, by x
//
// As in XLA only where each kernel reads x by one slice alone, and x has 1,024 bytes or more.
// Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_SLICES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_SLICES_H_

#include <cstdint>

#include "tessera/target/priority_fusion/graph/fusion_graph.h"

namespace tessera::target {

// No element of `parent`'s result is read by both.
bool ReadDifferentSlices(const FusionGraph& graph, uint32_t a, uint32_t b, uint32_t parent);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_SLICES_H_
