// The header of the per-device module.
//
//   FitHeader(before, &module);
//
// Layouts of the entry stay, with the sizes of shards.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
#define TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_

#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/module.h"

namespace tessera::sharding::partition {

// `before`: the entry layout of the module that was partitioned. Aliases, donors and the rest of the
// header are those of before: no parameter and no result came or went.
void FitHeader(const hlo::EntryShapes& before, hlo::Module* module);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_ENTRY_H_
