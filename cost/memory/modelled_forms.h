// Which collectives of a GPU's program a device waits for, by the schedule that memory is predicted with. `collectives`
// prints it; the time of a step (cost/schedule) lets a GPU wait for all.
//
//   const auto forms = ModelledForms(module, target, nullptr, context.results);    // behind the combiners
//   forms->at(id);                                         // true: nothing runs between start and done
//
// XLA makes every collective a start and a done; where its scheduler puts no kernel between the two, it makes
// them one synchronous instruction. A collective with several nodes is synchronous if all of them are. One
// that is merged with an equal one has no answer. Cost: that of FindLiveMemory(), and of fusion where `before`
// does not know the kernels. Tested by modelled_forms_test.cc.

#ifndef TESSERA_COST_MEMORY_MODELLED_FORMS_H_
#define TESSERA_COST_MEMORY_MODELLED_FORMS_H_

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/target/fusion/kept_by_kernels.h"
#include "tessera/target/priority_fusion/fusion_memory.h"
#include "tessera/target/target.h"

namespace tessera::cost {

// By collective: whether it is synchronous. `target` is a GPU; `fusions` and `before` are as of
// FindKeptByKernels(). Errors as of MemoryOnTarget().
absl::StatusOr<absl::flat_hash_map<hlo::InstructionId, bool>> ModelledForms(
    const hlo::Module& module, const target::Target& target, target::FusionMemory* fusions,
    const target::FusedBefore& before);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_MODELLED_FORMS_H_
