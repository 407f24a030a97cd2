// The statements of a module on its custom kernels: those of Pallas and Triton, whose code XLA does
// not see.
//
//   // %k = bf16[512,512]{..} custom-call(%x, %w), custom_call_target="tpu_custom_call",
//   //   backend_config={"scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"33554432"}],
//   //   "custom_call_config":{"body":"TUzv..","cost_estimate":{"flops":"536870912",..}},
//   //   "used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"393216"}]}
//   const StatedKernel kernel = StatedKernels(module)[0];
//   kernel.scratch[0];    // {1, 393216}: bytes of VMEM for its blocks and its scratch arrays
//   kernel.limit[0];      // {1, 33554432}: what it may use, vmem_limit_bytes
//   kernel.cost->flops;   // 536870912: cost_estimate, by the author of the kernel
//
// Operands, results and aliases are those of the instruction. The body is bytecode, which is not read:
// what the kernel does with its operands is not known, nor how its scratch divides. Before a compiler
// has finished the module, scratch is not stated. Cost: linear in the module. Tested by
// stated_kernels_test.cc.

#ifndef TESSERA_TARGET_STATED_STATED_KERNELS_H_
#define TESSERA_TARGET_STATED_STATED_KERNELS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"

namespace tessera::target {

struct StatedBytes {
  int64_t space = 0;  // memory_spaces.h
  int64_t bytes = 0;
};

// Of one run.
struct StatedCost {
  double flops = 0, transcendentals = 0;
  double bytes = 0;         // read and written
  double remote_bytes = 0;  // sent to other devices
};

// How a kernel of Triton is started.
struct StatedGrid {
  std::array<int64_t, 3> blocks = {1, 1, 1};
  int64_t warps = 0, stages = 0;
};

struct StatedKernel {
  hlo::InstructionId instruction = hlo::kNoId;
  std::string target;  // of the custom call
  std::string name;    // as its author calls it; empty where only the instruction has a name
  std::vector<StatedBytes> scratch, limit;
  std::optional<StatedCost> cost;
  std::optional<StatedGrid> grid;
  bool has_communication = false;  // writes into the memory of other devices
  bool has_side_effect = false;
};

// In the order of the module. Other custom calls are none.
std::vector<StatedKernel> StatedKernels(const hlo::Module& module);

// nullopt for any other instruction.
std::optional<StatedKernel> StatedKernelOf(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_STATED_STATED_KERNELS_H_
