#include "tessera/sharding/graph/plan/plan_shardings.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::graph {

PlanSharding PlanShardings::Intern(Entry entry) {
  const auto [it, is_new] = ids_.emplace(entry.text, static_cast<PlanSharding>(entries_.size()));
  if (is_new) entries_.push_back(std::move(entry));
  return it->second;
}

PlanSharding PlanShardings::Add(const HloSharding& leaf) {
  Entry entry;
  entry.text = leaf.ToString(form_);
  entry.sharding = leaf;
  return Intern(std::move(entry));
}

PlanSharding PlanShardings::Tuple(const std::vector<PlanSharding>& elements) {
  const bool none = std::all_of(elements.begin(), elements.end(),
                                [](PlanSharding id) { return id == kNoPlanSharding; });
  if (none) return kNoPlanSharding;
  const auto known = tuples_.find(elements);
  if (known != tuples_.end()) return known->second;
  const PlanSharding made = NewTuple(elements);
  tuples_.emplace(elements, made);
  return made;
}

PlanSharding PlanShardings::NewTuple(const std::vector<PlanSharding>& elements) {
  Entry entry;
  entry.is_tuple = true;
  std::vector<HloSharding> leaves;
  for (PlanSharding id : elements) {
    entry.elements.push_back(id == kNoPlanSharding ? Replicated() : id);
    leaves.push_back(entries_[Index(entry.elements.back())].sharding);
  }
  entry.sharding = HloSharding::Tuple(std::move(leaves));
  entry.text = entry.sharding.ToString(form_);
  return Intern(std::move(entry));
}

bool PlanShardings::Same(PlanSharding a, PlanSharding b) const {
  if (a == kNoPlanSharding || b == kNoPlanSharding) return false;
  return a == b || entries_[Index(a)].sharding == entries_[Index(b)].sharding;
}

PlanSharding PlanShardings::Leaf(PlanSharding id, size_t i) const {
  if (id == kNoPlanSharding || !is_tuple(id)) return id;
  const absl::Span<const PlanSharding> all = elements(id);
  return i < all.size() ? all[i] : kNoPlanSharding;
}

}  // namespace tessera::sharding::graph
