#include "tessera/pipeline/verbs/convert.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::HloSharding;
using sharding::MeshId;
using sharding::MeshTable;
using sharding::TensorSharding;

constexpr int64_t kMostDevicesListed = 64;

// What the user gave: an HLO sharding, or axes of a mesh, from which the HLO forms follow.
struct Input {
  HloSharding hlo;
  MeshTable meshes;
  std::optional<TensorSharding> axes;
  std::vector<int64_t> shape;  // empty when it was not given
};

const sharding::Mesh& MeshOf(const Input& input) {
  return input.meshes.mesh(input.axes->mesh_id());
}

// The text as a source of its own, so that mistakes show a caret.
absl::Status Located(const absl::Status& status, const std::string& name, const std::string& text) {
  if (status.ok()) return status;
  return text::Located(status, *text::Source::FromString(name, text));
}

absl::StatusOr<std::vector<int64_t>> ParseShape(const std::string& text) {
  std::vector<int64_t> shape;
  if (text.empty()) return shape;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--shape: expected sizes such as 16,32, not '", text, "'"));
    }
    shape.push_back(size);
  }
  return shape;
}

// Adds the mesh of --mesh as @mesh.
absl::Status AddMesh(const Arguments& arguments, MeshTable& meshes) {
  const std::string& text = arguments.Get("mesh");
  if (text.empty()) return absl::OkStatus();
  absl::StatusOr<sharding::Mesh> mesh = sharding::ParseMeshSizes(text);
  if (!mesh.ok()) return Located(mesh.status(), "--mesh", text);
  return meshes.Add("mesh", *std::move(mesh)).status();
}

absl::StatusOr<TensorSharding> ParseSpec(const std::string& text, size_t rank,
                                         const MeshTable& meshes) {
  if (meshes.size() == 0) {
    return absl::InvalidArgumentError("P(..) needs the mesh that it is for: --mesh=data=4,model=2");
  }
  absl::StatusOr<sharding::PartitionSpec> spec = sharding::ParsePartitionSpec(text);
  if (!spec.ok()) return Located(spec.status(), "TEXT", text);
  if (rank == 0) rank = spec->entries.size();
  return spec->Resolve(0, meshes.mesh(0), static_cast<int>(rank));
}

// `<@mesh, [..]>`, with or without its prefix; `[..]` alone is on the mesh of --mesh.
absl::StatusOr<TensorSharding> ParseSdy(const std::string& text, MeshTable& meshes) {
  const std::string whole =
      absl::StartsWith(text, "[") ? absl::StrCat("<@mesh, ", text, ">") : text;
  absl::StatusOr<TensorSharding> parsed = sharding::ParseSharding(whole, meshes);
  if (!parsed.ok()) return Located(parsed.status(), "TEXT", whole);
  return parsed;
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

absl::StatusOr<Input> ReadInput(const Arguments& arguments) {
  const std::string& text = arguments.positional(0);
  Input input;
  TESSERA_RETURN_IF_ERROR(AddMesh(arguments, input.meshes));
  TESSERA_ASSIGN_OR_RETURN(input.shape, ParseShape(arguments.Get("shape")));
  if (absl::StartsWith(text, "{")) {
    absl::StatusOr<HloSharding> parsed = sharding::ParseHloSharding(text);
    if (!parsed.ok()) return Located(parsed.status(), "TEXT", text);
    input.hlo = *std::move(parsed);
    return input;
  }
  if (absl::StartsWith(text, "P")) {
    TESSERA_ASSIGN_OR_RETURN(input.axes, ParseSpec(text, input.shape.size(), input.meshes));
  } else {
    TESSERA_ASSIGN_OR_RETURN(input.axes, ParseSdy(text, input.meshes));
  }
  input.hlo = ToNamedSharding(*input.axes, MeshOf(input));
  return input;
}

// --- the forms -----------------------------------------------------------------------------------

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

Form ToV1(Input& input) { return ListDevices(ToTiledSharding(input.hlo)).ToString(true); }

Form ToV2(Input& input) { return ToTiledSharding(input.hlo).ToString(true); }

absl::Status NeedAxes(Input& input) {
  if (input.axes) return absl::OkStatus();
  if (input.hlo.IsTuple()) return absl::InvalidArgumentError("a tuple has no such form");
  TESSERA_ASSIGN_OR_RETURN(input.axes,
                           FindAxes(input.hlo, static_cast<int>(input.shape.size()), input.meshes));
  return absl::OkStatus();
}

Form ToV3(Input& input) {
  if (input.hlo.IsNamed()) return input.hlo.ToString(true);
  if (input.hlo.IsTuple()) {
    std::vector<HloSharding> leaves = input.hlo.elements();
    for (HloSharding& leaf : leaves) {
      TESSERA_ASSIGN_OR_RETURN(leaf, TiledToNamedSharding(leaf));
    }
    return HloSharding::Tuple(std::move(leaves)).ToString(true);
  }
  if (input.meshes.size() == 0) {
    TESSERA_ASSIGN_OR_RETURN(const HloSharding named, TiledToNamedSharding(input.hlo));
    return named.ToString(true);
  }
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  return ToNamedSharding(*input.axes, MeshOf(input)).ToString(true);
}

Form ToSdy(Input& input) {
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  return PrintSharding(*input.axes, input.meshes);
}

Form ToSpec(Input& input) {
  TESSERA_RETURN_IF_ERROR(NeedAxes(input));
  const auto spec = ToPartitionSpec(*input.axes, MeshOf(input));
  if (spec) return spec->ToString();
  return absl::InvalidArgumentError(
      "P(..) has no words for sub-axes, priorities and replicated axes");
}

struct NamedForm {
  absl::string_view name;
  Form (*convert)(Input&);
};

constexpr NamedForm kForms[] = {
    {"v1", ToV1}, {"v2", ToV2}, {"v3", ToV3}, {"sdy", ToSdy}, {"pspec", ToSpec},
};

// --- tiles ---------------------------------------------------------------------------------------

std::string PrintRanges(const std::vector<sharding::TileRange>& ranges) {
  return absl::StrJoin(ranges, ",", [](std::string* out, const sharding::TileRange& range) {
    absl::StrAppend(out, range.first, ":", range.limit);
  });
}

Form PrintTiles(const Input& input) {
  const std::vector<int64_t>& shape = input.shape;
  const HloSharding tiled = ToTiledSharding(input.hlo);
  if (tiled.IsTuple())
    return absl::InvalidArgumentError("--shape is for the sharding of one array");
  const sharding::ShardedLeaf leaf{true, shape};
  if (tiled.IsTiled()) {
    TESSERA_RETURN_IF_ERROR(ValidateSharding(tiled, false, {leaf}, tiled.num_devices()));
  }
  std::string out = absl::StrCat("tile: ", absl::StrJoin(TileShape(tiled, shape), ","), "\n");
  const int64_t devices = tiled.IsTiled() ? tiled.num_devices() : 0;
  for (int64_t device = 0; device < devices && devices <= kMostDevicesListed; ++device) {
    TESSERA_ASSIGN_OR_RETURN(const auto ranges, TileOfDevice(tiled, shape, device));
    absl::StrAppend(&out, "device ", device, ": ", PrintRanges(ranges), "\n");
  }
  return out;
}

std::string AllForms(Input& input) {
  std::string out;
  for (const NamedForm& form : kForms) {
    const Form text = form.convert(input);
    absl::StrAppend(&out, form.name, ": ",
                    text.ok() ? *text : absl::StrCat("none (", text.status().message(), ")"), "\n");
  }
  return out;
}

Form OneForm(Input& input, const std::string& name) {
  for (const NamedForm& form : kForms) {
    if (form.name != name) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::string text, form.convert(input));
    return absl::StrCat(text, "\n");
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--to: there is no form '", name, "'; there are v1, v2, v3, sdy and pspec"));
}

Form ConvertText(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(Input input, ReadInput(arguments));
  if (arguments.Has("to")) return OneForm(input, arguments.Get("to"));
  std::string out = AllForms(input);
  if (input.shape.empty()) return out;
  TESSERA_ASSIGN_OR_RETURN(const std::string tiles, PrintTiles(input));
  return out + tiles;
}

VerbResult Convert(const Arguments& arguments) {
  const Form out = ConvertText(arguments);
  return out.ok() ? Done(*out) : BadInput(out.status());
}

}  // namespace

Verb ConvertVerb() {
  Verb verb;
  verb.name = "convert";
  verb.summary = "a sharding between V1, V2, V3, P(...) and axis form";
  verb.description =
      "Reads a sharding in any form and prints it in all of them, one a line. A grid of devices "
      "(V1, V2) gets axes of the mesh of --mesh, or else of a mesh made up for it. With --shape "
      "also the tile of every device.";
  verb.positionals = {{"TEXT",
                       "{devices=..}, {mesh[..], ..}, P('data', None), <@mesh, [{\"data\"}, "
                       "{}]> or [{\"data\"}, {}]"}};
  verb.flags = {
      {"mesh", "AXES", "the mesh that names refer to, as data=4,model=2", ""},
      {"to", "FORM", "only this form: v1, v2, v3, sdy or pspec", ""},
      {"shape", "SIZES", "dimensions of the array, as 16,32", ""},
  };
  verb.examples = {
      {"tessera convert \"P('data', None)\" --mesh=data=4,model=2 --to=v2",
       "prints {devices=[4,1,2]<=[8] last_tile_dim_replicate}"},
      {"tessera convert '{devices=[2,2]<=[4]}' --shape=5,7",
       "all forms, and the tile of each device"},
  };
  verb.run = Convert;
  return verb;
}

}  // namespace tessera::pipeline
