// Device groups along dimensions of a grid. Each grouped dimension is split in (groups, rest), the
// group parts move to the front, and the rows of the result are the groups. Ungroup() inverts this.
// XLA: hlo_sharding_util, GroupShardingOnDims and UngroupSharding.

#include "tessera/sharding/partition/tiling/grouping.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

Dims Sorted(Ints list) {
  Dims out(list.begin(), list.end());
  std::sort(out.begin(), out.end());
  return out;
}

// Position of the front part of grouped dimension `dim` once every grouped one is split in two.
int64_t SplitPosition(const Dims& sorted, int64_t dim) {
  const auto at = std::find(sorted.begin(), sorted.end(), dim);
  return dim + (at - sorted.begin());
}

// The dimensions of the inner grid: all without the group parts.
Tiling InnerTiling(const Tiling& tiling, Dims rest) {
  if (Product(rest) == 1) return Tiling::Replicated();
  if (tiling.LastIsReplicated() && Product(rest) == rest.back()) return Tiling::Replicated();
  const int64_t manual = tiling.SubgroupDim(SubgroupType::kManual);
  Tiling::Types types = tiling.types();
  if (manual >= 0) {
    Erase(rest, manual);
    types.erase(types.begin() + (manual - tiling.data_rank()));
  }
  return Tiling::WithSubgroups(TileAssignment::Plain(rest), types);
}

}  // namespace

DeviceGroups::DeviceGroups(const TileAssignment& grid, int64_t groups, int64_t size)
    : groups_(groups), size_(size), grid_(grid.Reshape({grid.num_devices()})) {}

TileAssignment DeviceGroups::InOrderOf(const TileAssignment& members) const {
  if (members.has_axes() && members.num_devices() == size_) {
    Dims dims = {groups_}, order = {0};
    for (int64_t i = 0; i < Size(members.reshape_dims()); ++i) {
      dims.push_back(At(members.reshape_dims(), i));
      order.push_back(At(members.perm(), i) + 1);
    }
    const TileAssignment grid = Grid(dims).Transpose(order).Reshape({num_devices()});
    return members.is_iota() ? grid : grid.AsList();
  }
  std::vector<int64_t> moved;
  const std::vector<int64_t> listed = members.Devices();
  moved.reserve(static_cast<size_t>(groups_) * listed.size());
  for (int64_t group = 0; group < groups_; ++group) {
    for (const int64_t i : listed) moved.push_back(device(group, i));
  }
  const Dims flat = {Size(moved)};
  return *TileAssignment::List(flat, std::move(moved));
}

void DeviceGroups::AppendNumbers(std::vector<uint64_t>* out) const {
  out->push_back(static_cast<uint64_t>(groups_) << 1 | uint64_t{grid_.has_axes()});
  if (!grid_.has_axes()) {
    out->insert(out->end(), devices().begin(), devices().end());
    return;
  }
  out->push_back(grid_.reshape_dims().size());
  out->insert(out->end(), grid_.reshape_dims().begin(), grid_.reshape_dims().end());
  out->insert(out->end(), grid_.perm().begin(), grid_.perm().end());
}

bool DeviceGroups::IsWhole() const {
  return groups_ == 1 && grid_ == TileAssignment::Plain({size_});
}

Grouping GroupOn(const Tiling& tiling, Ints dims, Ints keep, bool manual) {
  const Dims sorted = Sorted(dims);
  Grouping out;
  out.dims.assign(dims.begin(), dims.end());
  out.manual = manual;
  out.data_rank = tiling.data_rank();
  Dims rest(tiling.dims().begin(), tiling.dims().end());
  for (int64_t i = 0; i < Size(dims); ++i) {
    const int64_t kept = keep.empty() ? 1 : At(keep, i);
    out.sizes.push_back(tiling.dim(At(dims, i)) / kept);
    At(rest, At(dims, i)) = kept;
  }
  Dims split = rest;
  for (int64_t dim : sorted) {
    Insert(split, SplitPosition(sorted, dim),
           At(out.sizes, std::find(dims.begin(), dims.end(), dim) - dims.begin()));
  }
  Dims order;
  for (int64_t dim : dims) order.push_back(SplitPosition(sorted, dim));
  for (int64_t i = 0; i < Size(split); ++i) {
    if (!Contains(Ints(order).first(dims.size()), i)) order.push_back(i);
  }
  const int64_t groups = Product(out.sizes);
  // Replicas inside a group are in device order, not mesh order.
  const TileAssignment grid = tiling.AsV1().grid();
  out.devices =
      DeviceGroups(grid.Reshape(split).Transpose(order), groups, tiling.num_devices() / groups);
  out.inner = InnerTiling(tiling, rest);
  return out;
}

Grouping GroupOnAllExcept(const Tiling& tiling, Ints dims) {
  return GroupOn(tiling, AllExcept(tiling.num_dims(), dims));
}

Grouping GroupOnManual(const Tiling& tiling) {
  return GroupOn(tiling, {tiling.SubgroupDim(SubgroupType::kManual)}, {}, /*manual=*/true);
}

Grouping ReplicatedGroups(int64_t groups, int64_t devices, int64_t data_rank) {
  Grouping out;
  out.devices = DeviceGroups(TileAssignment::Plain({devices}), groups, devices / groups);
  out.dims = {data_rank};
  out.sizes = {groups};
  out.data_rank = data_rank;
  return out;
}

namespace {

// The tiles inside a group: data and subgroups, with a place for each group dimension.
struct InnerTiles {
  Dims tiles;
  Tiling::Types types;
};

InnerTiles TilesInside(const Grouping& g) {
  InnerTiles out;
  Dims& tiles = out.tiles;
  bool partial = false;
  if (!g.inner.IsTiled()) {
    tiles.assign(static_cast<size_t>(g.data_rank), 1);
    if (g.devices.size() != 1 || Contains(g.dims, Size(tiles))) {
      tiles.push_back(g.devices.size());
      partial = true;
    }
  } else {
    tiles.assign(g.inner.dims().begin(), g.inner.dims().end());
  }
  if (g.manual) {
    partial = !g.inner.IsTiled() || g.inner.LastIsReplicated();
    out.types.push_back(SubgroupType::kManual);
    if (partial) out.types.push_back(SubgroupType::kReplicated);
    Insert(tiles, g.data_rank, 1);
  } else {
    if (g.inner.IsTiled()) partial = g.inner.LastIsReplicated();
    if (g.inner.IsTiled() && Contains(g.dims, Size(tiles))) {
      tiles.push_back(1);
      partial = true;
    }
    if (partial) out.types.push_back(SubgroupType::kReplicated);
  }
  return out;
}

}  // namespace

bool CanUngroup(const Grouping& g) {
  const Dims tiles = TilesInside(g).tiles;
  const int64_t dims = Size(tiles);
  return Product(g.sizes) * Product(tiles) == g.devices.num_devices() &&
         std::all_of(g.dims.begin(), g.dims.end(), [dims](int64_t dim) { return dim < dims; });
}

Tiling Ungroup(const Grouping& g) {
  auto [tiles, types] = TilesInside(g);
  Dims grid_dims(g.sizes.begin(), g.sizes.end());
  grid_dims.insert(grid_dims.end(), tiles.begin(), tiles.end());
  const Dims sorted = Sorted(g.dims);
  Dims order(static_cast<size_t>(Size(tiles) + Size(g.dims)), -1);
  for (int64_t i = 0; i < Size(g.dims); ++i) At(order, SplitPosition(sorted, At(g.dims, i))) = i;
  int64_t next = Size(g.dims);
  for (int64_t& at : order) {
    if (at < 0) at = next++;
  }
  for (int64_t i = 0; i < Size(g.dims); ++i) At(tiles, At(g.dims, i)) *= At(g.sizes, i);
  const TileAssignment grid =
      g.inner.IsTiled() ? g.devices.InOrderOf(g.inner.grid()) : g.devices.grid();
  return Tiling::WithSubgroups(grid.Reshape(grid_dims).Transpose(order).Reshape(tiles), types);
}

layout::Shape GroupShape(const Grouping& grouping, const layout::Shape& shape) {
  layout::Shape out = shape;
  for (int64_t i = 0; i < Size(grouping.dims); ++i) {
    const int64_t dim = At(grouping.dims, i);
    if (dim < shape.rank()) out.set_dim(dim, CeilDiv(out.dim(dim), At(grouping.sizes, i)));
  }
  return out;
}

}  // namespace tessera::sharding::partition
