// What a program may take of the memory of a device.
//
//   UsableMemory(target)      // 15.75 GiB on a TPU v5e: the limit of its compiler, not of its data sheet
//
// The figure is that of DeviceOf() (cost/network/target_machine.h); docs/reshards.md says where it comes from. Tested by
// target_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_USABLE_MEMORY_H_
#define TESSERA_COST_MEMORY_USABLE_MEMORY_H_

#include <cstdint>

#include "tessera/target/target.h"

namespace tessera::cost {

// Bytes; 0 where it is not known: of a CPU.
int64_t UsableMemory(const target::Target& target);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_USABLE_MEMORY_H_
