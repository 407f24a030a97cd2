// Each update in place of one constant fill has a fill of its own.
//
//   z = f32[9,4] broadcast(0)                        z = f32[9,4] broadcast(0)
//   a = scatter(z, ..)                       ->      a = scatter(z, ..)
//   b = scatter(z, ..)                               y = f32[9,4] broadcast(0)      // in front of b
//                                                    b = scatter(y, ..)
//
// XLA copies what several operations would write over, and makes a copy of a constant fill a fill (for GPUs:
// copy-insertion, constant-fill-copy-rewriter). Updates, scatters and loops write over operands. The first of them
// keeps the fill that is there. A loop of a GPU does not, if a reader may run after it: XLA's fusion leaves a fill of a
// loop in memory for all, so zeros that a loop starts from and weight decay multiplies by are two arrays.
// Windowed einsums that XLA unrolls share what they start from. Cost: linear, and for each loop that starts from a fill
// with further readers, the nodes that it depends on. Tested by own_fills_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_
#define TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_

#include <cstdint>

#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

// One constant number in all places.
bool IsFill(const Dataflow& flow, const Node& node);

// What else computes with a fill that is written over: on GPUs it reads it, on TPUs it makes it anew.
enum class OtherReaders : uint8_t { kRead, kMakeAnew };

void GiveOwnFills(Dataflow* flow, OtherReaders others);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_OWN_FILLS_H_
