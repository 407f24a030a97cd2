#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/text/named/named_sharding.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

absl::Status SetMesh(std::vector<MeshAxis> axes, std::vector<int64_t> ids, size_t offset,
                     NamedSharding& out) {
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes), std::move(ids));
  if (!mesh.ok()) return text::ErrorAt(offset, mesh.status().message());
  out.mesh = *std::move(mesh);
  return absl::OkStatus();
}

absl::Status ReadMaximalMesh(ShardingLexer& in, NamedSharding& out) {
  TESSERA_RETURN_IF_ERROR(in.Expect('[', "before the device"));
  const size_t offset = in.offset();
  if (!in.ConsumeAttribute("device_id")) return in.Error("expected 'device_id='");
  TESSERA_ASSIGN_OR_RETURN(const int64_t device, in.ExpectInt("a device"));
  TESSERA_RETURN_IF_ERROR(in.Expect(']', "after the device"));
  return SetMesh({}, {device}, offset, out);
}

// `([2,2]T(1,0))`: the order is a transposed iota.
absl::Status ReadTransform(ShardingLexer& in, std::vector<MeshAxis> axes, size_t offset,
                           NamedSharding& out) {
  Dims sizes, reshape_dims, perm;
  TESSERA_RETURN_IF_ERROR(in.Expect('[', "before the axes of the devices"));
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t size, in.ExpectInt("an axis size"));
    reshape_dims.push_back(size);
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(in.Expect(']', "or ',' after an axis size"));
  if (reshape_dims.size() == 1) {
    perm = {0};
  } else {
    if (!in.ConsumeWord("T")) return in.Error("expected 'T(' and the order of the axes");
    TESSERA_RETURN_IF_ERROR(in.Expect('(', "after 'T'"));
    do {
      TESSERA_ASSIGN_OR_RETURN(const int64_t axis, in.ExpectInt("an axis"));
      perm.push_back(axis);
    } while (in.Consume(','));
    TESSERA_RETURN_IF_ERROR(in.Expect(')', "after the order of the axes"));
  }
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  const absl::StatusOr<TileAssignment> order = TileAssignment::Iota(sizes, reshape_dims, perm);
  if (!order.ok()) return text::ErrorAt(offset, order.status().message());
  if (order->is_plain()) return SetMesh(std::move(axes), {}, offset, out);
  out.has_iota_order = true;
  out.iota_order = *order;
  return SetMesh(std::move(axes), order->Devices(), offset, out);
}

absl::Status ReadDeviceOrder(ShardingLexer& in, std::vector<MeshAxis> axes, size_t offset,
                             NamedSharding& out) {
  TESSERA_RETURN_IF_ERROR(in.Expect('(', "before the device ids"));
  if (in.Is('[')) {
    TESSERA_RETURN_IF_ERROR(ReadTransform(in, std::move(axes), offset, out));
    return in.Expect(')', "after the device ids");
  }
  std::vector<int64_t> ids;
  if (!in.Is(')')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(const int64_t id, in.ExpectInt("a device id"));
      ids.push_back(id);
    } while (in.Consume(','));
  }
  TESSERA_RETURN_IF_ERROR(in.Expect(')', "or ',' after a device id"));
  if (ids.empty()) return text::ErrorAt(offset, "the list of device ids is empty");
  if (axes.empty()) return text::ErrorAt(offset, "a mesh without axes has no device ids");
  TESSERA_RETURN_IF_ERROR(SetMesh(std::move(axes), std::move(ids), offset, out));
  if (!out.mesh.device_ids().empty()) return absl::OkStatus();
  return text::ErrorAt(offset, "the device ids are 0, 1, 2, ..: leave them out");
}

absl::Status ReadMesh(ShardingLexer& in, NamedSharding& out) {
  const size_t offset = in.offset();
  TESSERA_RETURN_IF_ERROR(in.Expect('[', "after 'mesh'"));
  std::vector<MeshAxis> axes;
  if (!in.Is(']')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(std::string name, in.ExpectString("the name of an axis"));
      TESSERA_RETURN_IF_ERROR(in.Expect('=', "and the size of the axis"));
      TESSERA_ASSIGN_OR_RETURN(const int64_t size, in.ExpectInt("the size of the axis"));
      axes.push_back({std::move(name), size});
    } while (in.Consume(','));
  }
  TESSERA_RETURN_IF_ERROR(in.Expect(']', "or ',' after an axis of the mesh"));
  ShardingLexer ahead = in.Ahead();
  if (in.Is(',') && ahead.ConsumeAttribute("device_ids")) {
    in = ahead;
    TESSERA_RETURN_IF_ERROR(ReadDeviceOrder(in, std::move(axes), offset, out));
    return absl::OkStatus();
  }
  return SetMesh(std::move(axes), {}, offset, out);
}

}  // namespace

absl::Status ParseNamedMesh(ShardingLexer& in, NamedSharding& out) {
  if (in.ConsumeWord("single_device") || in.ConsumeWord("maximal_mesh")) {
    return ReadMaximalMesh(in, out);
  }
  if (!in.ConsumeWord("mesh")) return in.Error("expected 'mesh[..]'");
  return ReadMesh(in, out);
}

}  // namespace tessera::sharding
