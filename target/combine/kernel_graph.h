// A computation as it is after fusion, as far as the order of its collectives goes.
//
//   const KernelGraph graph = MakeKernelGraph(program, c);
//   graph.instructions[k];          // what kernel k computes
//   graph.operands[k];              // the kernels that it reads
//   PostOrder(graph);               // kernels, operands first
//
// A rule, not XLA's priority fusion: element-wise operations, and those that move or reduce data, are
// fused into the one instruction that uses them. A value with several users is a kernel of its own,
// as are scalars and all others. A kernel reads the operands of its last instruction first, then
// those of each instruction that was fused, as they come.
//
//   n = negate(x); t = tanh(n); d = dot(t, n)      n has two users; d reads n, and t is part of d
//
// Cost: linear in the computation.
// Tested by combine_test.cc; how often the order is XLA's: docs/targets.md.

#ifndef TESSERA_TARGET_COMBINE_KERNEL_GRAPH_H_
#define TESSERA_TARGET_COMBINE_KERNEL_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

using KernelId = uint32_t;

struct KernelGraph {
  std::vector<InstructionId> instructions;  // by KernelId, in the order of the computation's list
  std::vector<std::vector<KernelId>> operands;  // by KernelId
};

// The values that each kernel of a computation writes, operands first, and those that it computes
// although another one writes them. Also its time, and the first instruction that came later.
struct KernelResults {
  std::vector<std::vector<InstructionId>> of, recomputed;
  std::vector<InstructionId> products;  // by kernel: the dot that it is; kNoId of others
  std::vector<double> seconds;          // by kernel, as XLA's cost model has them
  InstructionId end = 0;
};
using FusedBefore = absl::flat_hash_map<ComputationId, KernelResults>;

// `one` is a kernel now, which reads what the members read; who read a member reads it. Members stay
// as kernels that read nothing. Cost: linear in the graph.
struct MergedKernels {
  std::vector<KernelId> members;
  InstructionId one = kNoId;
};
void Merge(const std::vector<MergedKernels>& merged, KernelGraph* graph);

// Unless it fuses, each instruction is a kernel.
KernelGraph MakeKernelGraph(const DeviceProgram& program, ComputationId c, bool fuses = true);

// From each kernel that no other reads, in the order of their numbers, operands first to last.
std::vector<KernelId> PostOrder(const KernelGraph& graph);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COMBINE_KERNEL_GRAPH_H_
