#include "tessera/testing/reshard_plans/moves.h"

#include <algorithm>
#include <utility>

namespace tessera::testing::reshard_plans {
namespace {

// Takes the `k` minor atoms off a list.
AtomList TakeMinor(AtomList* list, size_t k) {
  AtomList out(list->end() - static_cast<int64_t>(k), list->end());
  list->erase(list->end() - k, list->end());
  return out;
}

}  // namespace

bool HasAtom(const AtomList& list, int atom) {
  return std::find(list.begin(), list.end(), atom) != list.end();
}

bool IsUsed(const AtomState& state, int atom) {
  return std::any_of(state.begin(), state.end(),
                     [&](const AtomList& list) { return HasAtom(list, atom); });
}

AtomStep Gather(const AtomState& state, int dim, size_t k) {
  AtomStep step{CollectiveKind::kAllGather, {}, dim, -1, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  return step;
}

AtomStep Slice(const AtomState& state, int dim, int atom) {
  AtomStep step{CollectiveKind::kAllSlice, {static_cast<int8_t>(atom)}, dim, -1, state};
  step.after[dim].push_back(static_cast<int8_t>(atom));
  return step;
}

AtomStep Exchange(const AtomState& state, int dim, int to, size_t k, bool reversed) {
  AtomStep step{CollectiveKind::kAllToAll, {}, dim, to, state};
  step.atoms = TakeMinor(&step.after[dim], k);
  AtomList moved = step.atoms;
  if (reversed) std::reverse(moved.begin(), moved.end());
  step.after[to].insert(step.after[to].end(), moved.begin(), moved.end());
  return step;
}

AtomStep Reorder(const AtomState& state, int dim, AtomList order) {
  AtomStep step{CollectiveKind::kCollectivePermute, {}, dim, -1, state};
  step.after[dim] = std::move(order);
  return step;
}

AtomStep Relabel(const AtomState& target) {
  return {CollectiveKind::kCollectivePermute, {}, -1, -1, target};
}

bool SamePartCounts(const AtomTable& atoms, const AtomState& a, const AtomState& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (atoms.Parts(a[d]) != atoms.Parts(b[d])) return false;
  }
  return true;
}

}  // namespace tessera::testing::reshard_plans
