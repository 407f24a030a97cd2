// reduce-scatter-creator: where each device keeps only its part of a sum, only that part is sent to
// it.
//
//   a = bf16[1024,32000] all-reduce(x), groups {0..7}
//   d = bf16[128,32000] dynamic-slice(a, partition * 128, 0)
//   ->  d = bf16[128,32000] reduce-scatter(x), groups {0..7}, dimensions={0}
//
// The all-reduce has one user, a dynamic-slice, maybe through a reshape that leaves the split
// dimension alone. Groups have one size g. One dimension is split, into g parts and a rest, and device
// j of every group takes part j. Without a dimension that shrinks (parts of the whole size), the one
// whose offset is not 0 counts. What is left of a dimension that g does not divide is cut off first.

#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/sums/scatter_sums.h"

namespace tessera::target {

absl::Status CreateReduceScatters(Context& context) {
  return ScatterSums(context, "reduce-scatter-creator", [](const SplitSum&) { return true; });
}

}  // namespace tessera::target
