// Interned tensor shardings: equal shardings share one 32-bit id.
//
//   ShardingTable table;
//   ShardingId id = table.Intern(sharding);
//   table[id].dim(0);
//   table.Intern(sharding) == id;   // true; compare ids instead of shardings
//
// A module with a million tensors has a few thousand distinct shardings. Ids are dense, from 0; a
// reference `table[id]` is valid while the table lives: one sharding may be looked at while others
// are made from it and interned.

#ifndef TESSERA_SHARDING_SHARDING_TABLE_H_
#define TESSERA_SHARDING_SHARDING_TABLE_H_

#include <cstdint>

#include "tessera/sharding/tensor_sharding.h"
#include "tessera/text/interner.h"

namespace tessera::sharding {

using ShardingId = uint32_t;

// A tensor without a sharding.
inline constexpr ShardingId kNoSharding = 0xffffffffu;

using ShardingTable = text::Interner<TensorSharding>;

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_SHARDING_TABLE_H_
