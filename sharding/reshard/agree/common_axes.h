// The axes on which all tensors of an op can agree, factor by factor, so that the op can be
// computed: every tensor that has the factor is to be sharded on exactly these.
//
//   // dot A[i,k] B[k,j] -> C[i,j]: A has a on i; B has a on j and b on k; C has a on i
//   FactorAxes common = CommonAxes(table, {64, 64, 64});
//   common[i];   // [a]: A and C want it, more elements than B alone
//   common[k];   // [b]
//   common[j];   // []: a is taken

#ifndef TESSERA_SHARDING_RESHARD_AGREE_COMMON_AXES_H_
#define TESSERA_SHARDING_RESHARD_AGREE_COMMON_AXES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::reshard {

using FactorAxes = std::vector<AxisList>;  // by factor

// `elements`: the element count of each tensor, operands first; 0 if unknown. `behaviors` as in
// greedy_axes.h.
FactorAxes CommonAxes(const factors::FactorTable& table, absl::Span<const int64_t> elements,
                      const reference::Behaviors& behaviors = {});

}  // namespace tessera::sharding::reshard

#endif  // TESSERA_SHARDING_RESHARD_AGREE_COMMON_AXES_H_
