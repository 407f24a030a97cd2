#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/proto/values/proto_values.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
using Proto = pb::HloInstructionProto;
using Text = std::optional<std::string>;

// --- replica_groups ------------------------------------------------------------------------------

template <typename Groups>
ReplicaGroups ListFromProto(const Groups& groups) {
  ReplicaGroups out;
  for (const pb::ReplicaGroupProto& group : groups) {
    out.list.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  }
  return out;
}

ReplicaGroups IotaFromProto(const pb::IotaGroupsProto& proto) {
  ReplicaGroups out;
  out.form = ReplicaGroups::Form::kIota;
  out.num_groups = proto.num_replica_groups();
  out.group_size = proto.num_devices_per_group();
  out.reshape.assign(proto.iota_reshape_dims().begin(), proto.iota_reshape_dims().end());
  const auto& permutation = proto.iota_transpose_perm();
  if (out.reshape.size() > 1) out.permutation.assign(permutation.begin(), permutation.end());
  return out;
}

std::string OrderText(const pb::MeshProto::Iota& iota) {
  if (iota.reshape_dims_size() < 2) return "";
  return absl::StrCat("[", absl::StrJoin(iota.reshape_dims(), ","), "]T(",
                      absl::StrJoin(iota.transpose_perm(), ","), ")");
}

ReplicaGroups MeshFromProto(const pb::MeshGroupsProto& proto) {
  ReplicaGroups out;
  out.form = ReplicaGroups::Form::kMesh;
  for (const pb::MeshProto::MeshAxis& axis : proto.mesh().axes()) {
    out.mesh.push_back({axis.name(), axis.size()});
  }
  out.device_ids.assign(proto.mesh().device_ids().begin(), proto.mesh().device_ids().end());
  out.iota_order = OrderText(proto.mesh().iota_transform());
  for (const pb::AxisRefProto& axis : proto.axes()) {
    const int64_t index = axis.mesh_axis_index();
    const bool known = index >= 0 && index < proto.mesh().axes_size();
    const std::string name = known ? out.mesh[index].name : "";
    out.axes.push_back({name, axis.sub_axis_info().pre_size(), axis.sub_axis_info().size()});
  }
  return out;
}

Text GroupsText(const Proto& proto, const Payloads&) {
  switch (proto.replica_group_list_case()) {
    case Proto::kIotaCollectiveDeviceList:
      return PrintReplicaGroups(IotaFromProto(proto.iota_collective_device_list()));
    case Proto::kMeshAxesReplicaGroupList:
      return PrintReplicaGroups(MeshFromProto(proto.mesh_axes_replica_group_list()));
    case Proto::kCollectiveDeviceList:
      if (proto.collective_device_list().has_iota_replica_group_list()) {
        return PrintReplicaGroups(
            IotaFromProto(proto.collective_device_list().iota_replica_group_list()));
      }
      return PrintReplicaGroups(ListFromProto(proto.collective_device_list().replica_groups()));
    default:
      return PrintReplicaGroups(ListFromProto(proto.replica_groups()));
  }
}

void StoreIota(const ReplicaGroups& groups, pb::IotaGroupsProto* proto) {
  proto->set_num_replica_groups(groups.num_groups);
  proto->set_num_devices_per_group(groups.group_size);
  for (int64_t dim : groups.reshape) proto->add_iota_reshape_dims(dim);
  for (int64_t p : groups.permutation) proto->add_iota_transpose_perm(static_cast<int32_t>(p));
  if (groups.permutation.empty()) proto->add_iota_transpose_perm(0);
}

// "[2,4]T(1,0)"
void StoreOrder(absl::string_view order, pb::MeshProto::Iota* proto) {
  const std::vector<absl::string_view> numbers =
      absl::StrSplit(order, absl::ByAnyChar("[,]T()"), absl::SkipEmpty());
  for (size_t i = 0; i < numbers.size(); ++i) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(numbers[i], &number)) return;
    if (i < numbers.size() / 2) {
      proto->add_reshape_dims(number);
    } else {
      proto->add_transpose_perm(static_cast<int32_t>(number));
    }
  }
}

void StoreMesh(const ReplicaGroups& groups, pb::MeshGroupsProto* proto) {
  for (const ReplicaGroups::Axis& axis : groups.mesh) {
    pb::MeshProto::MeshAxis* to = proto->mutable_mesh()->add_axes();
    to->set_name(axis.name);
    to->set_size(axis.size);
  }
  if (!groups.iota_order.empty()) {
    StoreOrder(groups.iota_order, proto->mutable_mesh()->mutable_iota_transform());
  } else {
    for (int64_t id : groups.device_ids) proto->mutable_mesh()->add_device_ids(id);
  }
  for (const ReplicaGroups::AxisRef& axis : groups.axes) {
    pb::AxisRefProto* to = proto->add_axes();
    for (size_t i = 0; i < groups.mesh.size(); ++i) {
      if (groups.mesh[i].name == axis.name) to->set_mesh_axis_index(static_cast<int64_t>(i));
    }
    if (axis.size == 0) continue;
    to->mutable_sub_axis_info()->set_pre_size(axis.pre_size);
    to->mutable_sub_axis_info()->set_size(axis.size);
  }
}

absl::Status StoreGroups(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  const auto groups = GetReplicaGroups(module, id);
  if (!groups.has_value()) return absl::OkStatus();
  if (groups->form == ReplicaGroups::Form::kIota) {
    StoreIota(*groups, proto->mutable_iota_collective_device_list());
  } else if (groups->form == ReplicaGroups::Form::kMesh) {
    StoreMesh(*groups, proto->mutable_mesh_axes_replica_group_list());
  } else {
    pb::DeviceListProto* list = proto->mutable_collective_device_list();
    for (const auto& group : groups->list) {
      list->add_replica_groups()->mutable_replica_ids()->Add(group.begin(), group.end());
    }
  }
  return absl::OkStatus();
}

// --- source_target_pairs, output_to_operand_aliasing ---------------------------------------------

Text PairsText(const Proto& proto, const Payloads&) {
  return absl::StrCat("{",
                      absl::StrJoin(proto.source_target_pairs(), ",",
                                    [](std::string* out, const Proto::SourceTarget& pair) {
                                      absl::StrAppend(out, "{", pair.source(), ",", pair.target(),
                                                      "}");
                                    }),
                      "}");
}

absl::Status StorePairs(const Module& module, InstructionId id, absl::string_view, Proto* proto) {
  const auto pairs = GetIntLists(module, id, A::kSourceTargetPairs);
  if (!pairs.has_value()) return absl::OkStatus();
  for (const IntList& pair : *pairs) {
    if (pair.size() != 2) return absl::InvalidArgumentError("source_target_pairs: not a pair");
    Proto::SourceTarget* to = proto->add_source_target_pairs();
    to->set_source(pair[0]);
    to->set_target(pair[1]);
  }
  return absl::OkStatus();
}

Text AliasingText(const Proto& proto, const Payloads&) {
  std::vector<OperandAlias> aliases;
  for (const pb::AliasProto& from : proto.output_operand_aliasing()) {
    OperandAlias& to = aliases.emplace_back();
    to.output_index.assign(from.output_shape_index().begin(), from.output_shape_index().end());
    to.operand = from.operand_index();
    to.operand_index.assign(from.operand_shape_index().begin(), from.operand_shape_index().end());
  }
  if (aliases.empty()) return std::nullopt;
  return PrintAliasing(aliases);
}

absl::Status StoreAliasing(const Module& module, InstructionId id, absl::string_view,
                           Proto* proto) {
  for (const OperandAlias& alias : GetAliasing(module, id)) {
    pb::AliasProto* to = proto->add_output_operand_aliasing();
    for (int64_t i : alias.output_index) to->add_output_shape_index(i);
    to->set_operand_index(alias.operand);
    for (int64_t i : alias.operand_index) to->add_operand_shape_index(i);
  }
  return absl::OkStatus();
}

constexpr ValueRow kGroupRows[] = {
    {A::kReplicaGroups, GroupsText, StoreGroups},
    {A::kSourceTargetPairs, PairsText, StorePairs},
    {A::kOutputToOperandAliasing, AliasingText, StoreAliasing},
};

}  // namespace

absl::Span<const ValueRow> GroupValueRows() { return kGroupRows; }

}  // namespace tessera::hlo
