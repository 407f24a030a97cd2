// Which axes a write added to each dimension, and which factor of the step brought them.
//
//   // before [{c:(1)2}], after [{c}], dimension [ij]; the step took c:(2)2 for i and c:(4)2 for j
//   gains = NewAxes(before, after, mesh);         // dim 0: c:(2)4
//   SplitByFactor(gains, tensor, takes, mesh);    // dim 0: c:(2)2 of i, c:(4)2 of j
//
// Tested by event_log_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GAINS_H_
#define TESSERA_SHARDING_EXPLAIN_GAINS_H_

#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/explain/event.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::explain {

// The axes of a dimension; none where there is no sharding, or one without dimensions, which is
// that of a single device.
absl::Span<const AxisRef> AxesAt(const TensorSharding* sharding, int dim);

// One gain for each dimension that has axes, or parts of axes, that it had not; no factor, no
// source. Null stands for no sharding.
std::vector<Gain> NewAxes(const TensorSharding* before, const TensorSharding& after,
                          const Mesh& mesh);

// The share of each take in a gain. Its `from` has tensor and dimension only, not the slot.
struct TakenGain {
  Gain gain;
  const Take* take = nullptr;  // null for what no take explains
};
std::vector<TakenGain> SplitByFactor(const std::vector<Gain>& gains, int tensor,
                                     absl::Span<const Take> takes, const Mesh& mesh);

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_GAINS_H_
