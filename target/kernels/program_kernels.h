// The kernels that one device runs in a step, computation by computation.
//
//   absl::StatusOr<ProgramKernels> program = FindKernels(module);     // stage.h: IsPerDevice
//   program->computations.back();        // the entry, after all that it calls
//   program->computations.back().calls[0].runs;        // 12: a loop of twelve trips
//
// Of a module that a compiler has finished: its fusions, and what is not fused (final_kernels.h). Of
// one that the partitioner or a later pass left: clusters of instructions that are taken for fusions
// (clusters.h), of a GPU those of priority fusion where they are known (clusters/fused_clusters.h).
// Collectives and what only hands on arrays are no kernels.
//
// Cost: linear in the instructions. InvalidArgument for calls without end. Tested by
// kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PROGRAM_KERNELS_H_
#define TESSERA_TARGET_KERNELS_PROGRAM_KERNELS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/target.h"

namespace tessera::target {

// A loop, a call or a conditional.
struct KernelCall {
  hlo::InstructionId caller = hlo::kNoId;
  // The body and the condition of a loop, the callee of a call; of a conditional one of them runs.
  std::vector<hlo::ComputationId> callees;
  double runs = 1;
  bool runs_known = true;
  bool is_choice = false;
};

struct ComputationKernels {
  hlo::ComputationId computation = hlo::kNoId;
  std::vector<DeviceKernel> kernels;  // in the order of their instructions
  std::vector<KernelCall> calls;
};

struct ProgramKernels {
  bool is_final = false;                         // of a module that a compiler has finished
  std::vector<ComputationKernels> computations;  // callees first, the entry last
};

// `chip`: whose layouts and fast memory a module takes that is not finished; null for none. `fused`: of a GPU, the
// kernels of computations that are known.
absl::StatusOr<ProgramKernels> FindKernels(const hlo::Module& module, const Chip* chip = nullptr,
                                           const FusedBefore* fused = nullptr);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PROGRAM_KERNELS_H_
