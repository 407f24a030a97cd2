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

// `bytes` is the shard for all-gather and reduce-scatter, where PriceCollective() takes the whole array, and the
// vector for all-reduce. For all-to-all it is the bytes of one ordered pair, halved between both ways round where
// they are equally long. kNotSupported for other kinds, kOverflow.
absl::StatusOr<RingTraffic> RingCollective(CollectiveKind kind, const Ring& ring, int64_t bytes);

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

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_TIME_H_
