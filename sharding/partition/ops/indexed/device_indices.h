// The indices of a gather or scatter, as a device sees them that has a shard of the operand.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_DEVICE_INDICES_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_DEVICE_INDICES_H_

#include <vector>

#include "tessera/sharding/partition/ops/indexed/indexed.h"

namespace tessera::sharding::partition {

// For each element of an index vector a number on each device.
struct IndexBounds {
  std::vector<TableId> limit;        // the last index that is valid in the whole operand
  std::vector<TableId> first, last;  // the indices of the shard; of dimensions not in `dims` all
};
// For an operand that is sharded along `dims`. Empty lists if recipes are not kept.
IndexBounds BoundsOf(const IndexedOp& op, const PartitionedHlo& operand, Ints dims,
                     Ints slice_sizes);
// The numbers as an array of the shape of a shard of indices.
NodeId PerIndex(const IndexedOp& op, Graph& graph, const Shape& shape,
                const std::vector<TableId>& numbers);
// Indices counted from the first element of the device's shard on, along these operand dimensions.
NodeId FromFirstOf(const IndexedOp& op, NodeId indices, const PartitionedHlo& operand, Ints dims);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_DEVICE_INDICES_H_
