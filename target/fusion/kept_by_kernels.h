// Which values have memory on a GPU: the results of the kernels that XLA's priority fusion makes.
//
//   KeptValues kept = FindKeptByKernels(flow, KernelsOf(flow));
//   kept.is_kept[v];          // true for an exponential that costs more to repeat than to write
//
// Fusion goes through each computation of the module by itself (target/priority_fusion). Cost: that of
// fusion, where kernels are not known. Tested by kept_by_kernels_test.cc.

#ifndef TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_
#define TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_

#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/priority_fusion/fusion_memory.h"

namespace tessera::target {

// The kernels of all computations with nodes: those in `before`, and of others those that fusion makes. With a memory
// computations that it knows are not fused again.
FusedBefore KernelsOf(const Dataflow& flow, FusionMemory* fusions = nullptr,
                      const FusedBefore* before = nullptr);

// `kernels` has all computations with nodes. Each instruction that came later than its kernels is one.
KeptValues FindKeptByKernels(const Dataflow& flow, const FusedBefore& kernels);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_
