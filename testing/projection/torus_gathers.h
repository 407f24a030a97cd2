// All-gathers over strided groups of a ring, and over a torus axis by axis.
//
//   TorusAllGatherBound({16, 16}, 1024)    // 65280: bytes on each directed link
#ifndef TESSERA_TESTING_PROJECTION_TORUS_GATHERS_H_
#define TESSERA_TESTING_PROJECTION_TORUS_GATHERS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/cost/network/collective_time.h"

namespace tessera::projection {

// Every `stride`-th device of a ring of `ring` devices forms a group; all groups gather at once. A
// group that does not reach round the ring is a line. kBadShape when stride * group exceeds the
// ring.
struct StridedTraffic {
  std::vector<std::vector<int64_t>> groups;
  bool wraps = false;
  int64_t busiest_link_bytes = 0;
};
absl::StatusOr<StridedTraffic> StridedAllGather(int64_t ring, int64_t stride, int64_t group,
                                                int64_t shard_bytes);

// An all-gather over a torus of wrapped axes, one axis after the other.
struct TorusPhase {
  int axis;
  int64_t steps, busiest_link_bytes;
};
absl::StatusOr<std::vector<TorusPhase>> TorusAllGather(const ZPoint& sizes, int64_t shard_bytes);
// What no schedule over all axes at once can beat, for each directed link.
double TorusAllGatherBound(const ZPoint& sizes, int64_t shard_bytes);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_TORUS_GATHERS_H_
