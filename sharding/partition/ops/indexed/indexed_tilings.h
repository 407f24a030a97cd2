// Tilings carried from one array of a gather or scatter to another. XLA: hlo_sharding_util,
// GatherOutputShardingFromOperand.. and its siblings.

#ifndef TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_TILINGS_H_
#define TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_TILINGS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/ops/indexed/indexed.h"
#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {

// How many shards there are along these dimensions.
int64_t CutsAlong(const Tiling& tiling, Ints dims);

std::optional<Tiling> OutputFromOperand(const IndexedOp& op, const Shape& operand,
                                        const Tiling& tiling, Ints slice_sizes);
Tiling OutputFromIndices(const IndexedOp& op, const Tiling& indices);
Tiling IndicesFromOutput(const IndexedOp& op, const Tiling& output);
// Merges the shards of `from` except along `grouped`: the number of their groups must equal that of
// the other arrays.
void MergeBeside(Ints grouped, const Tiling& from, Tiling* into);
// Tilings that shard these dimensions of operand and indices alike; nothing if neither is sharded
// there, or if the two cannot be merged.
std::optional<std::pair<Tiling, Tiling>> CutAlikeAlong(const Tiling& operand, int64_t operand_rank,
                                                       const Tiling& indices, int64_t indices_rank,
                                                       const IndexedDims& dims);

// Groups of indices and output for those of an operand that is sharded along indexed dimensions, on so
// many devices: each of the two takes the shards that only the other has. `rank_from_indices`: of the
// output, where its shards are those of the indices; of a scatter XLA takes that of the result.
struct GroupsBeside {
  Grouping indices, output;
};
GroupsBeside BesideSliced(const IndexedOp& op, const Grouping& operand, int64_t devices,
                          const Tiling& indices, const Tiling& output, int64_t rank_from_indices,
                          Ints slice_sizes);

// The value inside groups, resharded to them first.
PartitionedHlo InGroups(const PartitionedHlo& value, const Grouping& groups);
std::vector<PartitionedHlo> AllInGroups(const std::vector<PartitionedHlo>& values,
                                        const Grouping& groups);
// Of an array inside groups, or of a tuple of such arrays.
Shape GroupShapes(const Grouping& groups, const Shape& shape);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPS_INDEXED_INDEXED_TILINGS_H_
