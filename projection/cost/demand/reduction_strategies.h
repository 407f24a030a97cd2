// Two ways to compute a contraction or a reduction whose reduced dimension is sharded.
//
//   gather form    each device computes its result tile completely and fetches what it lacks
//   partial form   each device reduces what it holds, and the partial results are combined
//
//   absl::StatusOr<ReductionStrategies> f = FormsOf(module, id, leaf, grid, operands, result);
//   f->partial.has_value()       // needed: the same axes on the reduced dimension everywhere
//   f->partial->combine_bytes    // what the all-reduce moves
#ifndef TESSERA_PROJECTION_COST_DEMAND_REDUCTION_STRATEGIES_H_
#define TESSERA_PROJECTION_COST_DEMAND_REDUCTION_STRATEGIES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/demand/missing.h"
#include "tessera/projection/cost/network/collective_bytes.h"

namespace tessera::projection {

struct PartialForm {
  OpDemand demand;                      // of the operands, under the split index
  std::vector<sharding::AxisRef> axes;  // along which results are partial
  int64_t group = 1;                    // devices that combine
  int64_t tile_bytes = 0;               // of one partial result
  int64_t combine_bytes = 0;            // sent by all devices in an all-reduce
};

struct ReductionStrategies {
  OpDemand gather;
  std::optional<PartialForm> partial;
  // Bytes moved by the form that the shardings ask for.
  int64_t bytes() const {
    return partial.has_value() ? partial->demand.total_bytes + partial->combine_bytes
                               : gather.total_bytes;
  }
};

// `operands` has an entry for each array of each operand, in the order of Signature::operands;
// null: replicated. `leaf` is the array of the result that `result` is for.
absl::StatusOr<ReductionStrategies> FormsOf(
    const hlo::Module& module, hlo::InstructionId id, int leaf, const sharding::DeviceGrid& grid,
    absl::Span<const sharding::TensorSharding* const> operands,
    const sharding::TensorSharding* result);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_DEMAND_REDUCTION_STRATEGIES_H_
