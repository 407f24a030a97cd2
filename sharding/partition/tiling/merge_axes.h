// Merges two named tilings into one that has the shards of both, axis by axis.
//
//   P('y':(1)2, None)  and  P('y', 'x')         is  P('y', 'x')
//   P(None, 'x':(2)2)  and  P('x', None)        is  P('x':(1)2, 'x':(2)2)
//
// A dimension takes the axes of the other side that follow its own, unless another dimension has
// them. Nothing is merged if the two begin differently along a dimension that both shard, or if all
// axes that one would take are in use. XLA: MergeShardingIfCompatible of NamedSharding. Linear in
// the devices. Tested by algebra_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_
#define TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_

#include <cstdint>

#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

// False, with `into` unchanged, if the result has fewer than `least_tiles` tiles. Both are named,
// of one mesh and one rank, without manual subgroups.
bool MergeAxes(const Tiling& from, int64_t least_tiles, Tiling* into);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_
