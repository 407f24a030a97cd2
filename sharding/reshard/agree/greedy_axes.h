// A vote of the tensors of an op on how to shard its factors.

#ifndef TESSERA_SHARDING_RESHARD_AGREE_GREEDY_AXES_H_
#define TESSERA_SHARDING_RESHARD_AGREE_GREEDY_AXES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::reshard {

// The axes chosen for each factor; no axis serves two of them. `elements`: the element count of
// each tensor, operands first. How, and what `behaviors` change: greedy_axes.cc.
std::vector<AxisList> GreedyAxes(const factors::FactorTable& table,
                                 absl::Span<const int64_t> elements,
                                 const reference::Behaviors& behaviors = {});

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_GREEDY_AXES_H_
