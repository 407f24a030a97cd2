#include "tessera/sharding/device_tiles.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

absl::Status CheckRank(absl::Span<const int64_t> shape, const TensorSharding& s) {
  if (s.rank() == static_cast<int>(shape.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a sharding of rank ", s.rank(), " for a tensor of rank ", shape.size()));
}

}  // namespace

int64_t TileSize(int64_t size, int64_t parts) { return CeilDiv(size, parts); }

TileRange TileOfPart(int64_t size, int64_t parts, int64_t index) {
  const int64_t tile = TileSize(size, parts);
  // A part beyond the end is empty, also where index * tile would not fit.
  const int64_t first = tile == 0 || index > size / tile ? size : std::min(index * tile, size);
  return {first, first + std::min(tile, size - first)};
}

DeviceGrid::DeviceGrid(const Mesh& mesh, const MeshTable& meshes)
    : mesh_(mesh), ids_(mesh.DeviceOrder()) {
  for (MeshId id = 0; id < meshes.size(); ++id) {
    const Mesh& one = meshes.mesh(id);
    if (one.is_maximal()) only_device_[id] = one.maximal_device_id();
  }
  weights_.assign(static_cast<size_t>(mesh.num_axes()), 1);
  int64_t weight = 1;
  for (int a = mesh.num_axes() - 1; a >= 0; --a) {
    weights_[static_cast<size_t>(a)] = weight;
    weight *= mesh.axis_size(a);
  }
}

int64_t DeviceGrid::Coordinate(int64_t position, AxisRef axis) const {
  const int64_t full = mesh_.axis_size(axis.axis());
  const int64_t along = position / weights_[static_cast<size_t>(axis.axis())] % full;
  if (axis.is_full()) return along;
  return along / (full / (axis.pre_size() * axis.sub_size())) % axis.sub_size();
}

int64_t DeviceGrid::PartIndex(int64_t position, absl::Span<const AxisRef> axes) const {
  int64_t index = 0;
  for (AxisRef axis : axes) index = index * axis.size(mesh_) + Coordinate(position, axis);
  return index;
}

std::optional<int64_t> DeviceGrid::OnlyDevice(const TensorSharding& s) const {
  const auto found = only_device_.find(s.mesh_id());
  return found == only_device_.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

absl::StatusOr<std::vector<TileRange>> DeviceGrid::Tile(absl::Span<const int64_t> shape,
                                                        const TensorSharding& s,
                                                        int64_t position) const {
  std::vector<TileRange> tile;
  if (const std::optional<int64_t> only = OnlyDevice(s)) {
    const bool holds = *only == DeviceAt(position);
    for (int64_t size : shape) tile.push_back({0, holds ? size : 0});
    return tile;
  }
  TESSERA_RETURN_IF_ERROR(CheckRank(shape, s));
  for (int d = 0; d < s.rank(); ++d) {
    tile.push_back(TileOfPart(shape[d], ShardedSize(s.dim(d).axes, mesh_),
                              PartIndex(position, s.dim(d).axes)));
  }
  return tile;
}

absl::StatusOr<std::vector<int64_t>> DeviceGrid::TileShape(absl::Span<const int64_t> shape,
                                                           const TensorSharding& s) const {
  std::vector<int64_t> out(shape.begin(), shape.end());
  if (OnlyDevice(s).has_value()) return out;
  TESSERA_RETURN_IF_ERROR(CheckRank(shape, s));
  for (int d = 0; d < s.rank(); ++d) {
    out[d] = TileSize(shape[d], ShardedSize(s.dim(d).axes, mesh_));
  }
  return out;
}

std::vector<DeviceClass> ClassesOf(const DeviceGrid& grid,
                                   absl::Span<const TensorSharding* const> shardings) {
  AxisList used;
  std::vector<int64_t> alone;
  for (const TensorSharding* s : shardings) {
    if (s == nullptr) continue;
    if (const std::optional<int64_t> only = grid.OnlyDevice(*s)) alone.push_back(*only);
    for (const DimensionSharding& d : s->dims())
      used.insert(used.end(), d.axes.begin(), d.axes.end());
  }
  std::vector<DeviceClass> classes;
  absl::flat_hash_map<std::vector<int64_t>, size_t> index;
  for (int64_t position = 0; position < grid.num_devices(); ++position) {
    std::vector<int64_t> coordinates;
    for (AxisRef axis : used) coordinates.push_back(grid.Coordinate(position, axis));
    for (int64_t device : alone) coordinates.push_back(grid.DeviceAt(position) == device);
    const auto [at, is_new] = index.try_emplace(std::move(coordinates), classes.size());
    if (is_new) classes.push_back({position, {}});
    classes[at->second].positions.push_back(position);
  }
  return classes;
}

}  // namespace tessera::sharding
