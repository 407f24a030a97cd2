// Which values have memory on a GPU: the results of the kernels that XLA's priority fusion makes.
//
//   KeptValues kept = FindKeptByKernels(flow);
//   kept.is_kept[v];          // true for an exponential that costs more to repeat than to write
//
// Fusion goes through each computation of the module by itself (target/priority_fusion). Cost: that of
// fusion. Tested by kept_by_kernels_test.cc.

#ifndef TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_
#define TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_

#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"
#include "tessera/target/priority_fusion/fusion_memory.h"

namespace tessera::target {

// With a memory computations that it knows are not fused again. Of computations in `before` the kernels are
// known; each instruction that came later is one.
KeptValues FindKeptByKernels(const Dataflow& flow, FusionMemory* fusions = nullptr,
                             const FusedBefore* before = nullptr);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_FUSION_KEPT_BY_KERNELS_H_
