#include "tessera/sharding/passes/emit/hlo_shardings.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::passes {

HloShardingId HloShardings::Intern(Entry entry) {
  const auto [it, is_new] = ids_.emplace(entry.text, static_cast<HloShardingId>(entries_.size()));
  if (is_new) entries_.push_back(std::move(entry));
  return it->second;
}

HloShardingId HloShardings::Add(const HloSharding& leaf) {
  Entry entry;
  entry.text = leaf.ToString(form_);
  entry.sharding = leaf;
  return Intern(std::move(entry));
}

HloShardingId HloShardings::Tuple(const std::vector<HloShardingId>& elements) {
  const bool none = std::all_of(elements.begin(), elements.end(),
                                [](HloShardingId id) { return id == kNoHloSharding; });
  if (none) return kNoHloSharding;
  const auto known = tuples_.find(elements);
  if (known != tuples_.end()) return known->second;
  const HloShardingId made = NewTuple(elements);
  tuples_.emplace(elements, made);
  return made;
}

HloShardingId HloShardings::NewTuple(const std::vector<HloShardingId>& elements) {
  Entry entry;
  entry.is_tuple = true;
  std::vector<HloSharding> leaves;
  for (HloShardingId id : elements) {
    entry.elements.push_back(id == kNoHloSharding ? Replicated() : id);
    leaves.push_back(entries_[Index(entry.elements.back())].sharding);
  }
  entry.sharding = HloSharding::Tuple(std::move(leaves));
  entry.text = entry.sharding.ToString(form_);
  return Intern(std::move(entry));
}

bool HloShardings::Same(HloShardingId a, HloShardingId b) const {
  if (a == kNoHloSharding || b == kNoHloSharding) return false;
  return a == b || entries_[Index(a)].sharding == entries_[Index(b)].sharding;
}

HloShardingId HloShardings::Leaf(HloShardingId id, size_t i) const {
  if (id == kNoHloSharding || !is_tuple(id)) return id;
  const absl::Span<const HloShardingId> all = elements(id);
  return i < all.size() ? all[i] : kNoHloSharding;
}

}  // namespace tessera::sharding::passes
