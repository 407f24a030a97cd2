// The header of the per-device module.
//
//   FitHeader(input, &module);
//
// It is the header of the input but for entry_computation_layout, which has the shapes of shards in
// the layouts of the input. XLA: SpmdPartitioner::Run, the update of entry_computation_layout.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
#define TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_

#include "tessera/hlo/module.h"

namespace tessera::sharding::partition {

// The entry is there. Aliases, donors and the rest of the header are unchanged: parameters and
// results keep their numbers.
void FitHeader(const hlo::Module& input, hlo::Module* module);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
