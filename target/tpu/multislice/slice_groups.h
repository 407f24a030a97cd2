// The groups of a collective that spans slices, cut into those of one slice and those with one device of each.
//
//   SplitGroups({{0, 1, 8, 9}}, 8)
//   // inside: {{0, 1}, {8, 9}}, across: {{0, 8}, {1, 9}}, order: kSliceMajor
//
// Devices are numbered slice by slice. Cost: linear in the devices. Tested by ../multislice_test.cc.

#ifndef TESSERA_TARGET_TPU_MULTISLICE_SLICE_GROUPS_H_
#define TESSERA_TARGET_TPU_MULTISLICE_SLICE_GROUPS_H_

#include <cstdint>
#include <optional>

#include "tessera/target/program/device_groups.h"

namespace tessera::target {

// Where in a group the devices of one slice stand.
enum class SliceOrder : uint8_t {
  kSliceMajor,  // next to each other
  kSliceMinor,  // the first of each slice, then the second of each
  kOther,
};

struct SliceGroups {
  DeviceGroups::Groups inside;  // group by group, slice by slice
  DeviceGroups::Groups across;  // group by group
  SliceOrder order = SliceOrder::kSliceMajor;

  int64_t devices_inside() const { return static_cast<int64_t>(inside[0].size()); }
  int64_t slices() const { return static_cast<int64_t>(across[0].size()); }
};

// None where a group does not have equally many devices of two slices or more.
std::optional<SliceGroups> SplitGroups(const DeviceGroups::Groups& groups, int64_t slice_devices);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_TPU_MULTISLICE_SLICE_GROUPS_H_
