// Copies that stay where values are followed (target/dataflow), which drops those of the module.
//
//   PutCopyBehind(program, scatter, "table-copy");      // who read the scatter now reads its copy
//
// A reverse of no dimension stands for each; StandsForCopy() knows it again. Only for memory and kernels.
// Tested by tpu_passes_test.cc.

#ifndef TESSERA_TARGET_TPU_COPIES_H_
#define TESSERA_TARGET_TPU_COPIES_H_

#include "absl/strings/string_view.h"
#include "tessera/target/pass.h"

namespace tessera::target {

// Which nothing reads yet.
InstructionId AddCopy(DeviceProgram& program, InstructionId of, absl::string_view name);

void PutCopyBehind(DeviceProgram& program, InstructionId id, absl::string_view name);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_COPIES_H_
