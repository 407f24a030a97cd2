// The devices of a collective as text.
//
//   GroupsText({{0, 4}, {1, 5}, {2, 6}, {3, 7}})    // "[4,2]<=[2,4]T(1,0)"
//   AxesOfGroups(groups, mesh)                      // {"x"} on a mesh of x=2, y=4
//   AxesOfPairs({{0, 1}, {1, 0}}, mesh)             // {"y:(2)2"}: the minor half of y
//
// An axis named in part is `name:(parts before it)its size`, as in Shardy.

#ifndef TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_
#define TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/mesh.h"
#include "tessera/sharding/partition/tiling/lists.h"

namespace tessera::sharding::partition {

using Groups = std::vector<std::vector<int64_t>>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// As an iota where they are one, else all devices in braces. Cost: linear in the devices.
std::string GroupsText(const Groups& groups);
std::string PairsText(const Pairs& pairs);

// The axes along which the devices of a group differ, major first; nothing if these are no axes in
// order, or the mesh has other devices.
std::optional<std::vector<std::string>> AxesOfGroups(const Groups& groups, const Mesh& mesh);
// The axes in which any source differs from its target.
std::optional<std::vector<std::string>> AxesOfPairs(const Pairs& pairs, const Mesh& mesh);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_DEVICE_TEXT_H_
