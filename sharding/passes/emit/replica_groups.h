// The groups of devices that a collective works in, as HLO writes them.
//
//   ReplicaGroups({y}, mesh <["x"=2, "y"=2]>);      // "{{0,1},{2,3}}"
//   ReplicaGroups({x}, mesh <["x"=2, "y"=2]>);      // "{{0,2},{1,3}}"

#ifndef TESSERA_SHARDING_PASSES_EMIT_REPLICA_GROUPS_H_
#define TESSERA_SHARDING_PASSES_EMIT_REPLICA_GROUPS_H_

#include <string>

#include "tessera/sharding/axes.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::passes {

// Groups of devices that differ along `axes` only. Within one the coordinates along the axes count
// up, the last axis fastest.
std::string ReplicaGroups(const AxisList& axes, const Mesh& mesh);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EMIT_REPLICA_GROUPS_H_
