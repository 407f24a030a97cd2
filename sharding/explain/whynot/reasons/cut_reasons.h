// The reason where a tensor could not take an axis on which all had agreed.
//
//   SetCutReason(log, links, replay, cut, &refusal);
//   // closed_dimension, with the annotation that closed it; lost_conflict, with winner and numbers
//   SetSpill(replay, tensor, factor, &refusal);   // overflow, with the sizes that do not fit

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_CUT_REASONS_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_CUT_REASONS_H_

#include "tessera/sharding/explain/whynot/op_links.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/explain/whynot/step_replay.h"

namespace tessera::sharding::explain {

// The refusal's actor, factor, target and axis are set already.
void SetCutReason(const EventLog& log, const OpLinks& links, const StepReplay& replay,
                  const propagation::Cut& cut, Refusal* refusal);

// In the dimension of `tensor` that has `factor`, axes spilled over a factor. False if none did.
bool SetSpill(const StepReplay& replay, int tensor, int factor, Refusal* refusal);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_REASONS_CUT_REASONS_H_
