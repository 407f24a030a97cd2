// The kind of work that an operation is on the vector unit.
//
//   WorkOf(Opcode::kTanh)        // {kHard, 1}
//   WorkOf(Opcode::kSelect)      // {kSimple, 2}: it counts twice
//
// From the rates that a TPU's compiler states for fusions of one operation each (docs/cost.md).

#ifndef TESSERA_TARGET_KERNELS_WORK_OF_OPCODE_H_
#define TESSERA_TARGET_KERNELS_WORK_OF_OPCODE_H_

#include "tessera/hlo/opcode.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

struct OpcodeWork {
  Work work = kSimple;
  double times = 0;  // 0: it computes nothing
};

OpcodeWork WorkOf(hlo::Opcode opcode);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_WORK_OF_OPCODE_H_
