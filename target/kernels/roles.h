// The role of an instruction in the search for kernels.

#ifndef TESSERA_TARGET_KERNELS_ROLES_H_
#define TESSERA_TARGET_KERNELS_ROLES_H_

#include "tessera/hlo/module.h"
#include "tessera/target/kernels/kernel.h"

namespace tessera::target {

enum class Role : uint8_t {
  kFree,        // takes no time: parameters, tuples, bitcasts, what waits for something started
  kCollective,  // runs on the links
  kCaller,      // runs computations: a loop, a call, a conditional
  kFusion,
  kLight,  // element-wise, or moves data: may run inside of a kernel of others
  kReduction,
  kProduct,
  kUpdate,  // a dynamic-update-slice
  kAlone,   // a kernel of its own: gather, sort, custom call, ..
};

Role RoleOf(const hlo::Module& module, hlo::InstructionId id);
// An array in another form, with the same elements.
bool IsView(hlo::Opcode opcode);
// Has a price of its own where it is not fused.
bool IsLone(const hlo::Module& module, hlo::InstructionId id);
// Of one whose role is kAlone; kLoop where it is no special one.
KernelKind KindOfAlone(hlo::Opcode opcode);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_ROLES_H_
