// The time of a step on a target: kernels, collectives, and what of them overlaps.
//
//   // module: of one device, partitioned or final; standing: its collectives
//   TESSERA_ASSIGN_OR_RETURN(const TargetStep step, StepOnTarget(module, standing, target, {}));
//   step.total_s();         // device_s + exposed_s
//   step.least_s();         // all overlaps
//   step.most_s();          // nothing overlaps
//   step.kernels[0], step.links[k]      // by instruction, and by number of the collective
//
// Kernels run one after the other (cost/kernel), and a collective is exposed as far as no kernel runs
// meanwhile (link_schedule.h). Loops count by their trips, one whose count is not known once; of a
// conditional the slowest branch counts.
//
// Cost: linear in the instructions, and as cost/network for each collective. Tested by
// target_step_test.cc.

#ifndef TESSERA_COST_SCHEDULE_TARGET_STEP_H_
#define TESSERA_COST_SCHEDULE_TARGET_STEP_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/cost/kernel/kernel_time.h"
#include "tessera/cost/memory/modelled_schedule.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/schedule/link_schedule.h"
#include "tessera/hlo/module.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/kernels/program_kernels.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// The work of a custom call by the user's word.
struct CallCost {
  double flops = 0, bytes = 0;
};

using CallCosts = absl::flat_hash_map<std::string, CallCost>;  // by the target of the custom call

struct StepOptions {
  CallCosts calls;
  // Of a module that a TPU's compiler has finished: kernels take the cycles that it states of them
  // (estimated_cycles), where it states any.
  bool takes_estimates = false;
  // Of a module that is not finished: what runs beside its collectives. Without it the device waits for all.
  const ModelledSchedule* schedule = nullptr;
};

struct KernelPart {
  hlo::InstructionId instruction = hlo::kNoId;
  target::KernelKind kind = target::KernelKind::kLoop;
  KernelTime once;
  double runs = 0;
  double flops = 0;                // of products, once
  double bytes = 0;                // read and written, once
  std::optional<double> stated_s;  // what the compiler of a TPU expects it to take, once

  double seconds() const { return once.seconds * runs; }
};

struct TargetStep {
  std::vector<KernelPart> kernels;  // callers in front of what they call
  std::vector<LinkTime> links;      // by number of the collective
  std::vector<double> link_runs;
  double device_s = 0, links_s = 0, exposed_s = 0;
  double products_s = 0, memory_s = 0;  // that the units for products, and the memory, are at work
  int64_t sent = 0;                     // bytes by each device, in all runs
  double flops = 0;                     // of products
  double bytes = 0;                     // read and written
  // Kernels without a time: counted as none.
  std::vector<hlo::InstructionId> unknown;
  int64_t loops_counted_once = 0;  // their trips are not known
  int64_t without_time = 0;        // collectives

  double total_s() const { return device_s + exposed_s; }
  double least_s() const { return std::max(device_s, links_s); }
  double most_s() const { return device_s + links_s; }
};

// InvalidArgument for a target without rates or links; errors of target::FindKernels().
absl::StatusOr<TargetStep> StepOnTarget(const hlo::Module& module,
                                        const target::StandingCollectives& standing,
                                        const target::Target& target, const StepOptions& options);

// The same on a machine that a file describes (cost/network/machine.h): every collective is waited
// for. InvalidArgument for a machine without the numbers of KernelClock::Of(device).
absl::StatusOr<TargetStep> StepOnMachine(const hlo::Module& module,
                                         const target::StandingCollectives& standing,
                                         const Machine& machine, const StepOptions& options);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SCHEDULE_TARGET_STEP_H_
