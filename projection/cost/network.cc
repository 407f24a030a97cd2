#include "tessera/projection/cost/network.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/checked.h"
#include "tessera/projection/cost/collective_time.h"
#include "tessera/projection/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

int64_t CeilLog2(int64_t n) {
  int64_t log = 0;
  while ((int64_t{1} << log) < n) ++log;
  return log;
}

absl::StatusOr<LinkUse> UseOf(int64_t steps, Checked bytes) {
  if (!bytes.ok()) return OverflowError("the bytes on a link");
  return LinkUse{steps, bytes.value()};
}

// Rings take the shard, the bytes of a pair, or the vector.
int64_t RingBytes(CollectiveKind kind, int64_t bytes, int64_t devices) {
  return kind == CollectiveKind::kAllReduce ? bytes : CeilDiv(bytes, devices);
}

// Devices of `place` on its only, or outermost, physical axis.
struct OnRing {
  Ring ring;
  int64_t shared;  // groups that use a link
};

OnRing RingOf(const PhysicalAxis& axis, int64_t devices, int64_t stride) {
  const bool whole = devices * stride == axis.size();
  return {{devices, true, whole && axis.wrap()}, stride};
}

absl::StatusOr<NetworkBill> OnTorusAxis(CollectiveKind kind, const PhysicalAxis& axis,
                                        int64_t devices, int64_t stride, int64_t bytes) {
  const OnRing on = RingOf(axis, devices, stride);
  TESSERA_ASSIGN_OR_RETURN(const RingTraffic traffic,
                           RingCollective(kind, on.ring, RingBytes(kind, bytes, devices)));
  NetworkBill bill;
  TESSERA_ASSIGN_OR_RETURN(bill.use,
                           UseOf(traffic.steps, Checked(traffic.busiest_link_bytes) * on.shared));
  bill.formula = absl::StrCat(on.ring.wrap ? "ring of " : "line of ", devices,
                              stride > 1 ? absl::StrCat(", every ", stride, "th device") : "", ": ",
                              bill.use.steps, " steps, ", bill.use.busiest_link_bytes,
                              " bytes on the busiest link");
  if (axis.link_bytes_per_s() > 0)
    bill.seconds = Seconds(bill.use, {axis.alpha_s(), axis.link_bytes_per_s()});
  return bill;
}

absl::StatusOr<NetworkBill> OnSwitch(CollectiveKind kind, const SwitchLevel& level, int64_t devices,
                                     int64_t bytes, int64_t element_bytes) {
  NetworkBill bill;
  const bool reducing = level.kind() == SwitchLevel::REDUCING_SWITCH;
  TESSERA_ASSIGN_OR_RETURN(bill.use, ThroughSwitch(kind, reducing, devices, bytes, element_bytes));
  bill.formula = absl::StrCat("switch of ", level.devices(), ": ", bill.use.steps, " steps, ",
                              bill.use.busiest_link_bytes, " bytes from each device");
  if (level.device_bytes_per_s() > 0)
    bill.seconds = Seconds(bill.use, {level.alpha_s(), level.device_bytes_per_s()});
  return bill;
}

void Append(const NetworkBill& phase, NetworkBill* bill) {
  bill->use.steps += phase.use.steps;
  bill->use.busiest_link_bytes =
      std::max(bill->use.busiest_link_bytes, phase.use.busiest_link_bytes);
  absl::StrAppend(&bill->formula, bill->formula.empty() ? "" : "; ", phase.formula);
  bill->seconds = bill->seconds.has_value() && phase.seconds.has_value()
                      ? std::optional<double>(*bill->seconds + *phase.seconds)
                      : std::nullopt;
}

// One axis after the other, the shard growing as it is gathered.
absl::StatusOr<NetworkBill> OnSeveralAxes(CollectiveKind kind, const Topology& t,
                                          const AxisPlace& place, int64_t devices, int64_t bytes) {
  const bool gathers = kind == CollectiveKind::kAllGather || kind == CollectiveKind::kReduceScatter;
  if (!gathers && kind != CollectiveKind::kAllReduce)
    return MakeError(ErrorCode::kNotSupported,
                     absl::StrCat(CollectiveKindName(kind), " over several physical axes"));
  NetworkBill bill;
  bill.seconds = 0;
  int64_t shard = CeilDiv(bytes, devices);
  for (int a : place.axes) {
    const int64_t size = t.axis(a).size();
    TESSERA_ASSIGN_OR_RETURN(
        const NetworkBill phase,
        OnTorusAxis(CollectiveKind::kAllGather, t.axis(a), size, 1, shard * size));
    for (int times = gathers ? 1 : 2; times > 0; --times) Append(phase, &bill);
    shard *= size;
  }
  return bill;
}

}  // namespace

double Seconds(const LinkUse& use, const LinkSpeed& speed) {
  return static_cast<double>(use.steps) * speed.alpha_s +
         static_cast<double>(use.busiest_link_bytes) / speed.bytes_per_s;
}

absl::StatusOr<LinkUse> RecursiveDoubling(int64_t devices, int64_t bytes) {
  const int64_t steps = 2 * CeilLog2(devices);
  return UseOf(steps, Checked(bytes) * steps);
}

absl::StatusOr<LinkUse> DoubleBinaryTree(int64_t devices, int64_t bytes) {
  return UseOf(2 * CeilLog2(devices), devices > 1 ? Checked(bytes) * 2 : Checked(0));
}

absl::StatusOr<LinkUse> ThroughSwitch(CollectiveKind kind, bool reducing, int64_t devices,
                                      int64_t bytes, int64_t element_bytes) {
  if (devices <= 1) return LinkUse{};
  if (reducing && kind == CollectiveKind::kAllReduce) return LinkUse{2, bytes};
  TESSERA_ASSIGN_OR_RETURN(const CollectiveBill bill,
                           PriceCollective(kind, bytes, element_bytes, devices));
  return LinkUse{1, bill.sent};
}

absl::StatusOr<std::vector<LevelPhase>> HierarchicalPhases(CollectiveKind kind, int64_t inner,
                                                           int64_t outer, int64_t bytes) {
  const int64_t part = CeilDiv(bytes, inner);
  if (kind == CollectiveKind::kAllReduce) {
    return std::vector<LevelPhase>{
        {"reduce-scatter inside", CollectiveKind::kReduceScatter, inner, bytes, true},
        {"all-reduce across", CollectiveKind::kAllReduce, outer, part, false},
        {"all-gather inside", CollectiveKind::kAllGather, inner, bytes, true}};
  }
  if (kind == CollectiveKind::kAllGather) {
    return std::vector<LevelPhase>{
        {"all-gather across", CollectiveKind::kAllGather, outer, part, false},
        {"all-gather inside", CollectiveKind::kAllGather, inner, bytes, true}};
  }
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat(CollectiveKindName(kind), " in two levels"));
}

absl::StatusOr<NetworkBill> PriceOnAxis(CollectiveKind kind, const Topology& topology,
                                        const AxisPlace& place, int64_t devices, int64_t bytes,
                                        int64_t element_bytes) {
  if (devices <= 1) return NetworkBill{{}, "one device", 0.0};
  if (place.axes.size() > 1) return OnSeveralAxes(kind, topology, place, devices, bytes);
  if (place.axes.size() == 1)
    return OnTorusAxis(kind, topology.axis(place.axes[0]), devices, place.stride, bytes);
  for (const SwitchLevel& level : topology.level()) {
    if (level.devices() >= devices) return OnSwitch(kind, level, devices, bytes, element_bytes);
  }
  return MakeError(ErrorCode::kNotSupported, "no links for these devices");
}

}  // namespace tessera::projection
