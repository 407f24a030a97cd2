// The groups of devices of a collective: a grid of two dimensions, whose rows they are.
//
//   [2,2]<=[4] over dimension 0: rows {0,2}, {1,3}, which are [2,2]<=[2,2]T(1,0)
//
// Of an iota they are found, and brought into the order of the mesh, by a few steps on its axes; else
// row by row. XLA: spmd_partitioner_util, GetPartitionGroupsForReplication and
// GetPartitionGroupsAcrossTargetDims. Tested by algebra_test.cc.

#include <algorithm>
#include <optional>
#include <utility>

#include "tessera/sharding/partition/tiling/algebra.h"

namespace tessera::sharding::partition {
namespace {

TileAssignment InRows(const TileAssignment& grid, int64_t size) {
  return grid.Reshape({grid.num_devices() / size, size});
}

// The rows sorted by their first devices, if they fall on axes: then each column is sorted by the
// same axes.
std::optional<TileAssignment> SortedByAxes(const TileAssignment& groups) {
  if (!groups.has_axes()) return std::nullopt;
  const TileAssignment columns = groups.AsIota().Transpose({1, 0});
  if (!columns.is_iota()) return std::nullopt;
  const TileAssignment sorted = columns.SortMinorGroups(groups.dim(0));
  if (!sorted.is_iota()) return std::nullopt;
  const TileAssignment rows = sorted.Transpose({1, 0});
  return rows.is_iota() ? std::make_optional(rows) : std::nullopt;
}

}  // namespace

bool IsPermutedIota(const TileAssignment& grid) {
  if (grid.is_iota()) return true;
  const std::vector<int64_t> devices = grid.Devices();
  int64_t count = Size(devices);
  for (const int64_t size : grid.dims()) {
    const int64_t block = count / size, stride = At(devices, block % Size(devices));
    for (int64_t first = 0; first < Size(devices); first += count) {
      for (int64_t i = 1; i < size; ++i) {
        if (At(devices, first + i * block) != At(devices, first) + i * stride) return false;
      }
    }
    count = block;
  }
  return devices.front() == 0;
}

TileAssignment GroupsOver(const Tiling& tiling, Ints dims) {
  Dims order = AllExcept(tiling.num_dims(), dims);
  int64_t size = 1;
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    if (!Contains(dims, i)) continue;
    order.push_back(i);
    size *= tiling.dim(i);
  }
  return InRows(tiling.grid().Transpose(order), size);
}

TileAssignment GroupsAcross(const Tiling& tiling, Ints dims, Ints sizes) {
  Dims split, minor(dims.size());
  for (int64_t i = 0; i < tiling.num_dims(); ++i) {
    const int64_t at = std::find(dims.begin(), dims.end(), i) - dims.begin();
    if (at == Size(dims)) {
      split.push_back(tiling.dim(i));
      continue;
    }
    split.push_back(tiling.dim(i) / At(sizes, at));
    At(minor, at) = Size(split);
    split.push_back(At(sizes, at));
  }
  Dims sorted_minor = minor;
  std::sort(sorted_minor.begin(), sorted_minor.end());
  Dims order = AllExcept(Size(split), sorted_minor);
  order.insert(order.end(), sorted_minor.begin(), sorted_minor.end());
  return InRows(tiling.grid().Reshape(split).Transpose(order), Product(sizes));
}

TileAssignment InMeshOrder(const Tiling& tiling, const TileAssignment& groups) {
  if (!tiling.IsNamed() && !IsPermutedIota(tiling.grid())) return groups;
  if (tiling.IsInOrder()) {
    if (const auto sorted = SortedByAxes(groups)) return *sorted;
  }
  const auto position = [&tiling](int64_t device) {
    return tiling.IsNamed() ? At(*tiling.mesh_positions(), device) : device;
  };
  DeviceLists rows = RowsOf(groups);
  std::sort(rows.begin(), rows.end(), [&position](const auto& a, const auto& b) {
    return position(a.front()) < position(b.front());
  });
  std::vector<int64_t> devices;
  for (const auto& row : rows) devices.insert(devices.end(), row.begin(), row.end());
  return *TileAssignment::List(groups.dims(), std::move(devices));
}

DeviceLists RowsOf(const TileAssignment& groups) {
  const std::vector<int64_t> devices = groups.Devices();
  DeviceLists out;
  out.reserve(static_cast<size_t>(groups.dim(0)));
  for (auto at = devices.begin(); at != devices.end(); at += groups.dim(1)) {
    out.emplace_back(at, at + groups.dim(1));
  }
  return out;
}

}  // namespace tessera::sharding::partition
