// How often a kernel uses its ops and what it reads.
//
//   s = slice(x), slice={[0:16]} of f32[64]; e = exponential(s)     x: 0.25, s and e: 1
//
// An operand that element-wise ops share is computed once for each of their results. The walk goes from the
// result to what is read. A producer that is fused comes after all others, so that the walk goes on where it
// ended. A part of a kernel's cost (kernel_time.h). Cost: linear in the ops that are new. Tested by
// kernel_time_test.cc, which compares a walk that goes on with one from the start.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_
#define TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/target/priority_fusion/kernel_time.h"

namespace tessera::target {

// Adds ops and what they read to a cost: slots, operands, flops, the size of the code, the transposes that the result
// shows. The last op has `slot`. `operands`: those of the kernel with these ops, which begin with those of `cost`.
void AddUses(const Expression& ops, uint32_t slot, const OperandPlaces& operands,
             absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results, KernelCost* cost);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_GRAPH_USES_H_
