// Two tilings in named form as one that has the cuts of both, axis by axis.
//
//   P('y':(1)2, None)  and  P('y', 'x')         is  P('y', 'x')
//   P(None, 'x':(2)2)  and  P('x', None)        is  P('x':(1)2, 'x':(2)2)
//
// A dimension takes over the axes of the other side that come behind its own, as far as no
// dimension has them. Nothing is merged if the two begin differently along a dimension that both cut,
// or if one would take over axes that are all in use. Linear in the devices.
// Tested by algebra_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_
#define TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_

#include <cstdint>

#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

// False, and `into` as it was, if fewer than `least_tiles` come out. Both are in named form, of one
// mesh and one rank, without manual subgroups.
bool MergeAxes(const Tiling& from, int64_t least_tiles, Tiling* into);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_MERGE_AXES_H_
