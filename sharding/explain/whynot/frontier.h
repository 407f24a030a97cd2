// Frontier: the nearest tensors that have an axis which could have come to a dimension.
//
//   Frontier frontier(log, links);
//   for (const Reached& r : frontier.Search(slot, dim, asked)) {   // one for each axis asked
//     r.missed;     // where the axis stands, and the tensors into which it did not come
//     r.blocking_op; // or the first op on the shortest way through which nothing passes
//     r.path;       // from there to the dimension
//   }
//
// A breadth-first search from the dimension: from each (tensor, dimension) along the factors of the
// ops that it takes part in. It ends at the first distance at which a neighbour has the axis on the
// factor in question; all that have it there are the frontier. One search serves all axes asked.
//
// If the component ends without the axis, the search goes on through blocking ops, each as long as a
// thousand steps. Blocking ops are ops without a rule, conditionals that select by pred, and ops at which
// a dimension ends or begins (contracted, reduced, indexed, new).
//
// A search that does not end soon asks whether the component has the axis at all (components.h). If not, it goes
// through blocking ops at once, and takes the steps within the component on the way. Near blocking ops come first,
// so that most of the component is never walked.
//
//   y -> v1 -> .. -> v9999, only u has "a":      the blocking op between v3 and u is found after three steps
//
// Cost: linear in the component for its first question, then in what is as near as the axis; a projection for each
// tensor that has an axis asked for. A factor of a wide op, such as a conditional of a thousand branches, is
// followed once. Tested by why_not_test.cc, by the case family explain_whynot, and by frontier_test.cc against
// the search that never asks.

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_FRONTIER_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_FRONTIER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tessera/sharding/explain/whynot/asked_axes.h"
#include "tessera/sharding/explain/whynot/blocking_op_exits.h"
#include "tessera/sharding/explain/whynot/components.h"
#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refuser.h"

namespace tessera::sharding::explain {

// The first blocking op on the shortest way.
struct BlockingOp {
  RefusalKind kind = RefusalKind::kNoRule;
  Actor actor;
  Endpoint near;  // on this side
  Endpoint far;
};

struct Reached {
  std::vector<MissedUpdate>
      missed;  // at the same distance; empty if there is none without blocking ops
  std::optional<BlockingOp> blocking_op;
  int distance = 0;            // in ops
  std::vector<Endpoint> path;  // from the frontier (or past the blocking op) to the dimension
  bool found() const { return !missed.empty() || blocking_op.has_value(); }
};

class Frontier {
 public:
  static constexpr size_t kNeverAsks = std::numeric_limits<size_t>::max();

  // `alone`: how many places a search follows before it asks about the component.
  Frontier(const EventLog& log, const OpLinks& links, size_t alone = 256);

  std::vector<Reached> Search(SlotId slot, int dim, const AskedAxes& asked);

 private:
  friend class FrontierSearch;

  const EventLog& log_;
  const OpLinks& links_;
  const size_t alone_;
  BlockingOpExits exits_;
  Components components_;
  std::vector<int32_t> visited_;  // by number of the place: the search that was there last
  int32_t searches_ = 0;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_FRONTIER_H_
