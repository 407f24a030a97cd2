#include "tessera/projection/cost/demand/device_tiles.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/split.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;

absl::Status CheckRank(const ZPoint& shape, const TensorSharding& s) {
  if (s.rank() == shape.rank()) return absl::OkStatus();
  return MakeError(ErrorCode::kRankMismatch, absl::StrCat("a sharding of rank ", s.rank(),
                                                          " for a tensor of rank ", shape.rank()));
}

}  // namespace

DeviceGrid::DeviceGrid(const sharding::Mesh& mesh, const sharding::MeshTable& meshes)
    : mesh_(mesh), ids_(mesh.DeviceOrder()) {
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    const sharding::Mesh& one = meshes.mesh(id);
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

absl::StatusOr<ZRange> DeviceGrid::Tile(const ZPoint& shape, const TensorSharding& s,
                                        int64_t position) const {
  ZRange tile = ZRange::FromShape(shape);
  if (const std::optional<int64_t> only = OnlyDevice(s)) {
    const bool holds = *only == DeviceAt(position) || shape.rank() == 0;
    return holds ? tile : tile.WithDim(0, 0, 0);
  }
  TESSERA_RETURN_IF_ERROR(CheckRank(shape, s));
  for (int d = 0; d < shape.rank(); ++d) {
    const EvenPart part = EvenPartOf(shape[d], sharding::ShardedSize(s.dim(d).axes, mesh_),
                                     PartIndex(position, s.dim(d).axes));
    tile = tile.WithDim(d, part.start, part.end);
  }
  return tile;
}

absl::StatusOr<ZPoint> DeviceGrid::TileShape(const ZPoint& shape, const TensorSharding& s) const {
  if (OnlyDevice(s).has_value()) return shape;
  TESSERA_RETURN_IF_ERROR(CheckRank(shape, s));
  ZPoint out = shape;
  for (int d = 0; d < shape.rank(); ++d)
    out[d] = CeilDiv(shape[d], sharding::ShardedSize(s.dim(d).axes, mesh_));
  return out;
}

std::vector<DeviceClass> ClassesOf(const DeviceGrid& grid,
                                   absl::Span<const TensorSharding* const> shardings) {
  std::vector<AxisRef> used;
  std::vector<int64_t> alone;
  for (const TensorSharding* s : shardings) {
    if (s == nullptr) continue;
    if (const std::optional<int64_t> only = grid.OnlyDevice(*s)) alone.push_back(*only);
    for (const sharding::DimensionSharding& d : s->dims())
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

}  // namespace tessera::projection
