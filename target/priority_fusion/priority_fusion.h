// priority-fusion and multi_output_fusion of XLA's compiler for GPUs: which instructions of a
// computation become one kernel, and in which order a kernel names what it reads.
//
//   const KernelGraph graph = FuseKernels(program, c);
//
//   n = negate(x); t = tanh(n); d = dot(t, n)      // kernels: n and t as one, with two results; d
//
// XLA's algorithm, on a module that is simplified less: layouts are not assigned, and products stay
// instructions. A producer is fused into all its users, or into none. The one that saves most time is
// fused first (kernel_time.h); changed pairs are weighed again. Then kernels that read the same
// array, or each other, become one with several results.
//
// Cost: a few times the sum of all kernels' sizes, which XLA bounds too. Tested by
// priority_fusion_test.cc; how often the order is XLA's: docs/targets.md.

#ifndef TESSERA_TARGET_PRIORITY_FUSION_PRIORITY_FUSION_H_
#define TESSERA_TARGET_PRIORITY_FUSION_PRIORITY_FUSION_H_

#include <vector>

#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/target/priority_fusion/graph/fusion_graph.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// With a memory computations that it knows are not fused again; the answer is the same. `results`: where to
// put what each kernel writes.
KernelGraph FuseKernels(const DeviceProgram& program, ComputationId c,
                        FusionMemory* memory = nullptr, KernelResults* results = nullptr);

// The values that each kernel writes.
KernelResults ResultsOf(const DeviceProgram& program, ComputationId c,
                        FusionMemory* memory = nullptr);

// Its two steps. The first one says how long each kernel takes by then, in ticks (roofline.h), by kernel. Those
// of Triton have no time in XLA's latency hiding scheduler, and none here.
std::vector<double> FuseByPriority(FusionGraph& graph);
void FuseMultiOutput(FusionGraph& graph);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_PRIORITY_FUSION_H_
