// Optimization barriers hold kernels back: a reader of one result runs after all operands.
//
//   for (const ValueId v : HeldBackBy(flow, kept, n)) ...      // has memory, and is made before node `n` runs
//
// jax.checkpoint hands the gradient of a block through one barrier with the operands of the block. So the compiler of
// TPUs recomputes a block when its gradient is there, not before. Cost: the nodes that `n` recomputes, at most kMost. Tested by barriers_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_BARRIERS_H_
#define TESSERA_TARGET_SCHEDULE_BARRIERS_H_

#include <cstddef>
#include <vector>

#include "tessera/target/dataflow/dataflow.h"
#include "tessera/target/fusion/kept_values.h"

namespace tessera::target {

std::vector<ValueId> HeldBackBy(const Dataflow& flow, const KeptValues& kept, NodeId n);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_BARRIERS_H_
