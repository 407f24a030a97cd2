// A region put together from columns: for each place in a region the part that a device has there. It is chosen from
// the shard, what was received, and fill (recipe::PieceColumns).
//
//   // 4 shards of 128, each of which needs 64: itself, shards 0 and 1 from one permute, shard 1 from another one
//   ColumnsOfHalo(pieces, sources, 128, 64, tables);    // select, select, dynamic-slice at {0, 64, 0, 64}
//
// What is shorter in the first column stands at its end, in others at their beginning, so pieces touch. Where more than
// half of the shards are empty, some may not touch; the values are wrong then, in XLA too.
// XLA: spmd_partitioner_util, ExchangeHaloCompact. Cost: pieces times sources.
// Tested by testing/partition/device_run_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_COLUMNS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_COLUMNS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "tessera/sharding/partition/reshard/recipe.h"
#include "tessera/sharding/partition/reshard/windows/halo_rounds.h"

namespace tessera::sharding::partition {

// Where a piece comes from: operand 0 is the shard itself, others are received parts that begin at element `start` of
// their sender.
struct PieceSource {
  int64_t operand = 0;
  int64_t start = 0, size = 0;  // of a received part
};

// A table of a number for each shard.
using TableMaker = std::function<TableId(const std::function<int64_t(int64_t)>&)>;

// `sources`: of all pieces; what padding has there is not read. `region`: elements of the longest one.
recipe::PieceColumns ColumnsOfHalo(const PiecesOfShards& pieces,
                                   const std::vector<PieceSource>& sources, int64_t shard,
                                   int64_t region, const TableMaker& table);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_WINDOWS_HALO_COLUMNS_H_
