// The greedy planner takes, until the state is the target, the first of six rules that applies, at
// the lowest dimension: cut what is wanted and free; exchange a minor atom that is the next one
// wanted elsewhere; gather one that nobody wants; relabel when all part counts fit; put the wanted
// atoms in front; gather. It ends: every rule settles an atom for good, or removes one, or is
// followed by one that does.
//
// Example, mesh x=4, y=2: [x],[y] -> [y],[x] of f32[16,8]. It gathers x, exchanges y, cuts x: 2,560
// bytes. Tested by reshard_cost_test.cc and the family projection_comm.

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/testing/reshard_plans/moves.h"

namespace tessera::testing::reshard_plans {
namespace {

using State = AtomState;

class Greedy {
 public:
  Greedy(const AtomTable& atoms, State from, const State& to)
      : atoms_(atoms), state_(std::move(from)), to_(to) {}

  std::vector<AtomStep> Run() {
    while (state_ != to_) {
      AtomStep step = Next();
      state_ = step.after;
      Append(std::move(step));
    }
    return std::move(steps_);
  }

 private:
  int rank() const { return static_cast<int>(state_.size()); }
  bool IsPrefix(int d) const {
    return state_[d].size() <= to_[d].size() &&
           std::equal(state_[d].begin(), state_[d].end(), to_[d].begin());
  }
  // The atom that dimension d, so far right, wants next; -1 for none.
  int NextWanted(int d) const {
    return IsPrefix(d) && state_[d].size() < to_[d].size() ? to_[d][state_[d].size()] : -1;
  }

  AtomStep Next() const {
    for (auto rule : {&Greedy::SliceWanted, &Greedy::ExchangeWanted, &Greedy::GatherUnwanted}) {
      for (int d = 0; d < rank(); ++d) {
        if (std::optional<AtomStep> step = (this->*rule)(d)) return *step;
      }
    }
    if (SamePartCounts(atoms_, state_, to_)) return Relabel(to_);
    for (int d = 0; d < rank(); ++d) {
      if (IsPrefix(d)) continue;
      AtomList order = WantedOrder(d);
      if (order != state_[d]) return Reorder(state_, d, std::move(order));
    }
    int d = 0;
    while (IsPrefix(d)) ++d;
    return Gather(state_, d, 1);
  }

  std::optional<AtomStep> SliceWanted(int d) const {
    const int atom = NextWanted(d);
    return atom >= 0 && !IsUsed(state_, atom) ? std::optional<AtomStep>(Slice(state_, d, atom))
                                              : std::nullopt;
  }

  std::optional<AtomStep> ExchangeWanted(int d) const {
    if (IsPrefix(d)) return std::nullopt;
    for (int e = 0; e < rank(); ++e) {
      if (NextWanted(e) == state_[d].back()) return Exchange(state_, d, e, 1, false);
    }
    return std::nullopt;
  }

  std::optional<AtomStep> GatherUnwanted(int d) const {
    if (IsPrefix(d) || IsUsed(to_, state_[d].back())) return std::nullopt;
    return Gather(state_, d, 1);
  }

  // Atoms that dimension d wants, in the order of the target; then those wanted elsewhere, by
  // descending dimension and position; then those wanted nowhere.
  AtomList WantedOrder(int d) const {
    AtomList order;
    const auto take = [&](int atom) {
      if (HasAtom(state_[d], atom) && !HasAtom(order, atom))
        order.push_back(static_cast<int8_t>(atom));
    };
    for (int atom : to_[d]) take(atom);
    for (int e = rank() - 1; e >= 0; --e) {
      for (auto atom = to_[e].rbegin(); atom != to_[e].rend(); ++atom) take(*atom);
    }
    for (int atom : state_[d]) take(atom);
    return order;
  }

  // Consecutive gathers of one dimension, and exchanges between the same two, are one move.
  void Append(AtomStep step) {
    const bool mergeable =
        step.kind == CollectiveKind::kAllGather || step.kind == CollectiveKind::kAllToAll;
    if (!steps_.empty() && mergeable && steps_.back().kind == step.kind &&
        steps_.back().dim == step.dim && steps_.back().to == step.to) {
      steps_.back().atoms.insert(steps_.back().atoms.begin(), step.atoms.begin(), step.atoms.end());
      steps_.back().after = std::move(step.after);
      return;
    }
    steps_.push_back(std::move(step));
  }

  const AtomTable& atoms_;
  State state_;
  const State& to_;
  std::vector<AtomStep> steps_;
};

}  // namespace

std::vector<AtomStep> GreedyPlan(const AtomTable& atoms, const State& from, const State& to) {
  return Greedy(atoms, from, to).Run();
}

}  // namespace tessera::testing::reshard_plans
