// The k largest elements, written as a sort: values and their indices sorted in descending order, of
// which only the first k are used.

#ifndef TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_
#define TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_

#include <cstdint>
#include <optional>

#include "tessera/sharding/partition/ops/visit.h"

namespace tessera::sharding::partition {

// k, if the sort is such a search in a dimension of which every shard has more than k elements, no
// other dimension being cut.
std::optional<int64_t> LargestOfCutDim(const Visit& v, int64_t dim);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_LARGEST_H_
