// Equal instructions become one (cse.cc), as far as `may_merge` allows it.

#ifndef TESSERA_TARGET_PASSES_CSE_H_
#define TESSERA_TARGET_PASSES_CSE_H_

#include "absl/functional/function_ref.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

void MergeEqual(DeviceProgram& program, absl::FunctionRef<bool(InstructionId)> may_merge);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PASSES_CSE_H_
