// All axes at once. What they carry, with n_A devices along axis A, n in all, and V bytes as of
// PriceCollective:
//
//   all-gather      the array is cut into parts, which go round the axes in different orders
//   reduce-scatter  the same backwards, so with the same time
//   all-reduce      both
//   all-to-all      all that a device has for others, in n_A parts: along axis A two devices exchange
//                   what is meant for all devices with the coordinate of the other one, V/n_A; the
//                   slowest axis counts
//   permute         every message by its route, links counted
//
// A part of an all-gather's array visits the axes in some order. If its earlier axes have joined p
// shards, axis A carries p (n_A - 1) shards of it. So the axes of any set S carry at least (product
// of n_A in S) - 1 shards together. A mix of orders reaches this bound for all sets at once. The
// time is the largest of these numbers, each divided by the speed of the links of S. For the set of
// all axes that is V (n-1)/n by all links of a device, and no algorithm is faster.
//
// In an all-to-all, an axis carries exactly the bytes of a routing of every message dimension by
// dimension. Cost: one closed form an axis, or a set of axes; of a permute a step a hop. Tested by
// topology_test.cc: against RouteMessages, message by message.
#include "tessera/projection/cost/network/torus_network.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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
  return absl::StrCat(what, ": ", StepsAndBytes(use), " on the busiest link");
}

// All of a wrapped axis, which groups that interleave share.
bool Wraps(const AxisSpan& span, const PhysicalAxis& axis) {
  return span.devices * span.stride == axis.size() && axis.wrap();
}

// Directed links on which a device along the axis receives, as many as it can use at once. The ends
// of a line have one, and so have two devices.
int64_t LinksOf(const AxisSpan& span, const PhysicalAxis& axis) {
  return Wraps(span, axis) && span.devices > 2 ? 2 : 1;
}

bool HaveSpeeds(const Topology& t, absl::Span<const AxisSpan> spans) {
  return absl::c_all_of(
      spans, [&](const AxisSpan& span) { return t.axis(span.axis).link_bytes_per_s() > 0; });
}

// The load of an all-gather over several axes, with shards of one byte: see above.
struct AllGatherLoad {
  int64_t steps = 0;
  double seconds_of_steps = 0;
  double seconds = 0;     // of the bytes
  double link_bytes = 0;  // on the busiest link
};

AllGatherLoad LoadOfAllGather(const Topology& t, absl::Span<const AxisSpan> spans) {
  const bool have_speeds = HaveSpeeds(t, spans);
  std::vector<double> speeds;
  double fastest = 0;
  AllGatherLoad all;
  for (const AxisSpan& span : spans) {
    const PhysicalAxis& axis = t.axis(span.axis);
    const double link = have_speeds ? axis.link_bytes_per_s() : 1;
    fastest = std::max(fastest, link);
    speeds.push_back(static_cast<double>(LinksOf(span, axis)) * link /
                     static_cast<double>(span.stride));
    const int64_t steps = Wraps(span, axis) ? CeilDiv(span.devices - 1, 2) : span.devices - 1;
    all.steps += steps;
    all.seconds_of_steps += static_cast<double>(steps) * axis.alpha_s();
  }
  for (size_t some = 1; some < size_t{1} << spans.size(); ++some) {
    double devices = 1, speed = 0;
    for (size_t k = 0; k < spans.size(); ++k) {
      if ((some >> k & 1) == 0) continue;
      devices *= static_cast<double>(spans[k].devices);
      speed += speeds[k];
    }
    all.seconds = std::max(all.seconds, (devices - 1) / speed);
  }
  all.link_bytes = all.seconds * fastest;
  return all;
}

std::string NameOf(const AxisSpan& span, const PhysicalAxis& axis) {
  return absl::StrCat(Wraps(span, axis) ? "ring of " : "line of ", span.devices,
                      span.stride > 1 ? absl::StrCat(", ", span.stride, " devices apart") : "");
}

absl::StatusOr<NetworkCost> OnAxis(CollectiveKind kind, const Topology& t, const AxisSpan& span,
                                   int64_t bytes) {
  const PhysicalAxis& axis = t.axis(span.axis);
  const Ring ring{span.devices, true, Wraps(span, axis)};
  TESSERA_ASSIGN_OR_RETURN(const RingTraffic traffic,
                           RingCollective(kind, ring, RingBytes(kind, bytes, span.devices)));
  const Checked busiest = Checked(traffic.busiest_link_bytes) * span.stride;  // groups share links
  if (!busiest.ok()) return OverflowError("the bytes on a link");
  NetworkCost cost;
  cost.use = {traffic.steps, busiest.value()};
  cost.formula = FormulaOf(NameOf(span, axis), cost.use);
  if (axis.link_bytes_per_s() > 0)
    cost.seconds = Seconds(cost.use, {axis.alpha_s(), axis.link_bytes_per_s()});
  return cost;
}

std::string NamesOf(const Topology& t, absl::Span<const AxisSpan> spans) {
  return absl::StrJoin(spans, " and ", [&](std::string* out, const AxisSpan& span) {
    absl::StrAppend(out, NameOf(span, t.axis(span.axis)));
  });
}

// One round is an all-gather or a reduce-scatter; an all-reduce is both, two rounds.
absl::StatusOr<NetworkCost> PriceGatherRounds(const Topology& t, absl::Span<const AxisSpan> spans,
                                              int64_t bytes, int rounds) {
  int64_t devices = 1;
  for (const AxisSpan& span : spans) devices *= span.devices;
  const AllGatherLoad one = LoadOfAllGather(t, spans);
  const double shards = static_cast<double>(CeilDiv(bytes, devices)) * rounds;
  const double link_bytes = std::ceil(one.link_bytes * shards);
  if (!(link_bytes < 9e18)) return OverflowError("the bytes on a link");
  NetworkCost cost;
  cost.use = {one.steps * rounds, static_cast<int64_t>(link_bytes)};
  cost.formula = FormulaOf(absl::StrCat(NamesOf(t, spans), " at once"), cost.use);
  if (HaveSpeeds(t, spans)) cost.seconds = one.seconds_of_steps * rounds + one.seconds * shards;
  return cost;
}

// Each axis carries its part of every message, whichever it is on first.
absl::StatusOr<NetworkCost> Exchange(const Topology& t, absl::Span<const AxisSpan> spans,
                                     int64_t bytes) {
  NetworkCost cost;
  double steps_s = 0, bytes_s = 0;
  for (const AxisSpan& span : spans) {
    TESSERA_ASSIGN_OR_RETURN(const NetworkCost phase,
                             OnAxis(CollectiveKind::kAllToAll, t, span, bytes));
    const PhysicalAxis& axis = t.axis(span.axis);
    cost.use.steps += phase.use.steps;
    cost.use.busiest_link_bytes =
        std::max(cost.use.busiest_link_bytes, phase.use.busiest_link_bytes);
    steps_s += static_cast<double>(phase.use.steps) * axis.alpha_s();
    bytes_s = std::max(bytes_s,
                       static_cast<double>(phase.use.busiest_link_bytes) / axis.link_bytes_per_s());
  }
  cost.formula = FormulaOf(absl::StrCat(NamesOf(t, spans), " at once"), cost.use);
  if (HaveSpeeds(t, spans)) cost.seconds = steps_s + bytes_s;
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

// Along which axis of a torus of such sizes a link goes.
size_t AxisOf(LinkBytes link, const ZPoint& sizes) {
  int a = sizes.rank() - 1;
  for (; a > 0 && link.from % sizes[a] == link.to % sizes[a]; --a) {
    link.from /= sizes[a];
    link.to /= sizes[a];
  }
  return static_cast<size_t>(a);
}

}  // namespace

absl::StatusOr<NetworkCost> PriceOnTorus(CollectiveKind kind, const Topology& topology,
                                         absl::Span<const AxisSpan> spans, int64_t bytes) {
  constexpr size_t kMaxAxes = 12;  // all sets of axes are looked at
  if (spans.empty()) return NetworkCost{{}, "one device", 0.0};
  if (spans.size() == 1) return OnAxis(kind, topology, spans[0], bytes);
  if (spans.size() > kMaxAxes)
    return MakeError(ErrorCode::kNotSupported, "a group over more than 12 axes of the torus");
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
      return PriceGatherRounds(topology, spans, bytes, 1);
    case CollectiveKind::kAllReduce:
      return PriceGatherRounds(topology, spans, bytes, 2);
    case CollectiveKind::kAllToAll:
      return Exchange(topology, spans, bytes);
    default:
      return MakeError(ErrorCode::kNotSupported,
                       absl::StrCat(CollectiveKindName(kind), " over several physical axes"));
  }
}

absl::StatusOr<NetworkCost> PriceOnTorus(CollectiveKind kind, const Topology& topology,
                                         const AxisPlace& place, int64_t devices, int64_t bytes) {
  if (place.axes.size() == 1)
    return PriceOnTorus(kind, topology, {AxisSpan{place.axes[0], devices, place.stride}}, bytes);
  std::vector<AxisSpan> spans;
  for (const int a : place.axes) {
    if (topology.axis(a).size() > 1) spans.push_back({a, topology.axis(a).size(), 1});
  }
  return PriceOnTorus(kind, topology, spans, bytes);
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
  double alpha_s = 0, bytes_s = 0;
  for (int a : place.axes) alpha_s = std::max(alpha_s, topology.axis(a).alpha_s());
  for (const LinkBytes& link : routed.links) {
    const int a = place.axes[AxisOf(link, part.torus.sizes)];
    const double speed = topology.axis(a).link_bytes_per_s();
    if (speed == 0) return cost;
    bytes_s = std::max(bytes_s, static_cast<double>(link.bytes) / speed);
  }
  cost.seconds = static_cast<double>(cost.use.steps) * alpha_s + bytes_s;
  return cost;
}

}  // namespace tessera::projection
