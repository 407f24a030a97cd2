// File: projection/cost/network.h
//
// Time on links: alpha for each step, and the bytes of the busiest directed link by its bandwidth.
//
//   LinkUse use = *RecursiveDoubling(8, 1 << 20);      // 6 steps, 6 MiB on the busiest link
//   Seconds(use, {1e-6, 4.5e10})
//
//   // a mesh axis on a machine
//   absl::StatusOr<NetworkBill> bill =
//       PriceOnAxis(CollectiveKind::kAllGather, topology, place, devices, bytes, element_bytes);
//   bill->seconds        // none: the file gives no bandwidth
#ifndef TESSERA_PROJECTION_COST_NETWORK_H_
#define TESSERA_PROJECTION_COST_NETWORK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/cost/collective_bytes.h"
#include "tessera/projection/cost/topology.h"

namespace tessera::projection {

struct LinkUse {
  int64_t steps = 0;
  int64_t busiest_link_bytes = 0;
};

struct LinkSpeed {
  double alpha_s = 0;
  double bytes_per_s = 0;
};
double Seconds(const LinkUse& use, const LinkSpeed& speed);

// An all-reduce of `bytes` over `devices` >= 1 in 2 ceil(log2 n) steps. Doubling: all bytes in each
// step, the least latency. Two trees: half of the bytes each, so that a link carries twice the
// bytes in all. kOverflow.
absl::StatusOr<LinkUse> RecursiveDoubling(int64_t devices, int64_t bytes);
absl::StatusOr<LinkUse> DoubleBinaryTree(int64_t devices, int64_t bytes);

// Through a switch that joins all devices: what a device sends, in one step; an all-reduce in a
// switch that combines takes two, all bytes there and back.
absl::StatusOr<LinkUse> ThroughSwitch(CollectiveKind kind, bool reducing, int64_t devices,
                                      int64_t bytes, int64_t element_bytes);

// In groups of `inner` joined by `outer`: an all-reduce scatters inside, reduces the parts across
// and gathers inside; an all-gather gathers across first, on the small shard. The phases, in order;
// times add. `bytes` as of PriceCollective. kNotSupported for other kinds.
struct LevelPhase {
  std::string what;  // "reduce-scatter inside"
  CollectiveKind kind;
  int64_t devices, bytes;
  bool inside;
};
absl::StatusOr<std::vector<LevelPhase>> HierarchicalPhases(CollectiveKind kind, int64_t inner,
                                                           int64_t outer, int64_t bytes);

struct NetworkBill {
  LinkUse use;
  std::string formula;  // "ring of 4, both directions: 2 steps of 1024 bytes"
  std::optional<double> seconds;
};
// A collective over all devices along a mesh axis that lies on at most one physical axis, or on the
// innermost switch. An axis that takes a part of a ring is a line; one of stride m shares its links
// with m others. On several physical axes: one after the other, for all-gather, reduce-scatter and
// all-reduce. `bytes` as of PriceCollective.
absl::StatusOr<NetworkBill> PriceOnAxis(CollectiveKind kind, const Topology& topology,
                                        const AxisPlace& place, int64_t devices, int64_t bytes,
                                        int64_t element_bytes);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_H_
