// What a program may take of the memory of a chip.
//
//   UsableMemory(*target.chip)      // 15.75 GiB on a TPU v5e: the limit of its compiler, not of its data sheet
//
// The figures are those of the presets (projection/cost/network/topology_presets.cc); docs/costs.md says where
// they come from. Tested by target_memory_test.cc.

#ifndef TESSERA_COST_MEMORY_USABLE_MEMORY_H_
#define TESSERA_COST_MEMORY_USABLE_MEMORY_H_

#include <cstdint>

#include "tessera/target/target.h"

namespace tessera::cost {

// Bytes; 0 where it is not known.
int64_t UsableMemory(const target::Chip& chip);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_USABLE_MEMORY_H_
