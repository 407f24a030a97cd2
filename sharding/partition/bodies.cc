// XLA: the cache of partitioned computations of SpmdPartitioningVisitor.

#include "tessera/sharding/partition/bodies.h"

#include <algorithm>

namespace tessera::sharding::partition {

std::optional<int32_t> Bodies::Find(const BodyKey& key, const LeafLists& lists) const {
  const auto known = of_computation_.find(key.computation);
  if (known == of_computation_.end()) return std::nullopt;
  const auto alike = [&](LeafLists::Id a, LeafLists::Id b) { return lists.Equal(a, b); };
  for (int32_t body : known->second) {
    const BodyKey& other = At(keys_, body);
    if (other.role == key.role && std::equal(other.parameters.begin(), other.parameters.end(),
                                             key.parameters.begin(), key.parameters.end(), alike)) {
      return body;
    }
  }
  return std::nullopt;
}

int32_t Bodies::Add(const BodyKey& key, hlo::InstructionId caller, int32_t parent) {
  const auto body = static_cast<int32_t>(bodies_.size());
  bodies_.push_back({key.role, key.computation, caller, parent, 0});
  keys_.push_back(key);
  nodes_.emplace_back();
  of_computation_[key.computation].push_back(body);
  return body;
}

}  // namespace tessera::sharding::partition
