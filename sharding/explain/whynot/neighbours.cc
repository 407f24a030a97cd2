#include "tessera/sharding/explain/whynot/neighbours.h"

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {

void WishCheck::Project(Actor actor) {
  if (projected_ == actor) return;
  state_ = links_.Project(actor, EventLog::kEnd, &table_);
  projected_ = actor;
}

AxisList WishCheck::PartsOf(const Wish& wish) {
  Project(wish.actor);
  AxisList parts;
  const factors::FactorSharding* from =
      state_ == MeshState::kCommon ? table_.Find(wish.from, wish.factor) : nullptr;
  if (from == nullptr) return parts;
  for (const AxisList* list : {&from->axes, &from->overflow}) {
    for (const AxisRef own : *list) {
      if (const std::optional<AxisRef> part = Overlap(own, wish.axis)) parts.push_back(*part);
    }
  }
  return parts;
}

bool WishCheck::IsWish(const Wish& wish) {
  Project(wish.actor);
  if (state_ != MeshState::kCommon) return true;
  const AxisList has = PartsOf(wish);
  const factors::FactorSharding* to = table_.Find(wish.to, wish.factor);
  return !(to == nullptr ? has : SetDifference(has, to->axes, table_.mesh())).empty();
}

}  // namespace tessera::sharding::explain
