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

// Groups along dimensions of an operand that lies there as the result.
struct MatchedGroups {
  Grouping out;
  std::optional<Grouping> operand;  // nothing: there are none
  std::optional<Tiling> wanted;     // of the operand in these groups; nothing if it has none
};

// Groups of two operands along the dimensions that both are summed over.
struct SummedGroups {
  Grouping larger, smaller;
  Tiling wanted;  // of the smaller operand
};

struct KnownTilings {
  // By two tilings, and dimensions of both.
  KnownValues<MatchedGroups> matched;
  KnownValues<std::optional<SummedGroups>> summed;
  // By a tiling, dimensions, and what each keeps.
  KnownValues<Grouping> groups;
  // By a tiling and groups of devices.
  KnownValues<std::optional<Grouping>> among_replicas;
  KnownValues<std::optional<Dims>> dims_of_groups;
  // By two tilings.
  KnownValues<std::optional<Tiling>> compatible;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_RESHARD_KNOWN_TILINGS_H_
