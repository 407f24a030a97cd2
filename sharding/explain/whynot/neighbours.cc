#include "tessera/sharding/explain/whynot/neighbours.h"

#include "tessera/sharding/axis_lists.h"

namespace tessera::sharding::explain {

void MissedUpdateCheck::Project(Actor actor) {
  if (projected_ == actor) return;
  state_ = links_.Project(actor, EventLog::kEnd, &table_);
  projected_ = actor;
}

AxisList MissedUpdateCheck::PartsOf(const MissedUpdate& missed) {
  Project(missed.actor);
  AxisList parts;
  const factors::FactorSharding* from =
      state_ == MeshState::kCommon ? table_.Find(missed.from, missed.factor) : nullptr;
  if (from == nullptr) return parts;
  for (const AxisList* list : {&from->axes, &from->overflow}) {
    for (const AxisRef own : *list) {
      if (const std::optional<AxisRef> part = Overlap(own, missed.axis)) parts.push_back(*part);
    }
  }
  return parts;
}

bool MissedUpdateCheck::IsMissed(const MissedUpdate& missed) {
  Project(missed.actor);
  if (state_ != MeshState::kCommon) return true;
  const AxisList has = PartsOf(missed);
  const factors::FactorSharding* to = table_.Find(missed.to, missed.factor);
  return !(to == nullptr ? has : SetDifference(has, to->axes, table_.mesh())).empty();
}

}  // namespace tessera::sharding::explain
