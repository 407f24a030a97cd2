// Time on links: alpha for each step, and the bytes of the busiest directed link by its bandwidth.
//
//   LinkUse use = *ThroughSwitch(CollectiveKind::kAllGather, false, 8, 1 << 20, 4);
//   use.busiest_link_bytes       // 7 << 17, in one step
//   Seconds(use, {1e-6, 4.5e10})
//
//   // a mesh axis on a machine
//   absl::StatusOr<NetworkCost> cost =
//       PriceOnAxis(CollectiveKind::kAllGather, topology, place, devices, bytes, element_bytes);
//   cost->seconds        // none: the file gives no bandwidth
#ifndef TESSERA_PROJECTION_COST_NETWORK_NETWORK_H_
#define TESSERA_PROJECTION_COST_NETWORK_NETWORK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/projection/cost/network/network_cost.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::projection {

// Through a switch that joins all devices: what a device sends, in one step; an all-reduce in a
// switch that combines takes two, all bytes there and back.
absl::StatusOr<LinkUse> ThroughSwitch(CollectiveKind kind, bool reducing, int64_t devices,
                                      int64_t bytes, int64_t element_bytes);

// In groups of `inner` joined by `outer`: an all-reduce scatters inside, reduces the parts across
// and gathers inside; an all-gather gathers across first, on the small shard, and a reduce-scatter
// scatters across last. The phases, in order; times add. `bytes` as of PriceCollective.
// kNotSupported for other kinds.
struct LevelPhase {
  std::string what;  // "reduce-scatter inside"
  CollectiveKind kind;
  int64_t devices, bytes;
  bool inside;
};
absl::StatusOr<std::vector<LevelPhase>> HierarchicalPhases(CollectiveKind kind, int64_t inner,
                                                           int64_t outer, int64_t bytes);

// A collective over all devices along a mesh axis: on a torus (torus_network.h), or on the
// innermost switch that joins so many. `bytes` as of PriceCollective. kNotSupported for a permute
// on a torus, which has a price by its pairs only.
absl::StatusOr<NetworkCost> PriceOnAxis(CollectiveKind kind, const Topology& topology,
                                        const AxisPlace& place, int64_t devices, int64_t bytes,
                                        int64_t element_bytes);
// A permute: (source, target) are positions along the mesh axis, `bytes` go with each pair.
absl::StatusOr<NetworkCost> PricePermute(const Topology& topology, const AxisPlace& place,
                                         int64_t devices,
                                         absl::Span<const std::pair<int64_t, int64_t>> pairs,
                                         int64_t bytes);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_NETWORK_H_
