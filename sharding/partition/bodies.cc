#include "tessera/sharding/partition/bodies.h"

#include <algorithm>

namespace tessera::sharding::partition {

std::optional<int32_t> Bodies::Find(const Wish& wish) const {
  const auto known = of_computation_.find(wish.computation);
  if (known == of_computation_.end()) return std::nullopt;
  const auto alike = [this](LeafLists::Id a, LeafLists::Id b) { return lists_.Equal(a, b); };
  for (int32_t body : known->second) {
    const Wish& other = At(wishes_, body);
    if (other.role == wish.role &&
        std::equal(other.parameters.begin(), other.parameters.end(), wish.parameters.begin(),
                   wish.parameters.end(), alike)) {
      return body;
    }
  }
  return std::nullopt;
}

int32_t Bodies::Add(const Wish& wish, hlo::InstructionId caller, int32_t parent) {
  const auto body = static_cast<int32_t>(bodies_.size());
  bodies_.push_back({wish.role, wish.computation, caller, parent, 0});
  wishes_.push_back(wish);
  nodes_.emplace_back();
  of_computation_[wish.computation].push_back(body);
  return body;
}

}  // namespace tessera::sharding::partition
