// How often a kernel uses its ops and what it reads.
//
//   s = slice(x), slice={[0:16]} of f32[64]; e = exponential(s)     x: 0.25, s and e: 1
//
// What element-wise ops share is computed once for each of their results. A part of a kernel's cost
// (kernel_time.h). Cost: linear in the expression. Tested by priority_fusion_test.cc.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/target/priority_fusion/kernel_time.h"

namespace tessera::target {

// Fills operands, roots, flops and the size of the code.
void CountUses(const Expression& expression, const OperandPlaces& operands,
               absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results,
               KernelCost* cost);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_
