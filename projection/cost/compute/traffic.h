// Bytes that an instruction reads and writes in the memory of its device.
//
//   absl::StatusOr<Traffic> t = TrafficOf(module, id, CostMode::kExact);
//   t->total    // read and written
//
// Exact mode counts the padded bytes of layouts, and counts for operations that touch a part of an
// operand only that part. XLA mode has XLA's sizes (no padding) and its exceptions.
#ifndef TESSERA_PROJECTION_COST_COMPUTE_TRAFFIC_H_
#define TESSERA_PROJECTION_COST_COMPUTE_TRAFFIC_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/cost/compute/work.h"

namespace tessera::projection {

struct Traffic {
  std::vector<int64_t> read;  // for each operand
  int64_t written = 0;
  std::vector<int64_t> written_leaves;  // the terms of `written`, in order of the text
  // Exact mode: the sum of all of the above. In XLA mode none where XLA sums the parts itself, as
  // singles.
  std::optional<int64_t> total;
};

// Bytes inside computations that are run (call, while, conditional) are not in it; a fusion is
// priced as a whole.
absl::StatusOr<Traffic> TrafficOf(const hlo::Module& module, hlo::InstructionId id, CostMode mode);

// Bytes of all arrays of a shape: padded by its layouts, or (XLA mode) without.
absl::StatusOr<int64_t> BytesOf(const layout::Shape& shape, CostMode mode);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_COMPUTE_TRAFFIC_H_
