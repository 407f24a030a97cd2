// Devices in groups, with the same work inside each group.
//
// Many rules of the partitioner divide the devices into groups and continue as if the devices of
// one group were all devices:
//
//   // [2,4]<=[8]: devices 0..3 hold the first half of the rows, 4..7 the second one
//   Grouping g = GroupOn(tiling, {0});     // groups 0 1 2 3 | 4 5 6 7
//   g.inner;                               // [1,4]<=[4]: the tiling inside a group
//   Ungroup(g);                            // [2,4]<=[8] again
//
// XLA: GroupedSharding of hlo_sharding_util.h. Groups of iotas stay iotas where that is possible;
// every other step is linear in the devices.

#ifndef TESSERA_SHARDING_PARTITION_TILING_GROUPING_H_
#define TESSERA_SHARDING_PARTITION_TILING_GROUPING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tessera/layout/shape.h"
#include "tessera/sharding/partition/tiling/lists.h"
#include "tessera/sharding/partition/tiling/tiling.h"
#include "tessera/sharding/tile_assignment.h"

namespace tessera::sharding::partition {

// A grid of two dimensions: groups, and the devices of each in order.
class DeviceGroups {
 public:
  DeviceGroups() : DeviceGroups(TileAssignment(), 1, 1) {}
  // `grid` in any shape; its devices in order, in rows of `size`.
  DeviceGroups(const TileAssignment& grid, int64_t groups, int64_t size);

  int64_t groups() const { return groups_; }
  int64_t size() const { return size_; }
  int64_t device(int64_t group, int64_t i) const { return At(devices(), group * size_ + i); }
  // Listed at the first call: most groups are only compared.
  const std::vector<int64_t>& devices() const {
    if (devices_ == nullptr) {
      devices_ = std::make_shared<const std::vector<int64_t>>(grid_.Devices());
    }
    return *devices_;
  }
  int64_t num_devices() const { return grid_.dim(0); }
  // One group of 0, 1, 2, ..: work in it is work on all devices.
  bool IsWhole() const;

  // The devices of all groups, group by group, in a grid of `dims`.
  TileAssignment Grid(Ints dims) const { return grid_.Reshape(dims); }
  // The devices of all groups in one dimension, those of each in the order of `members`, which are
  // numbers in a group. An iota where both are, else a list.
  TileAssignment InOrderOf(const TileAssignment& members) const;
  // In one dimension.
  const TileAssignment& grid() const { return grid_; }
  // All that they are, as numbers.
  void AppendNumbers(std::vector<uint64_t>* out) const;

  friend bool operator==(const DeviceGroups& a, const DeviceGroups& b) {
    return a.groups_ == b.groups_ && a.grid_ == b.grid_;
  }

 private:
  int64_t groups_ = 1, size_ = 1;
  TileAssignment grid_;  // of one dimension
  mutable std::shared_ptr<const std::vector<int64_t>> devices_;
};

struct Grouping {
  DeviceGroups devices;
  Dims dims;   // of the grid, by which the devices were grouped
  Dims sizes;  // how many groups along each
  int64_t data_rank = 0;
  Tiling inner;  // inside a group, devices 0 .. size - 1
  bool manual = false;
};

// Groups along `dims` of the grid. With `keep` dimension dims[i] keeps keep[i] parts inside the
// groups.
Grouping GroupOn(const Tiling& tiling, Ints dims, Ints keep = {}, bool manual = false);
Grouping GroupOnAllExcept(const Tiling& tiling, Ints dims);
// Groups along the manual subgroup.
Grouping GroupOnManual(const Tiling& tiling);
// Groups of devices in order, replicated inside.
Grouping ReplicatedGroups(int64_t groups, int64_t devices, int64_t data_rank);
// Groups among the replicas. If these are too few, shards of the dimensions `borrow`, in this
// order, become replicas first; else ReplicatedGroups.
Grouping GroupOnReplicas(const Tiling& tiling, int64_t groups, int64_t devices, int64_t data_rank,
                         Ints borrow);
// The replicas of `tiling` split among given groups of devices, `shards` replicas staying in each;
// nothing if the groups do not all see the same inner tiling.
std::optional<Grouping> GroupReplicasAs(const Tiling& tiling, int64_t shards,
                                        const DeviceGroups& devices);

// False for groups along a subgroup that the inner tiling lacks, or of fewer devices than it has:
// such a grouping has no tiling over all devices; do not call Ungroup.
bool CanUngroup(const Grouping& grouping);
// Of groups that can be ungrouped.
Tiling Ungroup(const Grouping& grouping);

// The grouping with the groups of `reference`: where both have the same devices in a group, the
// inner tiling is renumbered so that no data moves.
Grouping Align(const Grouping& grouping, const Grouping& reference, bool any_order = false);
// The same, but nothing unless all groups agree with one renumbering.
std::optional<Grouping> AlignIfCompatible(const Grouping& grouping, const Grouping& reference);
// `tiling` with its devices aligned along `dims` to those of `reference` along its dims.
Tiling AlignOn(const Tiling& tiling, Ints dims, const Tiling& reference, Ints reference_dims);

// Every group of `b` has the devices of the group of `a` with the same number.
bool SameGroups(const DeviceGroups& a, const DeviceGroups& b);
// The dimensions whose index is constant inside each of the groups, if they make up the groups.
std::optional<Dims> DimsOfGroups(const Tiling& tiling, const DeviceGroups& devices);

// Sizes of the part of `shape` that a group holds.
layout::Shape GroupShape(const Grouping& grouping, const layout::Shape& shape);

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_TILING_GROUPING_H_
