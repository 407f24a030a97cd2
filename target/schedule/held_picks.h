// Picks from float32 logits that run on the sparse cores of a TPU, v5p and v6e, while kernels go on.
//
//   HoldPicks(flow, scope, &steps);
//
//   a = logits - ..          a
//   p = gather(a, labels)    p starts
//   b = logits - ..          b
//   q = gather(b, labels)    p is done
//                            q
//
// A sparse core has one gather in flight. XLA's latency hiding scheduler ends the first one in front of the second, if
// nothing reads it earlier. So `a` and `b` are in memory at once. It is so in the final module of preferences, which
// compare two `log_softmax`; policies of answers on v5p keep theirs as long. A pick without another one after it ends
// at once here.
//
// Cost: linear in the steps, for each pick. Tested by held_picks_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_HELD_PICKS_H_
#define TESSERA_TARGET_SCHEDULE_HELD_PICKS_H_

#include <vector>

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/schedule/kernels.h"
#include "tessera/target/schedule/latency/latency_graph.h"

namespace tessera::target {

void HoldPicks(const Dataflow& flow, const ScopeKernels& scope, std::vector<Step>* steps);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_HELD_PICKS_H_
