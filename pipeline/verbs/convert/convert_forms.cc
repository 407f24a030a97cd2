#include "tessera/pipeline/verbs/convert/convert_forms.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
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

// The same sharding with another form of the devices of its grids.
HloSharding WithDevices(const HloSharding& sharding,
                        sharding::TileAssignment (*form)(const sharding::TileAssignment&)) {
  HloSharding out = sharding;
  if (sharding.IsTuple()) {
    std::vector<HloSharding> elements;
    for (const HloSharding& element : sharding.elements()) {
      elements.push_back(WithDevices(element, form));
    }
    out = HloSharding::Tuple(std::move(elements));
  } else if (sharding.IsTiled()) {
    out = HloSharding::FromSubgroups(form(sharding.tiles()), sharding.subgroups());
  }
  out.set_reduction(sharding.reduction());
  out.set_shard_group(sharding.shard_group());
  out.set_metadata(sharding.metadata());
  return out;
}

HloSharding WithLists(const HloSharding& sharding) {
  return WithDevices(sharding, [](const auto& tiles) { return tiles.AsList(); });
}

// An iota wherever one is the list of devices.
HloSharding WithIotas(const HloSharding& sharding) {
  return WithDevices(sharding,
                     [](const auto& tiles) { return tiles.has_axes() ? tiles.AsIota() : tiles; });
}

// The axes after an HLO leaf: on the mesh of --mesh if there is one, else on its own.
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

Form ToV1(ConvertInput& input) {
  return WithLists(ToTiledSharding(input.hlo)).ToString(kWithMetadata);
}

bool HasLists(const HloSharding& sharding) {
  if (!sharding.IsTuple()) return sharding.IsTiled() && !sharding.tiles().is_iota();
  const std::vector<HloSharding>& elements = sharding.elements();
  return std::any_of(elements.begin(), elements.end(), HasLists);
}

Form ToV2(ConvertInput& input) {
  const HloSharding tiled = WithIotas(ToTiledSharding(input.hlo));
  if (!HasLists(tiled)) return tiled.ToString(kWithMetadata);
  return absl::InvalidArgumentError("the list of devices is no iota");
}

absl::Status NeedAxes(ConvertInput& input) {
  if (input.axes) return absl::OkStatus();
  if (input.hlo.IsTuple()) return absl::InvalidArgumentError("a tuple has no such form");
  TESSERA_ASSIGN_OR_RETURN(
      input.axes,
      FindAxes(WithIotas(input.hlo), static_cast<int>(input.shape.size()), input.meshes));
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
      TESSERA_ASSIGN_OR_RETURN(leaf, TiledToNamedSharding(WithIotas(leaf)));
    }
    return HloSharding::Tuple(std::move(leaves)).ToString(kWithMetadata);
  }
  if (input.meshes.size() == 0) {
    TESSERA_ASSIGN_OR_RETURN(const HloSharding named, TiledToNamedSharding(WithIotas(input.hlo)));
    return named.ToString(kWithMetadata);
  }
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  HloSharding named = ToNamedSharding(*input.axes, MeshOf(input));
  named.set_metadata(input.hlo.metadata());
  return named.ToString(kWithMetadata);
}

Form ToSdy(ConvertInput& input) {
  TESSERA_RETURN_IF_ERROR(NeedExactAxes(input));
  return PrintSharding(*input.axes, input.meshes);
}

bool HasSubAxes(const TensorSharding& sharding) {
  const auto is_sub = [](const sharding::AxisRef& axis) { return axis.is_sub(); };
  const auto any = [&](const auto& axes) { return std::any_of(axes.begin(), axes.end(), is_sub); };
  return any(sharding.unreduced_axes()) ||
         std::any_of(sharding.dims().begin(), sharding.dims().end(),
                     [&](const auto& dim) { return any(dim.axes); });
}

// The part of a sharding without a spec that P(..) cannot say.
absl::string_view WithoutWords(const TensorSharding& sharding, const sharding::Mesh& mesh) {
  if (mesh.is_maximal()) return "a single device";
  if (!sharding.replicated_axes().empty()) return "replicated axes";
  return HasSubAxes(sharding) ? "sub-axes" : "priorities";
}

Form ToSpec(ConvertInput& input) {
  TESSERA_RETURN_IF_ERROR(NeedExactAxes(input));
  const auto spec = ToPartitionSpec(*input.axes, MeshOf(input));
  if (!spec) {
    return absl::InvalidArgumentError(
        absl::StrCat("P(..) has no words for ", WithoutWords(*input.axes, MeshOf(input))));
  }
  const bool made_up = !input.meshes.Find("mesh").has_value();
  if (made_up && !MeshOf(input).device_ids().empty()) {
    return absl::InvalidArgumentError("P(..) has no words for the order of devices");
  }
  return spec->ToString();
}

constexpr ConvertForm kForms[] = {
    {"v1", ToV1}, {"v2", ToV2}, {"v3", ToV3}, {"sdy", ToSdy}, {"pspec", ToSpec},
};

}  // namespace

absl::Span<const ConvertForm> ConvertForms() { return kForms; }

}  // namespace tessera::pipeline
