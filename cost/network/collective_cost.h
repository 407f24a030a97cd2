// How long a collective takes on a machine, by the bytes on its busiest link.
//
//   CollectiveCost c = CostOf(collective, machine);
//   c.seconds;      // none: c.why_unknown says why
//   c.formula;      // "ring of 4: 2 steps, 1024 bytes on the busiest link"
//
// On a torus a group of devices must be a block: on each axis all of it, or every k-th device of a
// part. Its axes work at the same time (projection/cost/network/torus_network.cc has the model). Within
// one switch a device sends what it must; a group over several switches, with several devices in
// each, works inside and across in turns. What several tori do together crosses the level that joins them. The time is of one collective alone; cost/schedule says
// what overlaps.
//
// Cost: linear in the devices; of a permute in the hops. Tested by collective_cost_test.cc.

#ifndef TESSERA_COST_NETWORK_COLLECTIVE_COST_H_
#define TESSERA_COST_NETWORK_COLLECTIVE_COST_H_

#include <optional>
#include <string>

#include "tessera/cost/network/machine.h"
#include "tessera/cost/network/payload.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {

struct CollectiveCost {
  std::optional<double> seconds;
  std::string formula;
  std::string why_unknown;
};

// Whether devices of several tori work together: over the network that joins slices.
bool LeavesTorus(const sharding::partition::Collective& collective, const Machine& machine);

CollectiveCost CostOf(const sharding::partition::Collective& collective, const Machine& machine);

// PayloadOf(), and whether a switch of the machine adds: SentBytes() and SentFormula() of it are what CostOf() prices.
std::optional<Payload> PayloadOn(const sharding::partition::Collective& collective,
                                 const Machine& machine);

}  // namespace tessera::cost

#endif  // TESSERA_COST_NETWORK_COLLECTIVE_COST_H_
