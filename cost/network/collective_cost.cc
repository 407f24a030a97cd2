#include "tessera/cost/network/collective_cost.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/cost/network/network.h"
#include "tessera/projection/cost/network/torus_network.h"
#include "tessera/target/collectives/slices.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using projection::AxisPlace;
using projection::AxisSpan;
using projection::CollectiveKind;
using projection::NetworkCost;
using sharding::partition::Collective;

using Group = std::vector<int64_t>;

absl::Status Unknown(absl::string_view why) { return absl::UnimplementedError(why); }

// The axes along which a group has several devices.
using Block = std::vector<AxisSpan>;

constexpr absl::string_view kNoBlock = "the devices of a group are no block of the torus";

// None if two or more coordinates on `axis` have no common distance.
std::optional<AxisSpan> SpanOf(int axis, const std::set<int64_t>& coordinates) {
  const int64_t stride = *std::next(coordinates.begin()) - *coordinates.begin();
  int64_t expected = *coordinates.begin();
  for (const int64_t c : coordinates) {
    if (c != expected) return std::nullopt;
    expected += stride;
  }
  return AxisSpan{axis, static_cast<int64_t>(coordinates.size()), stride};
}

absl::StatusOr<Block> BlockOf(const Group& group, const Machine& machine) {
  Block block;
  int64_t devices = 1;
  for (int a = 0; a < machine.topology.axis_size(); ++a) {
    std::set<int64_t> coordinates;
    for (const int64_t device : group) {
      coordinates.insert(machine.places[static_cast<size_t>(device)][a]);
    }
    if (coordinates.size() == 1) continue;
    const std::optional<AxisSpan> span = SpanOf(a, coordinates);
    if (!span.has_value()) return Unknown(kNoBlock);
    devices *= span->devices;
    block.push_back(*span);
  }
  if (devices == static_cast<int64_t>(group.size())) return block;
  return Unknown(kNoBlock);
}

// Blocks with equal keys take the same time.
std::vector<int64_t> KeyOf(const Block& block) {
  std::vector<int64_t> key;
  for (const AxisSpan& span : block) key.insert(key.end(), {span.axis, span.devices, span.stride});
  return key;
}

// Groups of different forms work at the same time: the slowest counts.
absl::StatusOr<NetworkCost> SlowestGroupOnTorus(const Payload& payload, const Collective& c,
                                                const Machine& machine) {
  std::set<std::vector<int64_t>> seen;
  std::optional<NetworkCost> slowest;
  for (const Group& group : c.groups) {
    TESSERA_ASSIGN_OR_RETURN(const Block block, BlockOf(group, machine));
    if (!seen.insert(KeyOf(block)).second) continue;
    TESSERA_ASSIGN_OR_RETURN(
        NetworkCost network,
        projection::PriceOnTorus(payload.kind, machine.topology, block, payload.bytes));
    if (!slowest.has_value() || network.seconds > slowest->seconds) slowest = std::move(network);
  }
  return *std::move(slowest);
}

// How many devices of a group share a switch of that level, if it is the same number in all.
std::optional<int64_t> PerSwitch(const Group& group, int64_t switch_devices) {
  std::map<int64_t, int64_t> counts;
  for (const int64_t device : group) ++counts[device / switch_devices];
  const int64_t first = counts.begin()->second;
  const bool even = absl::c_all_of(counts, [first](const auto& c) { return c.second == first; });
  return even ? std::optional<int64_t>(first) : std::nullopt;
}

// The machine as if it had one switch, that of a level.
projection::Topology LevelAlone(const Machine& machine, int level) {
  projection::Topology alone;
  alone.set_name(machine.topology.name());
  *alone.add_level() = machine.topology.level(level);
  return alone;
}

absl::StatusOr<NetworkCost> InPhases(const Payload& payload, const Machine& machine, int level,
                                     int64_t inside) {
  NetworkCost network;
  network.seconds = 0;
  TESSERA_ASSIGN_OR_RETURN(const auto phases,
                           projection::HierarchicalPhases(payload.kind, inside,
                                                          payload.devices / inside, payload.bytes));
  for (const projection::LevelPhase& phase : phases) {
    const projection::Topology alone = LevelAlone(machine, phase.inside ? level - 1 : level);
    TESSERA_ASSIGN_OR_RETURN(
        NetworkCost part, projection::PriceOnAxis(phase.kind, alone, {}, phase.devices, phase.bytes,
                                                  payload.element_bytes));
    part.formula = absl::StrCat(phase.what, ": ", part.formula);
    AddPhase(part, &network);
  }
  return network;
}

// The innermost level that joins all devices of every group, or of every pair.
int LevelOf(const std::vector<Group>& groups, const Machine& machine) {
  int level = 0;
  for (const Group& group : groups) {
    for (; level + 1 < machine.topology.level_size(); ++level) {
      const int64_t joined = std::max<int64_t>(machine.topology.level(level).devices(), 1);
      const bool fits = absl::c_all_of(
          group, [&](int64_t device) { return device / joined == group.front() / joined; });
      if (fits) break;
    }
  }
  return level;
}

// Devices of a group that work inside one switch before all work across the level; 1: none do.
int64_t DevicesInside(const Payload& payload, const std::vector<Group>& groups,
                      const Machine& machine, int level) {
  const bool has_phases = payload.kind == CollectiveKind::kAllReduce ||
                          payload.kind == CollectiveKind::kAllGather ||
                          payload.kind == CollectiveKind::kReduceScatter;
  if (level == 0 || !has_phases) return 1;
  return PerSwitch(groups[0], machine.topology.level(level - 1).devices()).value_or(1);
}

// In phases across switches it is a reduce-scatter and an all-gather that a device sends inside.
bool SwitchAdds(const Payload& payload, const std::vector<Group>& groups, const Machine& machine) {
  if (payload.kind != CollectiveKind::kAllReduce || payload.devices <= 1) return false;
  const int level = LevelOf(groups, machine);
  return DevicesInside(payload, groups, machine, level) == 1 &&
         machine.topology.level(level).kind() == projection::SwitchLevel::REDUCING_SWITCH;
}

absl::StatusOr<NetworkCost> OnSwitches(const Payload& payload, const std::vector<Group>& groups,
                                       const Machine& machine) {
  const int level = LevelOf(groups, machine);
  const int64_t inside = DevicesInside(payload, groups, machine, level);
  if (inside > 1) return InPhases(payload, machine, level, inside);
  return projection::PriceOnAxis(payload.kind, LevelAlone(machine, level), {}, payload.devices,
                                 payload.bytes, payload.element_bytes);
}

int64_t NumberOf(const projection::ZPoint& place, const Machine& machine) {
  int64_t number = 0;
  for (int a = 0; a < place.rank(); ++a)
    number = number * machine.topology.axis(a).size() + place[a];
  return number;
}

// On one torus; slices have equal links, so that equal pairs of two slices are one.
absl::StatusOr<NetworkCost> PermuteOnTorus(const Payload& payload, const Collective& c,
                                           const Machine& machine) {
  AxisPlace all;
  for (int a = 0; a < machine.topology.axis_size(); ++a) all.axes.push_back(a);
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (const auto& [source, target] : c.pairs) {
    pairs.emplace(NumberOf(machine.places[static_cast<size_t>(source)], machine),
                  NumberOf(machine.places[static_cast<size_t>(target)], machine));
  }
  const std::vector<std::pair<int64_t, int64_t>> list(pairs.begin(), pairs.end());
  return projection::PricePermute(machine.topology, all, machine.torus_devices(), list,
                                  payload.bytes);
}

absl::StatusOr<NetworkCost> Permute(const Payload& payload, const Collective& c,
                                    const Machine& machine) {
  if (!machine.is_torus() || LeavesTorus(c, machine)) {
    std::vector<Group> moves;
    for (const auto& [source, target] : c.pairs) {
      if (source != target) moves.push_back({source, target});
    }
    if (moves.empty()) return NetworkCost{{}, "no message", 0.0};
    return OnSwitches(payload, moves, machine);
  }
  return PermuteOnTorus(payload, c, machine);
}

// A module that is taken as it is may name others.
bool HasDevicesOf(const Machine& machine, const Collective& c) {
  const auto is_there = [&](int64_t device) {
    return device >= 0 && device < static_cast<int64_t>(machine.places.size());
  };
  return absl::c_all_of(
             c.pairs,
             [&](const auto& pair) { return is_there(pair.first) && is_there(pair.second); }) &&
         absl::c_all_of(c.groups,
                        [&](const Group& group) { return absl::c_all_of(group, is_there); });
}

absl::StatusOr<NetworkCost> Price(const Collective& c, const Machine& machine) {
  if (machine.is_torus() && !HasDevicesOf(machine, c)) {
    return Unknown("it is for devices that the machine does not have");
  }
  const std::optional<Payload> payload = PayloadOf(c);
  if (!payload.has_value()) return Unknown("nothing is known of its messages");
  if (payload->kind == CollectiveKind::kPermute) return Permute(*payload, c, machine);
  if (c.groups.empty() || payload->devices <= 1) return NetworkCost{{}, "one device", 0.0};
  return machine.is_torus() && !LeavesTorus(c, machine) ? SlowestGroupOnTorus(*payload, c, machine)
                                                        : OnSwitches(*payload, c.groups, machine);
}

}  // namespace

std::optional<Payload> PayloadOn(const Collective& collective, const Machine& machine) {
  std::optional<Payload> payload = PayloadOf(collective);
  if (payload.has_value() && !machine.is_torus() && !collective.groups.empty()) {
    payload->switch_adds = SwitchAdds(*payload, collective.groups, machine);
  }
  return payload;
}

bool LeavesTorus(const Collective& collective, const Machine& machine) {
  return machine.is_torus() && machine.topology.level_size() > 0 &&
         target::SpansSlices(collective, machine.torus_devices());
}

CollectiveCost CostOf(const Collective& collective, const Machine& machine) {
  const absl::StatusOr<NetworkCost> network = Price(collective, machine);
  if (!network.ok()) return {std::nullopt, "", std::string(network.status().message())};
  CollectiveCost cost = {network->seconds, network->formula, ""};
  if (!cost.seconds.has_value()) cost.why_unknown = "the machine has no bandwidth for it";
  return cost;
}

}  // namespace tessera::cost
