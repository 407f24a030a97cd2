// The time that the compiler of a TPU itself expects of its program.
//
//   TESSERA_ASSIGN_OR_RETURN(const TargetStep step, StepOnTarget(module, standing, target, {}));
//   StatedSeconds(module, step, target);     // 0.0284; nullopt: the module does not say
//
// A final module of a TPU has in backend_config the cycles of each kernel, `"estimated_cycles":"1921"`.
// The sum is over the kernels of the step, each with its runs. Collectives have no such figure.
//
// Cost: linear in the kernels and their configurations. Tested by target_step_test.cc.

#ifndef TESSERA_COST_SCHEDULE_STATED_TIME_H_
#define TESSERA_COST_SCHEDULE_STATED_TIME_H_

#include <optional>

#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// Of one instruction, one run. None where the compiler says nothing, or its largest number: unknown.
std::optional<double> StatedCycles(const hlo::Module& module, hlo::InstructionId id);

// `step`: of this module. nullopt where no kernel has a figure, and for a chip whose clock is not
// known.
std::optional<double> StatedSeconds(const hlo::Module& module, const TargetStep& step,
                                    const target::Target& target);

}  // namespace tessera::cost

#endif  // TESSERA_COST_SCHEDULE_STATED_TIME_H_
