// When an axis that is in the way came to where it is, and whether that decided.
//
//   Came came = FindCame(log, slot, dim, axis);
//   came.time; came.source;            // w dim 1, from where it came
//   Qualify(log, came, &refusal);      // axis_in_use -> earlier_level, later_user_priority
//
// Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_ARRIVALS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_ARRIVALS_H_

#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"

namespace tessera::sharding::explain {

struct Came {
  int32_t event = kNoIndex;  // kNoIndex: nothing brought it
  Time time;
  Endpoint source;  // the tensor itself for what the user wrote there
  Arrival how = Arrival::kUnknown;
  bool is_flow = false;
};

// The last gain of the axis, or of a part of it.
Came FindCame(const EventLog& log, SlotId slot, int dim, AxisRef axis);

// The kind that the order of time makes of a conflict: kLaterUserPriority if what is in the way
// came in an earlier round, kEarlierLevel if at an earlier level of the same round, else `plain`.
RefusalKind Qualified(const Came& came, const std::optional<Time>& refused, RefusalKind plain);

// Fills in when and from where what is in the way came.
void SetCame(const Came& came, Refusal* refusal);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_ARRIVALS_H_
