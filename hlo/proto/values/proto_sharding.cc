#include "tessera/hlo/proto/values/proto_sharding.h"

#include <algorithm>
#include <iterator>

#include "tessera/hlo/proto/values/proto_metadata.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

using pb::NamedShardingProto;
using pb::ShardingProto;
using sharding::HloSharding;

// By HloSharding::Kind and by SubgroupType.
constexpr ShardingProto::Type kTypes[] = {ShardingProto::REPLICATED, ShardingProto::MAXIMAL,
                                          ShardingProto::MANUAL,     ShardingProto::UNREDUCED,
                                          ShardingProto::UNKNOWN,    ShardingProto::OTHER,
                                          ShardingProto::TUPLE,      ShardingProto::OTHER};
constexpr ShardingProto::Type kSubgroupTypes[] = {ShardingProto::MAXIMAL, ShardingProto::MANUAL,
                                                  ShardingProto::UNREDUCED,
                                                  ShardingProto::REPLICATED};

template <typename Entries>
void AddMetadata(const HloSharding& sharding, Entries* entries) {
  for (const std::string& text : sharding.metadata()) {
    MetadataToProto(ParseMetadata(text), entries->Add());
  }
}

void StoreTiles(const HloSharding& sharding, ShardingProto* proto) {
  const sharding::TileAssignment& tiles = sharding.tiles();
  for (int64_t dim : tiles.dims()) proto->add_tile_assignment_dimensions(dim);
  if (tiles.is_iota()) {
    for (int64_t dim : tiles.reshape_dims()) proto->add_iota_reshape_dims(dim);
    for (int64_t p : tiles.perm()) proto->add_iota_transpose_perm(static_cast<int32_t>(p));
  } else {
    for (int64_t device : tiles.Devices()) proto->add_tile_assignment_devices(device);
  }
  const auto groups = sharding.subgroups();
  const bool one_replicated =
      groups.size() == 1 && groups[0] == sharding::SubgroupType::kReplicated;
  proto->set_replicate_on_last_tile_dim(one_replicated);
  if (one_replicated) return;
  for (sharding::SubgroupType type : groups) {
    proto->add_last_tile_dims(kSubgroupTypes[static_cast<int>(type)]);
  }
}

void StoreMesh(const sharding::NamedSharding& named, pb::MeshProto* proto) {
  for (const sharding::MeshAxis& axis : named.mesh.axes()) {
    pb::MeshProto::MeshAxis* to = proto->add_axes();
    to->set_name(axis.name);
    to->set_size(axis.size);
  }
  if (named.has_iota_order) {
    pb::MeshProto::Iota* iota = proto->mutable_iota_transform();
    for (int64_t dim : named.iota_order.reshape_dims()) iota->add_reshape_dims(dim);
    for (int64_t p : named.iota_order.perm()) iota->add_transpose_perm(static_cast<int32_t>(p));
    return;
  }
  for (int64_t id : named.mesh.device_ids()) proto->add_device_ids(id);
}

template <typename Axes, typename Refs>
void StoreAxes(const Axes& axes, Refs* refs) {
  for (sharding::AxisRef axis : axes) {
    pb::AxisRefProto* ref = refs->Add();
    ref->set_mesh_axis_index(axis.axis());
    if (axis.is_full()) continue;
    ref->mutable_sub_axis_info()->set_pre_size(axis.pre_size());
    ref->mutable_sub_axis_info()->set_size(axis.sub_size());
  }
}

void StoreNamed(const HloSharding& sharding, NamedShardingProto* proto) {
  const sharding::NamedSharding& named = sharding.named();
  StoreMesh(named, proto->mutable_mesh());
  for (const sharding::DimensionSharding& dim : named.dims) {
    NamedShardingProto::Dimension* to = proto->add_dim_shardings();
    StoreAxes(dim.axes, to->mutable_axes());
    to->set_is_closed(dim.is_closed);
  }
  StoreAxes(named.replicated, proto->mutable_replicated_axes());
  StoreAxes(named.unreduced, proto->mutable_unreduced_axes());
  StoreAxes(named.manual, proto->mutable_manual_axes());
  proto->set_reduction_op(static_cast<int32_t>(sharding.reduction()));
  AddMetadata(sharding, proto->mutable_metadata());
}

void Store(const HloSharding& sharding, ShardingProto* proto) {
  proto->set_type(kTypes[static_cast<int>(sharding.kind())]);
  if (sharding.IsNamed()) return StoreNamed(sharding, proto->mutable_named_sharding());
  for (const HloSharding& element : sharding.elements()) {
    Store(element, proto->add_tuple_shardings());
  }
  if (sharding.kind() == HloSharding::Kind::kMaximal) {
    proto->add_tile_assignment_dimensions(1);
    proto->add_tile_assignment_devices(sharding.device());
  }
  if (sharding.IsTiled()) StoreTiles(sharding, proto);
  if (sharding.shard_group().kind != sharding::ShardGroup::Kind::kNone) {
    proto->set_is_shard_group(true);
    proto->set_shard_group_id(sharding.shard_group().id);
    const bool like = sharding.shard_group().kind == sharding::ShardGroup::Kind::kLike;
    proto->set_shard_group_type(like ? 1 : 0);
  }
  AddMetadata(sharding, proto->mutable_metadata());
}

}  // namespace

absl::Status ShardingToProto(absl::string_view text, const layout::Shape& shape,
                             ShardingProto* proto) {
  TESSERA_ASSIGN_OR_RETURN(const HloSharding sharding, sharding::ParseHloSharding(text));
  if (!shape.is_tuple() || sharding.IsTuple()) {
    Store(sharding, proto);
    return absl::OkStatus();
  }
  const size_t leaves = layout::NumLeaves(shape);
  const std::vector<HloSharding> all(std::max<size_t>(leaves, 1), sharding);
  Store(HloSharding::Tuple(all), proto);
  return absl::OkStatus();
}

}  // namespace tessera::hlo
