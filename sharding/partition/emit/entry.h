// The header of the per-device module.
//
//   FitHeader(before, &module);
//
// The layouts of the entry stay, with the dimension sizes of shards. XLA: SpmdPartitioner::Run, the
// update of entry_computation_layout.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
#define TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_

#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/module.h"

namespace tessera::sharding::partition {

// `before`: the entry layout of the partitioned module. Aliases, donors and the rest of the header
// are unchanged: parameters and results keep their numbers.
void FitHeader(const hlo::EntryShapes& before, hlo::Module* module);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
