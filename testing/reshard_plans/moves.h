// The moves between states of numbered atoms (atoms.h), and the two planners that choose among
// them.
//
//   AtomStep s = Exchange(state, 0, 1, 1, false);   // the minor atom of dimension 0 to 1
//   s.after                                         // the state it leads to
//
//   std::vector<AtomStep> quick = GreedyPlan(atoms, from, to);
//   std::optional<std::vector<AtomStep>> best = CheapestPlan(atoms, pricer, from, to);

#ifndef TESSERA_TESTING_RESHARD_PLANS_MOVES_H_
#define TESSERA_TESTING_RESHARD_PLANS_MOVES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/sharding/reshard/to_collectives.h"
#include "tessera/testing/reshard_plans/atoms.h"

namespace tessera::testing::reshard_plans {

using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::reshard::Collective;
using sharding::reshard::CollectiveKind;
using sharding::reshard::CollectivePlan;

// A move between numbered atoms, and where it leads.
struct AtomStep {
  CollectiveKind kind;
  AtomList atoms;
  int dim, to;  // -1 where the kind has none
  AtomState after;
};

bool HasAtom(const AtomList& list, int atom);
bool IsUsed(const AtomState& state, int atom);
bool SamePartCounts(const AtomTable& atoms, const AtomState& a, const AtomState& b);

// The `k` minor atoms of a dimension go.
AtomStep Gather(const AtomState& state, int dim, size_t k);
// A free atom to the minor end.
AtomStep Slice(const AtomState& state, int dim, int atom);
// The `k` minor atoms of `dim` to the minor end of `to`, in their order or turned round.
AtomStep Exchange(const AtomState& state, int dim, int to, size_t k, bool reversed);
// The atoms of a dimension in another order.
AtomStep Reorder(const AtomState& state, int dim, AtomList order);
// Every dimension has its final number of parts: devices take each other's shards.
AtomStep Relabel(const AtomState& target);

// By elements that travel, then by moves; none when it takes too many states (cheapest_plan.cc).
std::optional<std::vector<AtomStep>> CheapestPlan(const AtomTable& atoms, const StatePricer& pricer,
                                                  const AtomState& from, const AtomState& to);
// By fixed rules (greedy_plan.cc).
std::vector<AtomStep> GreedyPlan(const AtomTable& atoms, const AtomState& from,
                                 const AtomState& to);

}  // namespace tessera::testing::reshard_plans

#endif  // TESSERA_TESTING_RESHARD_PLANS_MOVES_H_
