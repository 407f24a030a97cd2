// The search settles states in order of (elements that travel, moves), as Dijkstra does, so the
// first time it meets the target the plan is a cheapest one. States are few: a mesh has at most
// some five atoms, and a state places each of them once. Past 5,000 settled states it gives up.
//
// Example, mesh x=4, y=2: [x],[y] -> [y],[x] of f32[16,8]. Three exchanges: 960 bytes. The demand
// is 384. Tested by reshard_cost_test.cc and the family projection_comm.

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tessera/testing/reshard_plans/moves.h"

namespace tessera::testing::reshard_plans {
namespace {

using State = AtomState;

constexpr int kMaxSettled = 5000;
constexpr int kMaxSearchedAtoms = 7;  // the orders of one list alone would be too many beyond

// The last `k` atoms of dimension `d` to each other one, in their order or, if there are more than
// one, in the other.
void AddExchanges(const State& state, int d, size_t k, std::vector<AtomStep>* moves) {
  for (int e = 0; e < static_cast<int>(state.size()); ++e) {
    if (e == d) continue;
    moves->push_back(Exchange(state, d, e, k, false));
    if (k > 1) moves->push_back(Exchange(state, d, e, k, true));
  }
}

std::vector<AtomStep> AllMoves(const AtomTable& atoms, const State& state, const State& target) {
  std::vector<AtomStep> moves;
  const int rank = static_cast<int>(state.size());
  for (int d = 0; d < rank; ++d) {
    for (int atom = 0; atom < atoms.size(); ++atom) {
      if (!IsUsed(state, atom)) moves.push_back(Slice(state, d, atom));
    }
    for (size_t k = 1; k <= state[d].size(); ++k) {
      moves.push_back(Gather(state, d, k));
      AddExchanges(state, d, k, &moves);
    }
    AtomList order = state[d];
    std::sort(order.begin(), order.end());
    do {
      if (order != state[d]) moves.push_back(Reorder(state, d, order));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  if (SamePartCounts(atoms, state, target)) moves.push_back(Relabel(target));
  return moves;
}

struct Settled {
  State state;
  int parent;  // index of the settled state before; -1 at the start
  std::optional<AtomStep> step;
};

std::vector<AtomStep> PathTo(const std::vector<Settled>& settled, int at) {
  std::vector<AtomStep> path;
  for (; settled[at].parent >= 0; at = settled[at].parent) path.push_back(*settled[at].step);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::optional<std::vector<AtomStep>> CheapestPlan(const AtomTable& atoms, const StatePricer& pricer,
                                                  const State& from, const State& to) {
  if (atoms.size() > kMaxSearchedAtoms) return std::nullopt;
  struct Open {
    int64_t elements;
    int moves;
    int64_t number;  // first come, first served
    int parent;
    AtomStep step;
    bool operator<(const Open& o) const {
      return std::tie(elements, moves, number) > std::tie(o.elements, o.moves, o.number);
    }
  };
  std::priority_queue<Open> open;
  absl::flat_hash_map<State, std::pair<int64_t, int>> best;  // cheapest way known to each state
  std::vector<Settled> settled;
  absl::flat_hash_map<State, bool> done;
  int64_t number = 0;
  open.push({0, 0, number++, -1, Relabel(from)});
  while (!open.empty()) {
    const Open at = open.top();
    open.pop();
    if (!done.try_emplace(at.step.after, true).second) continue;
    settled.push_back({at.step.after, at.parent, at.step});
    const int here = static_cast<int>(settled.size()) - 1;
    if (at.step.after == to) return PathTo(settled, here);
    if (settled.size() > kMaxSettled) return std::nullopt;
    for (AtomStep& step : AllMoves(atoms, at.step.after, to)) {
      const std::pair<int64_t, int> cost = {
          at.elements + pricer.Elements(at.step.after, step.after), at.moves + 1};
      const auto [known, is_new] = best.try_emplace(step.after, cost);
      if (!is_new && known->second <= cost) continue;
      known->second = cost;
      open.push({cost.first, cost.second, number++, here, std::move(step)});
    }
  }
  return std::nullopt;
}

}  // namespace tessera::testing::reshard_plans
