// The order in which a GPU or a TPU runs a program that its compiler has not finished. Memory is predicted with the same
// schedule. It says what runs beside each collective, and of a GPU which collectives the device waits for.
//
//   const auto found = ModelSchedule(context);    // after all passes
//   found->is_synchronous.at(id);     // true: one instruction
//   found->order.at(computation);     // its kernels, and the starts and ends of its collectives
//   found->kernels.at(computation);   // what each kernel writes
//   found->peak->peak;                // bytes of memory in this order
//
// Of a GPU XLA makes every collective a start and a done; where its scheduler puts no kernel between the two, it makes
// them one synchronous instruction, but for all-reduces by a kernel of its own (target/gpu/own_kernel.h). A
// collective with several nodes is synchronous if all of them are. One that is merged with an equal one has no
// answer. Cost: that of FindLiveMemory(), and of fusion where the context does not know the kernels. Tested by
// modelled_schedule_test.cc.

#ifndef TESSERA_COST_MEMORY_MODELLED_SCHEDULE_H_
#define TESSERA_COST_MEMORY_MODELLED_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/hlo/module.h"
#include "tessera/target/combine/kernel_graph.h"
#include "tessera/target/pass.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// A kernel, which starts and ends at once, or one end of a collective that runs beside kernels.
struct ScheduledStep {
  hlo::InstructionId instruction = hlo::kNoId;
  bool starts = true, ends = true;
};

struct ModelledSchedule {
  absl::flat_hash_map<hlo::ComputationId, std::vector<ScheduledStep>> order;
  // The others of a GPU alone: a TPU's memory is that of the module in front of its combiners.
  absl::flat_hash_map<hlo::InstructionId, bool> is_synchronous;  // by collective
  target::FusedBefore kernels;
  std::optional<PeakSize> peak;  // as PeakOnTarget() has it; none of an empty schedule
};

// `module` is of one device, and not scheduled. Errors as of MemoryOnTarget().
absl::StatusOr<ModelledSchedule> ModelSchedule(const hlo::Module& module,
                                               const target::Target& target);
// Of a program after the passes of a target. Kernels that the combiners saw are not fused again.
absl::StatusOr<ModelledSchedule> ModelSchedule(const target::Context& context);
// The same; empty for CPUs, and where no schedule can be had.
ModelledSchedule ScheduleOf(const target::Context& context);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_MODELLED_SCHEDULE_H_
