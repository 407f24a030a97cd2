// Finds index dimensions that count 0, 1, 2, ..: implicit batch dimensions of gather and scatter.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_IOTA_INDEX_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_IOTA_INDEX_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/partition/ops/indexed/indexed.h"

namespace tessera::sharding::partition {

// What the elements of the index vectors are put together from.
struct IndexPart {
  int64_t elements = 0;
  int64_t iota_dim = -1;  // -1: none
};
std::vector<IndexPart> PartsOfIndices(const ModuleView& view, hlo::InstructionId indices,
                                      int64_t index_vector_dim);

// For each element of the index vectors the index dimension along which it counts; -1: none.
std::vector<int64_t> IotaIndexDims(const IndexedOp& op);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_IOTA_INDEX_H_
