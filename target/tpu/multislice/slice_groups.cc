#include "tessera/target/tpu/multislice/slice_groups.h"

#include <vector>

#include "absl/algorithm/container.h"

namespace tessera::target {
namespace {

using Group = std::vector<int64_t>;

// The devices of each slice, in the order of the group; the slices in the order of their first device.
DeviceGroups::Groups BySlice(const Group& group, int64_t slice_devices) {
  DeviceGroups::Groups parts;
  for (const int64_t device : group) {
    const auto part = absl::c_find_if(parts, [&](const Group& other) {
      return other[0] / slice_devices == device / slice_devices;
    });
    if (part == parts.end()) {
      parts.push_back({device});
    } else {
      part->push_back(device);
    }
  }
  return parts;
}

DeviceGroups::Groups Transposed(const DeviceGroups::Groups& parts) {
  DeviceGroups::Groups across(parts[0].size());
  for (const Group& part : parts) {
    for (size_t k = 0; k < part.size(); ++k) across[k].push_back(part[k]);
  }
  return across;
}

Group Joined(const DeviceGroups::Groups& parts) {
  Group all;
  for (const Group& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

SliceOrder OrderOf(const Group& group, const DeviceGroups::Groups& inside,
                   const DeviceGroups::Groups& across) {
  if (group == Joined(inside)) return SliceOrder::kSliceMajor;
  return group == Joined(across) ? SliceOrder::kSliceMinor : SliceOrder::kOther;
}

}  // namespace

std::optional<SliceGroups> SplitGroups(const DeviceGroups::Groups& groups, int64_t slice_devices) {
  SliceGroups all;
  for (const Group& group : groups) {
    const DeviceGroups::Groups inside = BySlice(group, slice_devices);
    const size_t devices = all.inside.empty() ? inside[0].size() : all.inside[0].size();
    const bool is_even =
        absl::c_all_of(inside, [&](const Group& part) { return part.size() == devices; });
    if (!is_even || inside.size() < 2) return std::nullopt;
    const DeviceGroups::Groups across = Transposed(inside);
    const SliceOrder order = OrderOf(group, inside, across);
    all.order = all.inside.empty() || all.order == order ? order : SliceOrder::kOther;
    all.inside.insert(all.inside.end(), inside.begin(), inside.end());
    all.across.insert(all.across.end(), across.begin(), across.end());
  }
  if (all.inside.empty()) return std::nullopt;
  return all;
}

}  // namespace tessera::target
