// The dimensions on the other side of a wall: ops through which no axis passes between two
// dimensions.
//
//   // y = dot(x, w), asked about dimension 0 of y
//   ForEachExit(log, links, link, 0, [&](RefusalKind kind, const Endpoint& far) { .. });
//       // kNoSharedFactor, x dim 1: contracted
//
// Walls are ops without a rule, conditionals that select by pred, and ops at which a dimension ends
// or begins. Tested by why_not_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_WALL_EXITS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_WALL_EXITS_H_

#include "absl/functional/function_ref.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"

namespace tessera::sharding::explain {

using OnExit = absl::FunctionRef<void(RefusalKind kind, const Endpoint& far)>;

// Of the op of `link`, from dimension `dim` of its tensor.
void ForEachExit(const EventLog& log, const OpLinks& links, const OpLink& link, int dim,
                 OnExit on_exit);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_WALL_EXITS_H_
