// Collectives on the rings and lines of a torus.
//
//   // an all-to-all over the 32 devices of axes X and Y
//   absl::StatusOr<NetworkCost> cost = PriceOnTorus(CollectiveKind::kAllToAll, t, place, 32, bytes);
//   cost->formula     // "ring of 4 and line of 8 at once: 9 steps, 2048 bytes on the busiest link"
#ifndef TESSERA_PROJECTION_COST_NETWORK_TORUS_NETWORK_H_
#define TESSERA_PROJECTION_COST_NETWORK_TORUS_NETWORK_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/projection/cost/network/network_cost.h"
#include "tessera/projection/cost/network/topology.h"

namespace tessera::projection {

// The devices (two or more) that a group has along one axis of the torus: the whole axis, or every
// `stride`-th device of a part. A part of a ring is a line; groups of stride m share their links with m others.
struct AxisSpan {
  int axis = 0;  // number of Topology::axis
  int64_t devices = 1, stride = 1;
};

// Over a group that is a block, whose axes work at the same time; without spans it is one device.
// `bytes` as of PriceCollective. kNotSupported for kinds without a rule for rings; a permute has
// pairs, see below.
absl::StatusOr<NetworkCost> PriceOnTorus(CollectiveKind kind, const Topology& topology,
                                         absl::Span<const AxisSpan> spans, int64_t bytes);

// The same over the `devices` of a mesh axis that lies on one or several axes.
absl::StatusOr<NetworkCost> PriceOnTorus(CollectiveKind kind, const Topology& topology,
                                         const AxisPlace& place, int64_t devices, int64_t bytes);

// Messages (source, target) between positions on the mesh axis, all at once, by the routes of
// RouteMessages; every group of the axis sends the same ones. `bytes` each.
absl::StatusOr<NetworkCost> PermuteOnTorus(const Topology& topology, const AxisPlace& place,
                                           int64_t devices,
                                           absl::Span<const std::pair<int64_t, int64_t>> pairs,
                                           int64_t bytes);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_TORUS_NETWORK_H_
