// The mesh axes along which a collective runs.
//
//   AxesOfGroups({{0, 4}, {1, 5}, {2, 6}, {3, 7}}, mesh)   // x, on a mesh of x=2, y=4
//   AxesOfPairs({{0, 1}, {1, 0}, {4, 5}, {5, 4}}, mesh)    // y:(2)2, the minor half of y
//
// Each axis is split into its prime factors, and a device has a coordinate for each factor. The
// factors in which the devices of a group differ are merged again. Cost: devices times factors.

#ifndef TESSERA_SHARDING_PARTITION_DEVICE_AXES_H_
#define TESSERA_SHARDING_PARTITION_DEVICE_AXES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::partition {

using Groups = std::vector<std::vector<int64_t>>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// Along which the devices of a group differ, major first; nothing if these are no axes in order, or
// the mesh has other devices.
std::optional<AxisList> AxesOfGroups(const Groups& groups, const Mesh& mesh);
// In which any source differs from its target.
std::optional<AxisList> AxesOfPairs(const Pairs& pairs, const Mesh& mesh);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_DEVICE_AXES_H_
