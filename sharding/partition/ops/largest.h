// The k largest elements, written as a sort: values and indices in descending order, of which only
// the first k are used. XLA: GetKValueInTopKWhenPartitionSortDim.

#ifndef TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_
#define TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_

#include <cstdint>
#include <optional>

#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// k, if the sort is such a search along the only sharded dimension, and every shard has more than k
// elements.
std::optional<int64_t> LargestOfCutDim(const Visit& v, int64_t dim);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_
