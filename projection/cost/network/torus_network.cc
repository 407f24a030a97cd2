// One physical axis after the other. What each phase carries, with n_a devices along axis a, n in
// all, and V bytes as of PriceCollective:
//
//   all-gather       axis 0 first, on shards of V/n; the next axis has shards n_0 times as large
//   reduce-scatter   the same phases backwards, so with the same sum
//   all-reduce       both
//   all-to-all       all that a device has for others, in n_a parts: along axis a a pair exchanges
//                    what is meant for all devices that share the target's coordinate, V/n_a
//   permute          no phases: every message by its route, links counted
//
// The phases of an all-to-all carry over each link exactly what routing every message dimension by
// dimension carries over it. Cost: one closed form an axis; of a permute a step a hop. Tested by
// topology_test.cc: against RouteMessages, message by message.
#include "tessera/projection/cost/network/torus_network.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/network/collective_time.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Rings take the shard, the bytes of a pair, or the vector.
int64_t RingBytes(CollectiveKind kind, int64_t bytes, int64_t devices) {
  return kind == CollectiveKind::kAllReduce ? bytes : CeilDiv(bytes, devices);
}

std::string FormulaOf(const std::string& what, const LinkUse& use) {
  return absl::StrCat(what, ": ", use.steps, " steps, ", use.busiest_link_bytes,
                      " bytes on the busiest link");
}

absl::StatusOr<NetworkCost> OnAxis(CollectiveKind kind, const PhysicalAxis& axis, int64_t devices,
                                   int64_t stride, int64_t bytes) {
  const Ring ring{devices, true, devices * stride == axis.size() && axis.wrap()};
  TESSERA_ASSIGN_OR_RETURN(const RingTraffic traffic,
                           RingCollective(kind, ring, RingBytes(kind, bytes, devices)));
  const Checked busiest = Checked(traffic.busiest_link_bytes) * stride;  // groups share links
  if (!busiest.ok()) return OverflowError("the bytes on a link");
  NetworkCost cost;
  cost.use = {traffic.steps, busiest.value()};
  cost.formula =
      FormulaOf(absl::StrCat(ring.wrap ? "ring of " : "line of ", devices,
                             stride > 1 ? absl::StrCat(", every ", stride, "th device") : ""),
                cost.use);
  if (axis.link_bytes_per_s() > 0)
    cost.seconds = Seconds(cost.use, {axis.alpha_s(), axis.link_bytes_per_s()});
  return cost;
}

// Axis after axis, the shard growing as it is gathered; an all-reduce goes there and back.
absl::StatusOr<NetworkCost> GatherByAxes(const Topology& t, const AxisPlace& place, int64_t devices,
                                         int64_t bytes, int times) {
  NetworkCost cost;
  cost.seconds = 0;
  Checked shard = CeilDiv(bytes, devices);
  for (int a : place.axes) {
    const int64_t size = t.axis(a).size();
    shard = shard * size;
    if (!shard.ok()) return OverflowError("the bytes of a shard");
    TESSERA_ASSIGN_OR_RETURN(const NetworkCost phase,
                             OnAxis(CollectiveKind::kAllGather, t.axis(a), size, 1, shard.value()));
    for (int i = 0; i < times; ++i) AddPhase(phase, &cost);
  }
  return cost;
}

absl::StatusOr<NetworkCost> ExchangeByAxes(const Topology& t, const AxisPlace& place,
                                           int64_t bytes) {
  NetworkCost cost;
  cost.seconds = 0;
  for (int a : place.axes) {
    TESSERA_ASSIGN_OR_RETURN(const NetworkCost phase, OnAxis(CollectiveKind::kAllToAll, t.axis(a),
                                                             t.axis(a).size(), 1, bytes));
    AddPhase(phase, &cost);
  }
  return cost;
}

// The part of the machine that a mesh axis lies on.
struct Part {
  Torus torus;
  int64_t groups;  // that lie on the same physical axes

  // Device `i` of group `g`.
  int64_t Place(int64_t i, int64_t g, int64_t devices, int64_t stride) const {
    return (g / stride) * devices * stride + i * stride + g % stride;
  }
};

Part PartOf(const Topology& t, const AxisPlace& place, int64_t devices) {
  Part part{{}, 1};
  int64_t all = 1;
  for (int a : place.axes) {
    part.torus.sizes.push_back(t.axis(a).size());
    part.torus.wrap.push_back(t.axis(a).wrap());
    all *= t.axis(a).size();
  }
  part.groups = all / devices;
  return part;
}

}  // namespace

absl::StatusOr<NetworkCost> OnTorus(CollectiveKind kind, const Topology& topology,
                                    const AxisPlace& place, int64_t devices, int64_t bytes) {
  if (place.axes.size() == 1)
    return OnAxis(kind, topology.axis(place.axes[0]), devices, place.stride, bytes);
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
      return GatherByAxes(topology, place, devices, bytes, 1);
    case CollectiveKind::kAllReduce:
      return GatherByAxes(topology, place, devices, bytes, 2);
    case CollectiveKind::kAllToAll:
      return ExchangeByAxes(topology, place, bytes);
    default:
      return MakeError(ErrorCode::kNotSupported,
                       absl::StrCat(CollectiveKindName(kind), " over several physical axes"));
  }
}

absl::StatusOr<NetworkCost> PermuteOnTorus(const Topology& topology, const AxisPlace& place,
                                           int64_t devices,
                                           absl::Span<const std::pair<int64_t, int64_t>> pairs,
                                           int64_t bytes) {
  const Part part = PartOf(topology, place, devices);
  std::vector<Message> messages;
  for (const auto& [source, target] : pairs) {
    if (source < 0 || source >= devices || target < 0 || target >= devices)
      return MakeError(ErrorCode::kBadDim, absl::StrCat("a message from ", source, " to ", target,
                                                        " among ", devices, " devices"));
    for (int64_t g = 0; g < part.groups; ++g)
      messages.push_back({part.Place(source, g, devices, place.stride),
                          part.Place(target, g, devices, place.stride), bytes});
  }
  TESSERA_ASSIGN_OR_RETURN(const RoutedTraffic routed, RouteMessages(part.torus, messages));
  NetworkCost cost;
  cost.use = {routed.max_hops, routed.busiest_link_bytes};
  cost.formula = FormulaOf(absl::StrCat(pairs.size(), " messages by their routes"), cost.use);
  // The slowest link decides: which one is the busiest is not asked.
  LinkSpeed speed{0, 0};
  for (int a : place.axes) {
    const PhysicalAxis& axis = topology.axis(a);
    speed.alpha_s = std::max(speed.alpha_s, axis.alpha_s());
    if (speed.bytes_per_s == 0 || axis.link_bytes_per_s() < speed.bytes_per_s)
      speed.bytes_per_s = axis.link_bytes_per_s();
  }
  if (speed.bytes_per_s > 0) cost.seconds = Seconds(cost.use, speed);
  return cost;
}

}  // namespace tessera::projection
