// The platform whose compiler finished a module.
//
//   CompiledFor(module);  // Platform::kTpu: f32[8,128]{1,0:T(8,128)}
//
// Only the compiler of TPUs writes tiles in the layouts of results, and only that of GPUs gives each
// instruction an `operation_queue_id`; so it is in all final modules of 30 programs.
//
// Cost: linear in the instructions, and the first sign ends the walk. Tested by stage_test.cc.

#ifndef TESSERA_TARGET_STAGE_COMPILED_FOR_H_
#define TESSERA_TARGET_STAGE_COMPILED_FOR_H_

#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::target {

// None where no instruction has such a sign: CPUs, and modules that are not final.
std::optional<Platform> CompiledFor(const hlo::Module& module);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_STAGE_COMPILED_FOR_H_
