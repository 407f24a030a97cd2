// User priorities of one sharding: the axes hidden before the first round, and those that a round
// reveals.
//
//   // [{a,?}, {b}p2] repl{c}
//   MaskPriorities(s);              // [{a,?}, {}] repl{b,c}   dim 1 waits, its axes are reserved
//   RestorePriority(now, s, 2);    // [{a,?}, {b}] repl{c}    if `now` is still what was hidden
//
// A hidden dimension is closed, so nothing else can come there meanwhile; its axes are replicated,
// so they cannot be used elsewhere in this tensor.

#ifndef TESSERA_SHARDING_PROPAGATION_RUN_USER_PRIORITIES_H_
#define TESSERA_SHARDING_PROPAGATION_RUN_USER_PRIORITIES_H_

#include <cstdint>
#include <vector>

#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

// The priorities above 0 in `s`, ascending, each once.
std::vector<int64_t> PrioritiesAboveZero(const TensorSharding& s);

// `s` as the first round sees it; no priorities remain in it.
TensorSharding MaskPriorities(const TensorSharding& s);

// `current` with the dimensions of priority `priority` in `original` put back, without priority.
// Both must have the same rank.
TensorSharding RestorePriority(TensorSharding current, const TensorSharding& original,
                               int64_t priority);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_RUN_USER_PRIORITIES_H_
