// --kernel-cost: what custom calls do, by the user's word. For every verb that answers about the time of a step.
//
//   verb.flags.push_back(KernelCostFlag());
//   TESSERA_ASSIGN_OR_RETURN(const cost::CallCosts calls, ReadKernelCosts(arguments));
//   calls.at("fast_attn").flops;                 // of --kernel-cost=fast_attn=2e12,1e9
//
// Tested by cost_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TIME_KERNEL_COSTS_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TIME_KERNEL_COSTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Flag KernelCostFlag();

absl::StatusOr<cost::CallCosts> ReadKernelCosts(const Arguments& arguments);

// InvalidArgument for costs where no kernel has a time: without a target, or on a machine of links alone.
absl::Status CheckKernelsHaveTimes(const cost::CallCosts& calls, bool have_times);

// Names the targets that no custom call of the module has.
std::string NoteOnKernelCosts(const hlo::Module& module, const cost::CallCosts& calls);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TIME_KERNEL_COSTS_H_
