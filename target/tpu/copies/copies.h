// Copies for the memory and the kernels of a program. A reverse of no dimension stands for each, since the values of a program
// (target/dataflow) have no copies: those of the module are dropped. StandsForCopy() knows the reverse again.
//
//   PutCopyAfter(program, scatter, "table-copy");      // who read the scatter now reads its copy
//
// Tested by tpu_passes_test.cc.

#ifndef TESSERA_TARGET_TPU_COPIES_COPIES_H_
#define TESSERA_TARGET_TPU_COPIES_COPIES_H_

#include "absl/strings/string_view.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// Which nothing reads yet.
InstructionId AddCopy(DeviceProgram& program, InstructionId of, absl::string_view name);

void PutCopyAfter(DeviceProgram& program, InstructionId id, absl::string_view name);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_COPIES_COPIES_H_
