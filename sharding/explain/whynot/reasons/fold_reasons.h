// The reason where the tensors of an op do not agree on the axes of a factor.
//
//   // x P('a', ?), w P('b', ?): add(x, w) has no sharding
//   SetFoldReason(log, links, replay, missed update, /*position=*/0, &refusal);
//   // conflicting_sources, between x and w at position 0
//
// If the target itself is in the way, or if all tensors in the way were there first, the order of
// time is the reason (arrivals.h).

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_FOLD_REASONS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_FOLD_REASONS_H_

#include "tessera/sharding/explain/whynot/reasons/refuser.h"

namespace tessera::sharding::explain {

// `position`: of the axis in the list of the tensor that missed. False if the fold did not stop up
// to there.
bool SetFoldReason(const EventLog& log, const OpLinks& links, const StepReplay& replay,
                   const MissedUpdate& missed, int position, Refusal* refusal);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_FOLD_REASONS_H_
