#include "tessera/sharding/explain/whynot/neighbours.h"

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {

bool WishCheck::IsWish(const Wish& wish) {
  if (!(projected_ == wish.actor)) {
    state_ = links_.Project(wish.actor, EventLog::kEnd, &table_);
    projected_ = wish.actor;
  }
  if (state_ != MeshState::kCommon) return true;
  const factors::FactorSharding* from = table_.Find(wish.from, wish.factor);
  const factors::FactorSharding* to = table_.Find(wish.to, wish.factor);
  if (from == nullptr) return false;
  AxisList has;
  for (const AxisList* list : {&from->axes, &from->overflow}) {
    for (const AxisRef own : *list) {
      if (const std::optional<AxisRef> part = Overlap(own, wish.axis)) has.push_back(*part);
    }
  }
  return !(to == nullptr ? has : SetDifference(has, to->axes, table_.mesh())).empty();
}

}  // namespace tessera::sharding::explain
