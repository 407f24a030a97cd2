// Groups that take the numbers of others: where both have the same devices in a group, the tiling inside is
// renumbered so that no data moves. XLA: hlo_sharding_util, AlignGroupsWith.

#include <optional>
#include <utility>
#include <vector>

#include "tessera/sharding/partition/tiling/grouping.h"

namespace tessera::sharding::partition {
namespace {

std::vector<int64_t> GroupOfDevice(const DeviceGroups& groups) {
  return groups.Grid({groups.groups(), groups.size()}).IndicesAlong(0);
}

// The one group of `reference` that has all devices of group g; -1 if there is none.
int64_t MatchingGroup(const DeviceGroups& groups, int64_t g,
                      const std::vector<int64_t>& reference) {
  const int64_t found = At(reference, groups.device(g, 0));
  for (int64_t i = 1; i < groups.size(); ++i) {
    if (At(reference, groups.device(g, i)) != found) return -1;
  }
  return found;
}

// The position of each member of group g in group `other` of the reference.
std::vector<int64_t> Renumbering(const DeviceGroups& groups, int64_t g,
                                 const DeviceGroups& reference, int64_t other) {
  std::vector<int64_t> position(reference.devices().size());
  for (int64_t i = 0; i < groups.size(); ++i) At(position, reference.device(other, i)) = i;
  std::vector<int64_t> out(static_cast<size_t>(groups.size()));
  for (int64_t i = 0; i < groups.size(); ++i) At(out, i) = At(position, groups.device(g, i));
  return out;
}

Tiling Renumbered(const Tiling& tiling, const std::vector<int64_t>& numbers) {
  std::vector<int64_t> devices = tiling.grid().Devices();
  for (int64_t& device : devices) device = At(numbers, device);
  return Tiling::Like(*TileAssignment::List(tiling.dims(), std::move(devices)), tiling);
}

std::optional<Grouping> AlignAs(const Grouping& grouping, const Grouping& reference,
                                bool must_match, bool any_order) {
  Grouping out = grouping;
  out.devices = reference.devices;
  if (grouping.devices == reference.devices) return out;
  const std::vector<int64_t> group_of = GroupOfDevice(reference.devices);
  std::vector<int64_t> numbers;
  for (int64_t g = 0; g < grouping.devices.groups(); ++g) {
    const int64_t match = MatchingGroup(grouping.devices, g, group_of);
    if (match < 0 || (!any_order && match != g)) {
      if (must_match) return std::nullopt;
      return out;
    }
    if (g == 0) {
      numbers = Renumbering(grouping.devices, g, reference.devices, match);
    } else if (must_match &&
               numbers != Renumbering(grouping.devices, g, reference.devices, match)) {
      return std::nullopt;
    }
  }
  if (out.inner.IsTiled()) out.inner = Renumbered(out.inner, numbers);
  return out;
}

}  // namespace

Grouping Align(const Grouping& grouping, const Grouping& reference, bool any_order) {
  return *AlignAs(grouping, reference, /*must_match=*/false, any_order);
}

std::optional<Grouping> AlignIfCompatible(const Grouping& grouping, const Grouping& reference) {
  if (grouping.devices.groups() != reference.devices.groups()) return std::nullopt;
  return AlignAs(grouping, reference, /*must_match=*/true, /*any_order=*/false);
}

Tiling AlignOn(const Tiling& tiling, Ints dims, const Tiling& reference, Ints reference_dims) {
  return Ungroup(Align(GroupOn(tiling, dims), GroupOn(reference, reference_dims)));
}

bool SameGroups(const DeviceGroups& a, const DeviceGroups& b) {
  if (a.groups() != b.groups()) return false;
  if (a == b) return true;
  const std::vector<int64_t> group_of = GroupOfDevice(a);
  for (int64_t g = 0; g < b.groups(); ++g) {
    if (MatchingGroup(b, g, group_of) != g) return false;
  }
  return true;
}

}  // namespace tessera::sharding::partition
