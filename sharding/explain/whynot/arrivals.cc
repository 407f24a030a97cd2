#include "tessera/sharding/explain/whynot/arrivals.h"

namespace tessera::sharding::explain {
namespace {

Arrival ArrivalBy(EventCause cause) {
  switch (cause) {
    case EventCause::kFlow:
    case EventCause::kOverwritten:
      return Arrival::kEarlierStep;
    case EventCause::kGroupSync:
    case EventCause::kGroupWrite:
      return Arrival::kGroup;
    case EventCause::kConstraintPushed:
      return Arrival::kConstraint;
    default:
      return Arrival::kAnnotation;
  }
}

}  // namespace

Came FindCame(const EventLog& log, SlotId slot, int dim, AxisRef axis) {
  Came came;
  const std::optional<Brought> brought = log.LastGain(slot, dim, axis);
  if (!brought.has_value()) return came;
  const Event& event = log.event(brought->event);
  const Gain& gain = event.gains[static_cast<size_t>(brought->gain)];
  came.event = brought->event;
  came.time = event.time;
  came.how = ArrivalBy(event.cause);
  came.is_flow = came.how == Arrival::kEarlierStep;
  came.source.slot = slot;
  came.source.value = log.IsOutput(slot) ? propagation::kNone : slot;
  came.source.dim = dim;
  if (!gain.from.empty()) came.source = gain.from.front();
  return came;
}

RefusalKind Qualified(const Came& came, const std::optional<Time>& refused, RefusalKind plain) {
  if (came.event == kNoIndex || !refused.has_value()) return plain;
  if (came.time.round < refused->round) return RefusalKind::kLaterUserPriority;
  const bool is_earlier_level =
      came.is_flow && came.time.round == refused->round && came.time.level < refused->level;
  return is_earlier_level ? RefusalKind::kEarlierLevel : plain;
}

void SetCame(const Came& came, Refusal* refusal) {
  if (came.event == kNoIndex) return;
  refusal->event = came.event;
  refusal->came = came.time;
  refusal->winner = came.source;
  refusal->arrival = came.how;
}

}  // namespace tessera::sharding::explain
