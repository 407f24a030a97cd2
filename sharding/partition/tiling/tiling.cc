#include "tessera/sharding/partition/tiling/tiling.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/hlo_conversions.h"

namespace tessera::sharding::partition {
namespace {

TileAssignment Renamed(const TileAssignment& grid, const std::vector<int64_t>& names) {
  std::vector<int64_t> devices = grid.Devices();
  for (int64_t& device : devices) device = At(names, device);
  return *TileAssignment::List(grid.dims(), std::move(devices));
}

// Of almost all tilings.
constexpr size_t kMostNumbers = 32;

}  // namespace

Tiling Tiling::Single(int64_t device) {
  Tiling out;
  out.kind_ = Kind::kSingle;
  out.device_ = device;
  return out;
}

Tiling Tiling::Manual() {
  Tiling out;
  out.kind_ = Kind::kManual;
  return out;
}

Tiling Tiling::Tiled(const TileAssignment& grid) { return WithSubgroups(grid, {}); }

Tiling Tiling::Partial(const TileAssignment& grid) {
  return WithSubgroups(grid, {SubgroupType::kReplicated});
}

Tiling Tiling::OfForm(Form form) {
  Tiling out;
  out.kind_ = Kind::kTiled;
  out.form_ = std::make_shared<const Form>(std::move(form));
  return out;
}

Tiling Tiling::WithSubgroups(const TileAssignment& grid, absl::Span<const SubgroupType> types) {
  if (types.empty() && grid.num_devices() > 1) return OfForm({grid, {}});
  return Of(HloSharding::FromSubgroups(grid, types));
}

Tiling Tiling::Of(const HloSharding& leaf) {
  if (leaf.IsNamed()) return Of(ToTiledSharding(leaf));
  if (leaf.IsManual()) return Manual();
  if (leaf.IsMaximal()) return Single(leaf.device());
  if (!leaf.IsTiled()) return Replicated();
  if (leaf.tiles().num_devices() == 1) return Single(leaf.tiles().DeviceAtLinear(0));
  Types types(leaf.subgroups().begin(), leaf.subgroups().end());
  if (std::count(types.begin(), types.end(), SubgroupType::kUnreduced) > 0) {
    std::replace(types.begin(), types.end(), SubgroupType::kUnreduced, SubgroupType::kReplicated);
    return WithSubgroups(leaf.tiles(), types);
  }
  return OfForm({leaf.tiles(), std::move(types)});
}

Tiling::SharedMesh Tiling::MeshOf(const NamedSharding& named, const SharedMesh& known) {
  Dims axes;
  for (const sharding::MeshAxis& axis : named.mesh.axes()) axes.push_back(axis.size);
  TileAssignment devices = named.DeviceGrid();
  if (known != nullptr && known->axes == axes && known->devices == devices) return known;
  const std::vector<int64_t> ids = devices.Devices();
  return std::make_shared<const MeshOrder>(
      MeshOrder{std::move(devices), Inverse<std::vector<int64_t>>(ids),
                std::is_sorted(ids.begin(), ids.end()), std::move(axes)});
}

// PartitionedLeaves in a mesh of ordered devices first, whose devices then get their numbers.
Tiling Tiling::InMesh(const HloSharding& leaf, const Tiling& known) {
  if (!leaf.IsNamed() || leaf.named().mesh.is_maximal()) return Of(leaf);
  const NamedSharding& named = leaf.named();
  NamedSharding ordered = named;
  ordered.has_iota_order = false;
  if (const auto mesh = Mesh::Create({named.mesh.axes().begin(), named.mesh.axes().end()});
      mesh.ok()) {
    ordered.mesh = *mesh;
  }
  Tiling out = Of(HloSharding::Named(std::move(ordered)));
  if (!out.IsTiled()) return out.IsSingle() ? Of(leaf) : out;
  return PartitionedLeaves(std::move(out), MeshOf(named, known.mesh_));
}

Tiling Tiling::PartitionedLeaves(Tiling ordered, const SharedMesh& mesh) {
  if (!ordered.IsTiled()) return ordered;
  ordered.mesh_ = mesh;
  if (mesh->in_order) return ordered;
  ordered.form_ = std::make_shared<const Form>(Form{
      Renamed(ordered.grid(), Inverse<std::vector<int64_t>>(mesh->positions)), ordered.types()});
  return ordered;
}

Tiling Tiling::Derived(const TileAssignment& grid, absl::Span<const SubgroupType> types,
                       const Tiling& like) {
  if (!like.IsNamed()) return WithSubgroups(grid, types);
  return PartitionedLeaves(WithSubgroups(InMeshOrder(grid, *like.mesh_), types), like.mesh_);
}

TileAssignment Tiling::InMeshOrder(const TileAssignment& grid, const MeshOrder& mesh) {
  return mesh.in_order ? grid : Renamed(grid, mesh.positions);
}

TileAssignment Tiling::PlacesInMesh() const { return InMeshOrder(grid(), *mesh_); }

Tiling Tiling::AsV1() const { return IsNamed() ? WithSubgroups(grid(), types()) : *this; }

bool Tiling::ShareMesh(const Tiling& a, const Tiling& b) {
  if (!a.IsNamed() || !b.IsNamed()) return false;
  return a.mesh_ == b.mesh_ ||
         (a.mesh_->axes == b.mesh_->axes && a.mesh_->positions == b.mesh_->positions);
}

bool Tiling::LastIsReplicated() const {
  return IsTiled() && types().size() == 1 && types()[0] == SubgroupType::kReplicated;
}

int64_t Tiling::SubgroupDim(SubgroupType type) const {
  if (!IsTiled()) return -1;
  for (int64_t i = 0; i < Size(types()); ++i) {
    if (At(types(), i) == type) return data_rank() + i;
  }
  return -1;
}

int64_t Tiling::tiles() const {
  return IsTiled() ? Product(dims().first(static_cast<size_t>(data_rank()))) : 1;
}

int64_t Tiling::replicas() const {
  const int64_t at = SubgroupDim(SubgroupType::kReplicated);
  return at < 0 ? 1 : dim(at);
}

std::string Tiling::ToString() const {
  if (IsReplicated()) return "{replicated}";
  if (IsManual()) return "{manual}";
  if (IsSingle()) return absl::StrCat("{maximal device=", device_, "}");
  return HloSharding::FromSubgroups(grid(), types()).ToString();
}

void Tiling::AppendNumbers(std::vector<uint64_t>* out) const {
  const auto append = [out](Ints list) {
    out->push_back(list.size());
    for (const int64_t number : list) out->push_back(static_cast<uint64_t>(number));
  };
  out->reserve(out->size() + kMostNumbers);
  const uint64_t form = IsTiled() ? uint64_t{grid().is_iota()} << 2 |
                                        uint64_t{grid().has_axes()} << 1 | uint64_t{IsNamed()}
                                  : 0;
  out->push_back(form << 2 | static_cast<uint64_t>(kind_));
  if (!IsTiled()) return out->push_back(static_cast<uint64_t>(device_));
  append(dims());
  if (grid().has_axes()) {
    append(grid().reshape_dims());
    append(grid().perm());
  } else {
    append(grid().Devices());
  }
  uint64_t listed = 1;
  for (const SubgroupType type : types()) listed = listed << 4 | static_cast<uint64_t>(type);
  out->push_back(listed);
  if (!IsNamed()) return;
  append(mesh_->in_order ? Ints() : Ints(*mesh_positions()));
  append(mesh_axes());
}

bool operator==(const Tiling& a, const Tiling& b) {
  if (a.kind_ != b.kind_ || a.device_ != b.device_) return false;
  if (a.form_ == b.form_) return true;
  if (a.form_->types != b.form_->types) return false;
  if (a.form_->grid == b.form_->grid) return true;
  // One in mesh order, one in device order.
  if (a.IsNamed() == b.IsNamed()) return false;
  return a.AsV1().grid() == b.AsV1().grid();
}

layout::Shape ShardShape(const layout::Shape& shape, const Tiling& tiling) {
  layout::Shape out = shape;
  if (!tiling.IsTiled() || !shape.is_array()) return out;
  for (int64_t i = 0; i < shape.rank(); ++i) out.set_dim(i, CeilDiv(shape.dim(i), tiling.dim(i)));
  return out;
}

bool IsEven(const layout::Shape& shape, const Tiling& tiling) {
  if (tiling.IsSingle()) return false;
  if (!tiling.IsTiled() || !shape.is_array()) return true;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) % tiling.dim(i) != 0) return false;
  }
  return true;
}

layout::Shape PaddedShape(const layout::Shape& shape, const Tiling& tiling) {
  if (tiling.IsMaximal() || IsEven(shape, tiling)) return shape;
  layout::Shape out = shape;
  for (int64_t i = 0; i < shape.rank(); ++i) out.set_dim(i, RoundUp(shape.dim(i), tiling.dim(i)));
  return out;
}

int64_t Bytes(const layout::Shape& shape) {
  int64_t bytes = 0;
  layout::ForEachLeaf(shape, [&bytes](const layout::Shape& leaf) {
    if (leaf.is_array()) {
      bytes += leaf.NumElements().value_or(0) * layout::ByteWidth(leaf.element_type());
    }
  });
  return bytes;
}

}  // namespace tessera::sharding::partition
