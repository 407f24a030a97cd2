// Sets of cells as runs of consecutive row-major positions of a tensor, and back. "Linear" is
// always row-major over the logical dimensions; layouts play no part here.
//
//   RunsOfBox(zr[1:3, 0:2], {3, 4})   // [4, 2] [8, 2]: two cells at 4, two at 8
//   BoxesOfRun({1, 6}, {3, 4})        // zr[0:1, 1:4] zr[1:2, 0:3]: the staircase
#ifndef TESSERA_PROJECTION_SET_RUNS_H_
#define TESSERA_PROJECTION_SET_RUNS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

struct Run {
  int64_t first, length;
  friend bool operator==(Run a, Run b) { return a.first == b.first && a.length == b.length; }
};

// Maximal runs, ascending. `box` lies inside [0, shape). kTooLarge, kOverflow.
absl::StatusOr<std::vector<Run>> RunsOfBox(const ZRange& box, const ZPoint& shape,
                                           int64_t limit = kDefaultLimit);

// The cells of a run that lies inside the tensor, as slab boxes: at most 2*rank - 1. kOverflow,
// kOutOfBounds.
absl::StatusOr<std::vector<ZRange>> BoxesOfRun(Run run, const ZPoint& shape);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SET_RUNS_H_
