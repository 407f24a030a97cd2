// What was found about tilings and groups of devices, each once: few differ in a network for a pod,
// and each step is many on their axes, or linear in the devices.
//
//   graph.known_tilings().compatible.Of(key, [&] { return Compatible(from, to); });
//
// Tested by visit_cache_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_TILINGS_H_
#define TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_TILINGS_H_

#include <optional>

#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/known_values.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/partition/tiling/tiling.h"

namespace tessera::sharding::partition {

struct KnownTilings {
  // By a tiling and groups of devices.
  KnownValues<std::optional<Grouping>> among_replicas;
  KnownValues<std::optional<Dims>> dims_of_groups;
  // By two tilings.
  KnownValues<std::optional<Tiling>> compatible;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_TILINGS_H_
