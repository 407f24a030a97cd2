// The reason where propagation gave a tensor an axis, and something took it away again.
//
//   TakenAway(log, slot, dim, axis);
//   // boundary_not_divisible: 17 rows on d=8, parameter 0
//   // resharded_for_op, overwritten; none if the tensor never had it
//
// Tested by the case family explain_whynot.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_BORDERS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_BORDERS_H_

#include <optional>

#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"

namespace tessera::sharding::explain {

std::optional<Refusal> TakenAway(const EventLog& log, SlotId slot, int dim, AxisRef axis);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_BORDERS_H_
