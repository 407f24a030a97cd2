// The slow engine's view of a sharding, independent of the fast engine's trim.h and
// user_priorities.h: the border of a shard_map with and without its manual axes, and a sharding
// before and at the round of one of its priorities.

#ifndef TESSERA_TESTING_PROPAGATION_SLOW_VIEWS_H_
#define TESSERA_TESTING_PROPAGATION_SLOW_VIEWS_H_

#include <cstdint>
#include <set>

#include "absl/types/span.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::propagation {

// [{d,?}] at a boundary of [{a,b}] repl{c}, a manual: [{a,d,?}] repl{c}.
TensorSharding SlowOuterView(const TensorSharding& inner, const TensorSharding& boundary,
                             absl::Span<const int> manual_axes);
// [{a,d}], a manual: [{d}].
TensorSharding SlowInnerView(const TensorSharding& outer, absl::Span<const int> manual_axes);

// The priorities that have a round of their own.
std::set<int64_t> SlowRounds(const TensorSharding& s);
// [{a,?}, {b}p2] repl{c} in the first round: [{a,?}, {}] repl{b,c}.
TensorSharding SlowFirstRound(const TensorSharding& s);
// `now` when the round of `priority` begins: what `original` says of its dimensions.
TensorSharding SlowRound(const TensorSharding& now, const TensorSharding& original,
                         int64_t priority);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_SLOW_VIEWS_H_
