// Each update in place of one constant fill has a fill of its own.
//
//   z = f32[9,4] broadcast(0)                        z = f32[9,4] broadcast(0)
//   a = scatter(z, ..)                       ->      a = scatter(z, ..)
//   b = scatter(z, ..)                               y = f32[9,4] broadcast(0)      // in front of b
//                                                    b = scatter(y, ..)
//
// XLA copies what several operations would write over, and makes a copy of a constant fill a fill (for GPUs:
// copy-insertion, constant-fill-copy-rewriter). Updates, scatters and loops write over operands. The first of them
// keeps the fill that is there. Windowed einsums that XLA unrolls share what they start from. Cost: linear.
// Tested by own_fills_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_
#define TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_

#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

// One constant number in all places.
bool IsFill(const Dataflow& flow, const Node& node);

void GiveOwnFills(Dataflow* flow);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_
