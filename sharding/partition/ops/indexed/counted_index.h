// Finds indices that only count: 0, 1, 2, .. along a dimension.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_COUNTED_INDEX_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_COUNTED_INDEX_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/ops/indexed/indexed.h"

namespace tessera::sharding::partition {

// For each element of the index vectors the index dimension along which it counts; -1: none.
std::vector<int64_t> CountedIndexDims(const IndexedOp& op);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_COUNTED_INDEX_H_
