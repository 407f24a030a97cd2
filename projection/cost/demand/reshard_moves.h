// File: projection/cost/demand/reshard_moves.h
//
// The moves between the states of a reshard (reshard_state.h), and two planners that choose among
// them.
//
//   ReshardStep s = Exchange(state, 0, 1, 1, false);   // the minor atom of dimension 0 to 1
//   s.after                                            // the state it leads to
//
//   std::vector<ReshardStep> quick = GreedyPlan(atoms, from, to);
//   std::optional<std::vector<ReshardStep>> best = CheapestPlan(atoms, pricer, from, to);
#ifndef TESSERA_PROJECTION_COST_DEMAND_RESHARD_MOVES_H_
#define TESSERA_PROJECTION_COST_DEMAND_RESHARD_MOVES_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "tessera/projection/cost/demand/reshard_bill.h"
#include "tessera/projection/cost/demand/reshard_state.h"

namespace tessera::projection {

// A move between numbered atoms, and where it leads.
struct ReshardStep {
  MoveKind kind;
  AtomList atoms;
  int dim, to;
  ReshardState after;
};

bool Contains(const AtomList& list, int atom);
bool IsUsed(const ReshardState& state, int atom);
bool SamePartCounts(const AtomTable& atoms, const ReshardState& a, const ReshardState& b);

// The `k` minor atoms of a dimension go.
ReshardStep Gather(const ReshardState& state, int dim, size_t k);
// A free atom to the minor end.
ReshardStep Slice(const ReshardState& state, int dim, int atom);
// The `k` minor atoms of `dim` to the minor end of `to`, in their order or turned round.
ReshardStep Exchange(const ReshardState& state, int dim, int to, size_t k, bool reversed);
ReshardStep Reorder(const ReshardState& state, int dim, AtomList order);

// By bytes, then by moves; none when it takes too many states (reshard_search.cc).
std::optional<std::vector<ReshardStep>> CheapestPlan(const AtomTable& atoms,
                                                     const StatePricer& pricer,
                                                     const ReshardState& from,
                                                     const ReshardState& to);
// By fixed rules (reshard_greedy.cc).
std::vector<ReshardStep> GreedyPlan(const AtomTable& atoms, const ReshardState& from,
                                    const ReshardState& to);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_RESHARD_MOVES_H_
