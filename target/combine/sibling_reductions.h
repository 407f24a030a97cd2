// Reductions that TPUs make in one kernel, so that who reads one of them needs what the others read.
//
//   %s = f32[4,8] all-reduce(%q)                       {%g, %r} are one kernel: %a needs %s, though
//   %g = f32[64] reduce(%dy * %x * %s), over rows      %r does not read it
//   %r = f32[4,8] reduce(%dy * %x), over columns
//   %a = f32[4,8] all-reduce(%r)
//
// Reductions of arrays of one shape run together if both read an array of that shape, and neither needs the other:
// the gradients of a norm and of its scale. Seen after tpu_multi_output_fusion, which runs in front of
// all-reduce-combiner.
//
// Sets are found on the graph as it is; the pairs that share most arrays come first.
//
// Cost: linear, and a bounded walk for each pair. Tested by combine_test.cc.

#ifndef TESSERA_TARGET_COMBINE_SIBLING_REDUCTIONS_H_
#define TESSERA_TARGET_COMBINE_SIBLING_REDUCTIONS_H_

#include "tessera/target/combine/kernel_graph.h"

namespace tessera::target {

// A further kernel for each such set. The kernels that have or use its members read it.
void AddSiblingReductions(const DeviceProgram& program, ComputationId c, KernelGraph* graph);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COMBINE_SIBLING_REDUCTIONS_H_
