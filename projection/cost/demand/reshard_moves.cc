#include "tessera/projection/cost/demand/reshard_moves.h"

#include <algorithm>
#include <utility>

namespace tessera::projection {
namespace {

// Takes the `k` minor atoms off a list.
AtomList TakeMinor(AtomList* list, size_t k) {
  AtomList out(list->end() - static_cast<int64_t>(k), list->end());
  list->erase(list->end() - k, list->end());
  return out;
}

}  // namespace

bool Contains(const AtomList& list, int atom) {
  return std::find(list.begin(), list.end(), atom) != list.end();
}

bool IsUsed(const ReshardState& state, int atom) {
  return std::any_of(state.begin(), state.end(),
                     [&](const AtomList& list) { return Contains(list, atom); });
}

ReshardStep Gather(const ReshardState& state, int dim, size_t k) {
  ReshardStep step{MoveKind::kGather, {}, dim, -1, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  return step;
}

ReshardStep Slice(const ReshardState& state, int dim, int atom) {
  ReshardStep step{MoveKind::kSlice, {static_cast<int8_t>(atom)}, dim, -1, state};
  step.after[dim].push_back(static_cast<int8_t>(atom));
  return step;
}

ReshardStep Exchange(const ReshardState& state, int dim, int to, size_t k, bool reversed) {
  ReshardStep step{MoveKind::kExchange, {}, dim, to, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  AtomList moved = step.atoms;
  if (reversed) std::reverse(moved.begin(), moved.end());
  step.after[to].insert(step.after[to].end(), moved.begin(), moved.end());
  return step;
}

ReshardStep Reorder(const ReshardState& state, int dim, AtomList order) {
  ReshardStep step{MoveKind::kReorder, {}, dim, -1, state};
  step.after[dim] = std::move(order);
  return step;
}

bool SamePartCounts(const AtomTable& atoms, const ReshardState& a, const ReshardState& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (atoms.Parts(a[d]) != atoms.Parts(b[d])) return false;
  }
  return true;
}

}  // namespace tessera::projection
