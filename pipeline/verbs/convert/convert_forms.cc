#include "tessera/pipeline/verbs/convert/convert_forms.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::HloSharding;
using sharding::kWithMetadata;
using sharding::MeshTable;
using sharding::TensorSharding;

const sharding::Mesh& MeshOf(const ConvertInput& input) {
  return input.meshes.mesh(input.axes->mesh_id());
}

// The axes behind an HLO leaf: on the mesh of --mesh if there is one, else on its own.
absl::StatusOr<TensorSharding> FindAxes(const HloSharding& leaf, int rank, MeshTable& meshes) {
  if (leaf.IsNamed() || leaf.IsMaximal()) return NamedToTensorSharding(leaf, meshes);
  if (meshes.size() > 0 && (leaf.IsTiled() || leaf.IsReplicated())) {
    TESSERA_ASSIGN_OR_RETURN(auto importer, sharding::HloImporter::OnMesh(meshes.mesh(0)));
    return importer.Import(leaf, rank, false);
  }
  TESSERA_ASSIGN_OR_RETURN(const HloSharding named, TiledToNamedSharding(leaf));
  return NamedToTensorSharding(named, meshes);
}

using Form = absl::StatusOr<std::string>;

HloSharding ListDevices(const HloSharding& tiled) {
  if (tiled.IsTuple()) {
    std::vector<HloSharding> elements;
    for (const HloSharding& element : tiled.elements()) elements.push_back(ListDevices(element));
    return HloSharding::Tuple(std::move(elements));
  }
  if (!tiled.IsTiled()) return tiled;
  const auto list = sharding::TileAssignment::List(tiled.tiles().dims(), tiled.tiles().Devices());
  return list.ok() ? HloSharding::FromSubgroups(*list, tiled.subgroups()) : tiled;
}

Form ToV1(ConvertInput& input) {
  return ListDevices(ToTiledSharding(input.hlo)).ToString(kWithMetadata);
}

Form ToV2(ConvertInput& input) { return ToTiledSharding(input.hlo).ToString(kWithMetadata); }

absl::Status NeedAxes(ConvertInput& input) {
  if (input.axes) return absl::OkStatus();
  if (input.hlo.IsTuple()) return absl::InvalidArgumentError("a tuple has no such form");
  TESSERA_ASSIGN_OR_RETURN(input.axes,
                           FindAxes(input.hlo, static_cast<int>(input.shape.size()), input.meshes));
  return absl::OkStatus();
}

// The whole array, on whatever devices.
bool IsWhole(const HloSharding& sharding) {
  return sharding.IsReplicated() || (sharding.IsTiled() && sharding.num_devices() == 1);
}

// Axes say dimensions, replicated and unreduced axes; what they cannot say shows on the way back.
absl::Status NeedExactAxes(ConvertInput& input) {
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  const HloSharding back = ToTiledSharding(ToNamedSharding(*input.axes, MeshOf(input)));
  const HloSharding given = ToTiledSharding(input.hlo);
  const bool same = back == given || (IsWhole(back) && IsWhole(given));
  if (same && given.shard_group() == sharding::ShardGroup()) return absl::OkStatus();
  return absl::InvalidArgumentError("axes have no words for manual ones and for shard groups");
}

Form ToV3(ConvertInput& input) {
  if (!(input.hlo.shard_group() == sharding::ShardGroup())) {
    return absl::InvalidArgumentError("v3 has no words for shard groups");
  }
  if (input.hlo.IsNamed()) return input.hlo.ToString(kWithMetadata);
  if (input.hlo.IsTuple()) {
    std::vector<HloSharding> leaves = input.hlo.elements();
    for (HloSharding& leaf : leaves) {
      TESSERA_ASSIGN_OR_RETURN(leaf, TiledToNamedSharding(leaf));
    }
    return HloSharding::Tuple(std::move(leaves)).ToString(kWithMetadata);
  }
  if (input.meshes.size() == 0) {
    TESSERA_ASSIGN_OR_RETURN(const HloSharding named, TiledToNamedSharding(input.hlo));
    return named.ToString(kWithMetadata);
  }
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  return ToNamedSharding(*input.axes, MeshOf(input)).ToString(kWithMetadata);
}

Form ToSdy(ConvertInput& input) {
  TESSERA_RETURN_IF_ERROR(NeedExactAxes(input));
  return PrintSharding(*input.axes, input.meshes);
}

Form ToSpec(ConvertInput& input) {
  TESSERA_RETURN_IF_ERROR(NeedExactAxes(input));
  const bool made_up = !input.meshes.Find("mesh").has_value();
  if (made_up && !MeshOf(input).device_ids().empty()) {
    return absl::InvalidArgumentError("P(..) has no words for the order of devices");
  }
  const auto spec = ToPartitionSpec(*input.axes, MeshOf(input));
  if (spec) return spec->ToString();
  return absl::InvalidArgumentError(
      "P(..) has no words for single devices, sub-axes, priorities and replicated axes");
}

constexpr ConvertForm kForms[] = {
    {"v1", ToV1}, {"v2", ToV2}, {"v3", ToV3}, {"sdy", ToSdy}, {"pspec", ToSpec},
};

}  // namespace

absl::Span<const ConvertForm> ConvertForms() { return kForms; }

}  // namespace tessera::pipeline
