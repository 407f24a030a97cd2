// Steps and link traffic of collectives on rings, lines and tori.
//
//   RingTraffic t = *RingCollective(CollectiveKind::kAllGather, {8, true, true}, 1024);
//   t.steps, t.busiest_link_bytes       // 4 steps, 4096 bytes on each directed link
//
// Time is steps * alpha + busiest_link_bytes / beta, with alpha seconds for a step and beta bytes
// per second of one directed link; alpha and beta come from the user or from a topology.
#ifndef TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_TIME_H_
#define TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_TIME_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/cost/network/collective_bytes.h"

namespace tessera::projection {

struct Ring {
  int64_t devices = 1;
  bool bidirectional = true;  // both directions are used
  bool wrap = true;           // false: a line, always used both ways
};

struct RingTraffic {
  int64_t steps = 0;
  int64_t busiest_link_bytes = 0;  // of one directed link
  int64_t total_link_bytes = 0;    // over all directed links
};

// `bytes` is the shard for all-gather and reduce-scatter, where PriceCollective() takes the whole array; the bytes of
// one ordered pair for all-to-all (halved between both ways round where they are equally long), the vector for
// all-reduce. kNotSupported for other kinds, kOverflow.
absl::StatusOr<RingTraffic> RingCollective(CollectiveKind kind, const Ring& ring, int64_t bytes);

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

// Messages routed dimension by dimension, axis 0 first, the shorter way round, ties upwards.
struct Torus {
  ZPoint sizes;
  std::vector<bool> wrap;
};
struct LinkBytes {
  int64_t from, to, bytes;  // of one directed link
  friend bool operator==(const LinkBytes& a, const LinkBytes& b) {
    return a.from == b.from && a.to == b.to && a.bytes == b.bytes;
  }
};
struct RoutedTraffic {
  int64_t max_hops = 0;
  int64_t busiest_link_bytes = 0;
  int64_t total_link_bytes = 0;
  std::vector<LinkBytes> links;  // that carry anything, by their ends
};
struct Message {
  int64_t source, target, bytes;
};
absl::StatusOr<RoutedTraffic> RouteMessages(const Torus& torus, absl::Span<const Message> messages);

// An all-gather over a torus of wrapped axes, one axis after the other.
struct TorusPhase {
  int axis;
  int64_t steps, busiest_link_bytes;
};
absl::StatusOr<std::vector<TorusPhase>> TorusAllGather(const ZPoint& sizes, int64_t shard_bytes);
// What no schedule over all axes at once can beat, for each directed link.
double TorusAllGatherBound(const ZPoint& sizes, int64_t shard_bytes);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_TIME_H_
