// The peak of memory on one device as a target's compiler will report it, predicted.
//
//   // the module after the partitioner, best after the target's passes (target/pass_lists.h)
//   absl::StatusOr<TargetMemory> m = MemoryOnTarget(module, *target::ParseTarget("tpu-v5e:4x4"));
//   m->peak;                            // peak_memory_in_bytes of JAX's memory_analysis()
//   m->arguments, m->results, m->aliased;      // to the byte, padding counted
//   m->at_peak[0].shape;                // "bf16[16,2048,8192]{2,1,0:T(8,128)(2,1)}"
//
// The peak is all arguments and the most that is alive at once; peak_model.h has the steps.
// Cost: linear in the module. Tested by target_memory_test.cc, and against the compilers by
// testing/targets.sh.

#ifndef TESSERA_COST_MEMORY_TARGET_MEMORY_H_
#define TESSERA_COST_MEMORY_TARGET_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/cost/memory/peak_findings.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/hlo/module.h"
#include "tessera/target/pass.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// Memory while one instruction of the entry runs; of a loop at its own peak.
struct MemoryPoint {
  hlo::InstructionId instruction = hlo::kNoId;
  int64_t bytes = 0;    // arguments included
  int64_t kernels = 1;  // that run in it, each once
};

struct TargetMemory : PeakSize {
  int64_t in_hbm = 0;  // of the temporaries; fewer than the peak has where more of them lie in VMEM
  std::vector<hlo::InstructionId> peak_at;  // what runs at the peak, outer loops first
  // Beside the arguments; largest first. `inside` is the loop or branch.
  std::vector<DeviceBuffer> at_peak;
  // Where counts_vmem(): what lies in VMEM at its peak, and bytes of arguments that are copied there ahead.
  std::vector<DeviceBuffer> in_vmem;
  int64_t copied_to_vmem = 0;
  std::vector<DeviceBuffer> argument_list;  // largest first
  std::vector<MemoryPoint> curve;           // of the entry, in the order that is predicted
  std::vector<PeakFinding> findings;        // what would lower the peak, the lowest first

  // Whether the peak has the temporaries of VMEM, which holds more of them than HBM.
  bool counts_vmem() const { return in_hbm != temporaries(); }
};

// `module` is of one device and not scheduled. InvalidArgument with the offset of an instruction for
// calls without end; kOverflow; Unimplemented for a CPU. Findings only with `tries_changes`.
absl::StatusOr<TargetMemory> MemoryOnTarget(const hlo::Module& module, const target::Target& target,
                                            bool tries_changes = false);
// Of a program after PassesBeforeKernels(). On GPUs its kernels are those that the combiners saw, and computations
// that `context.fusions` knows are not fused again.
absl::StatusOr<TargetMemory> MemoryOnTarget(const target::Context& context,
                                            bool tries_changes = false);

// The sizes of that alone. Errors as above.
absl::StatusOr<PeakSize> PeakOnTarget(const target::Context& context);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_TARGET_MEMORY_H_
