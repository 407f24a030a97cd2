// From the proto to text: hlo_sharding_text.h checks what comes out of this and brings it into its
// canonical form.

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/proto/values/proto_metadata.h"
#include "tessera/hlo/proto/values/proto_sharding.h"

namespace tessera::hlo {
namespace {

using pb::ShardingProto;

// By ShardingProto::Type; what is no word of its own stays empty.
constexpr absl::string_view kWords[] = {"replicated", "", "", "", "manual", "unknown", "unreduced"};
constexpr absl::string_view kSubgroupWords[] = {"replicated", "maximal", "",         "",
                                                "manual",     "",        "unreduced"};
constexpr absl::string_view kReductions[] = {"", "max", "min"};

template <typename Words>
absl::string_view WordAt(const Words& words, int number) {
  const bool known = number >= 0 && static_cast<size_t>(number) < std::size(words);
  return known ? words[number] : "invalid";
}

template <typename Entries>
std::string MetadataList(const Entries& entries) {
  if (entries.empty()) return "";
  return absl::StrCat("metadata={",
                      absl::StrJoin(entries, ", ",
                                    [](std::string* out, const pb::MetadataProto& entry) {
                                      const std::string text = MetadataTextFromProto(entry, {});
                                      out->append(text.empty() ? "{}" : text);
                                    }),
                      "}");
}

template <typename Reshape, typename Permutation>
std::string IotaText(const Reshape& reshape, const Permutation& permutation) {
  std::string out = absl::StrCat("[", absl::StrJoin(reshape, ","), "]");
  if (permutation.size() > 1) absl::StrAppend(&out, "T(", absl::StrJoin(permutation, ","), ")");
  return out;
}

std::string TilesText(const ShardingProto& proto) {
  std::string out =
      absl::StrCat("devices=[", absl::StrJoin(proto.tile_assignment_dimensions(), ","), "]");
  if (proto.iota_reshape_dims_size() > 0) {
    absl::StrAppend(&out, "<=", IotaText(proto.iota_reshape_dims(), proto.iota_transpose_perm()));
  } else {
    absl::StrAppend(&out, absl::StrJoin(proto.tile_assignment_devices(), ","));
  }
  if (proto.replicate_on_last_tile_dim()) out += " last_tile_dim_replicate";
  if (proto.last_tile_dims_size() > 0) {
    absl::StrAppend(&out, " last_tile_dims={",
                    absl::StrJoin(proto.last_tile_dims(), ", ",
                                  [](std::string* text, int type) {
                                    absl::StrAppend(text, WordAt(kSubgroupWords, type));
                                  }),
                    "}");
  }
  return out;
}

std::string BodyText(const ShardingProto& proto) {
  switch (proto.type()) {
    case ShardingProto::OTHER:
      return TilesText(proto);
    case ShardingProto::MAXIMAL:
      return absl::StrCat("maximal device=", proto.tile_assignment_devices_size() == 1
                                                 ? proto.tile_assignment_devices(0)
                                                 : -1);
    default:
      return std::string(WordAt(kWords, proto.type()));
  }
}

// --- Named shardings -----------------------------------------------------------------------------

std::string MeshText(const pb::MeshProto& mesh) {
  if (mesh.axes().empty() && mesh.device_ids_size() == 1) {
    return absl::StrCat("maximal_mesh[device_id=", mesh.device_ids(0), "]");
  }
  std::string out = "mesh[";
  out +=
      absl::StrJoin(mesh.axes(), ",", [](std::string* text, const pb::MeshProto::MeshAxis& axis) {
        absl::StrAppend(text, "'", axis.name(), "'=", axis.size());
      });
  out += ']';
  if (mesh.iota_transform().reshape_dims_size() > 1) {
    const pb::MeshProto::Iota& iota = mesh.iota_transform();
    absl::StrAppend(&out, ", device_ids=(", IotaText(iota.reshape_dims(), iota.transpose_perm()),
                    ")");
  } else if (mesh.device_ids_size() > 0) {
    absl::StrAppend(&out, ", device_ids=(", absl::StrJoin(mesh.device_ids(), ","), ")");
  }
  return out;
}

std::string AxisName(const pb::MeshProto& mesh, int64_t index) {
  if (index < 0 || index >= mesh.axes_size()) return absl::StrCat(index);
  return mesh.axes(static_cast<int>(index)).name();
}

template <typename Refs>
std::string AxesText(const pb::MeshProto& mesh, const Refs& refs) {
  return absl::StrJoin(refs, ", ", [&](std::string* out, const pb::AxisRefProto& ref) {
    absl::StrAppend(out, "'", AxisName(mesh, ref.mesh_axis_index()), "'");
    if (!ref.has_sub_axis_info()) return;
    absl::StrAppend(out, ":(", ref.sub_axis_info().pre_size(), ")", ref.sub_axis_info().size());
  });
}

std::string DimensionText(const pb::MeshProto& mesh, const pb::NamedShardingProto::Dimension& dim) {
  std::string out = AxesText(mesh, dim.axes());
  if (!dim.is_closed()) absl::StrAppend(&out, out.empty() ? "?" : ", ?");
  return absl::StrCat("{", out, "}");
}

std::string NamedText(const pb::NamedShardingProto& named) {
  const std::string mesh = MeshText(named.mesh());
  const std::string entries = MetadataList(named.metadata());
  const std::string metadata = entries.empty() ? "" : absl::StrCat(", ", entries);
  if (named.mesh().axes().empty() && named.mesh().device_ids_size() == 1) {
    return absl::StrCat("{", mesh, metadata, "}");
  }
  std::string out = absl::StrCat(
      "{", mesh, ", [",
      absl::StrJoin(named.dim_shardings(), ", ",
                    [&](std::string* text, const pb::NamedShardingProto::Dimension& dim) {
                      text->append(DimensionText(named.mesh(), dim));
                    }),
      "]");
  const auto add = [&](absl::string_view name, const auto& refs) {
    if (!refs.empty()) absl::StrAppend(&out, ", ", name, "{", AxesText(named.mesh(), refs), "}");
  };
  add("replicated=", named.replicated_axes());
  add(absl::StrCat("unreduced=", WordAt(kReductions, named.reduction_op())),
      named.unreduced_axes());
  add("manual=", named.manual_axes());
  return absl::StrCat(out, metadata, "}");
}

}  // namespace

std::string ShardingTextFromProto(const ShardingProto& proto) {
  if (proto.has_named_sharding()) return NamedText(proto.named_sharding());
  if (proto.type() == ShardingProto::TUPLE) {
    return absl::StrCat("{",
                        absl::StrJoin(proto.tuple_shardings(), ", ",
                                      [](std::string* out, const ShardingProto& element) {
                                        out->append(ShardingTextFromProto(element));
                                      }),
                        "}");
  }
  std::string group;
  if (proto.is_shard_group()) {
    const absl::string_view word = proto.shard_group_type() == 1 ? " shard_like " : " shard_as ";
    group = absl::StrCat(word, proto.shard_group_id());
  }
  const std::string metadata = MetadataList(proto.metadata());
  return absl::StrCat("{", BodyText(proto), group, metadata.empty() ? "" : " ", metadata, "}");
}

}  // namespace tessera::hlo
