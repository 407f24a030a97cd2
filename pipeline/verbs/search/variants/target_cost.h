// The cost of a variant on a target: its program of one device, the target's passes, kernels and
// collectives.
//
//   CostOnTarget(input, choice, calls, &fusions)->seconds();      // as `tessera cost` says it
//
// network_s is the time in which the device waits for its links, memory the peak of
// cost/memory/target_memory.h.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_TARGET_COST_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_TARGET_COST_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/target/priority_fusion/fusion_memory.h"

namespace tessera::pipeline {

// --target and --xla-flags of a verb that searches.
std::vector<Flag> TargetFlagsOfSearch();

// --target, if it is a chip with a model of its time; nothing without the flag, and for a machine of
// cost/network/machine.h. InvalidArgument for flags of XLA that do not read.
absl::StatusOr<std::optional<TargetChoice>> ReadTargetOfSearch(const Arguments& arguments);

// All but the memory and the names of what is not priced.
cost::StepCost CostOfTargetStep(const cost::TargetStep& step);

// `input`: with its calls decided (LetCallsDecide). `calls`: of --kernel-cost. `fusions`: of other variants on this target. Errors as of MakeDeviceModule(), CheckDevices()
// and target::RunPasses().
absl::StatusOr<cost::StepCost> CostOnTarget(const PartitionerInput& input,
                                            const TargetChoice& choice,
                                            const cost::CallCosts& calls,
                                            target::FusionMemory* fusions);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_TARGET_COST_H_
