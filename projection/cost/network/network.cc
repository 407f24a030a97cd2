#include "tessera/projection/cost/network/network.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/network/torus_network.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// The innermost switch that joins so many devices.
absl::StatusOr<const SwitchLevel*> LevelOf(const Topology& topology, int64_t devices) {
  for (const SwitchLevel& level : topology.level()) {
    if (level.devices() >= devices) return &level;
  }
  return MakeError(ErrorCode::kNotSupported, "no links for these devices");
}

absl::StatusOr<NetworkCost> OnSwitch(CollectiveKind kind, const SwitchLevel& level, int64_t devices,
                                     int64_t bytes, int64_t element_bytes) {
  NetworkCost cost;
  const bool reducing = level.kind() == SwitchLevel::REDUCING_SWITCH;
  TESSERA_ASSIGN_OR_RETURN(cost.use, ThroughSwitch(kind, reducing, devices, bytes, element_bytes));
  cost.formula = absl::StrCat("switch of ", level.devices(), ": ", StepsAndBytes(cost.use),
                              " from each device");
  if (level.device_bytes_per_s() > 0)
    cost.seconds = Seconds(cost.use, {level.alpha_s(), level.device_bytes_per_s()});
  return cost;
}

}  // namespace

absl::StatusOr<LinkUse> ThroughSwitch(CollectiveKind kind, bool reducing, int64_t devices,
                                      int64_t bytes, int64_t element_bytes) {
  if (devices <= 1) return LinkUse{};
  if (reducing && kind == CollectiveKind::kAllReduce) return LinkUse{2, bytes};
  TESSERA_ASSIGN_OR_RETURN(const CollectiveTraffic cost,
                           PriceCollective(kind, bytes, element_bytes, devices));
  return LinkUse{1, cost.sent};
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
  if (kind == CollectiveKind::kReduceScatter) {
    return std::vector<LevelPhase>{
        {"reduce-scatter inside", CollectiveKind::kReduceScatter, inner, bytes, true},
        {"reduce-scatter across", CollectiveKind::kReduceScatter, outer, part, false}};
  }
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat(CollectiveKindName(kind), " in two levels"));
}

absl::StatusOr<NetworkCost> PriceOnAxis(CollectiveKind kind, const Topology& topology,
                                        const AxisPlace& place, int64_t devices, int64_t bytes,
                                        int64_t element_bytes) {
  if (devices <= 1) return NetworkCost{{}, "one device", 0.0};
  if (!place.axes.empty()) return PriceOnTorus(kind, topology, place, devices, bytes);
  TESSERA_ASSIGN_OR_RETURN(const SwitchLevel* level, LevelOf(topology, devices));
  return OnSwitch(kind, *level, devices, bytes, element_bytes);
}

absl::StatusOr<NetworkCost> PricePermute(const Topology& topology, const AxisPlace& place,
                                         int64_t devices,
                                         absl::Span<const std::pair<int64_t, int64_t>> pairs,
                                         int64_t bytes) {
  if (devices <= 1) return NetworkCost{{}, "one device", 0.0};
  if (!place.axes.empty()) return PermuteOnTorus(topology, place, devices, pairs, bytes);
  const bool moves = std::any_of(pairs.begin(), pairs.end(),
                                 [](const auto& pair) { return pair.first != pair.second; });
  if (!moves) return NetworkCost{{}, "no message", 0.0};
  TESSERA_ASSIGN_OR_RETURN(const SwitchLevel* level, LevelOf(topology, devices));
  return OnSwitch(CollectiveKind::kPermute, *level, devices, bytes, /*element_bytes=*/1);
}

}  // namespace tessera::projection
