#include "tessera/pipeline/verbs/convert/convert_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/sharding/hlo_conversions.h"
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
using sharding::MeshTable;
using sharding::TensorSharding;

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

// The name of a mesh that nothing defines: --mesh is the one that defines any.
absl::Status KnowsMesh(const std::string& text, const MeshTable& meshes) {
  const absl::StatusOr<sharding::ShardingText> parsed = sharding::ParseShardingText(text);
  if (!parsed.ok() || parsed->inlined_mesh || meshes.Find(parsed->mesh_name)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown mesh @", parsed->mesh_name,
      meshes.size() == 0 ? ": give its axes, as --mesh=data=4,model=2" : "; --mesh defines @mesh"));
}

// The error of a text after a prefix, at its place in the text alone.
absl::Status WithoutPrefix(const absl::Status& status, size_t prefix, const std::string& text) {
  const size_t offset = std::max(text::ErrorOffset(status), prefix) - prefix;
  return text::ErrorAt(std::min(offset, text.size()), status.message());
}

// `<@mesh, [..]>`, with or without its prefix; `[..]` alone is on the mesh of --mesh.
absl::StatusOr<TensorSharding> ParseSdy(const std::string& text, MeshTable& meshes) {
  if (text.empty() || !absl::StrContains("<[#", text[0])) {
    const absl::Status fault = text::ErrorAt(
        0,
        "expected {devices=..}, {mesh[..], ..}, P('data', None), <@mesh, [{\"data\"}, {}]> or "
        "[{\"data\"}, {}]");
    return Located(fault, "TEXT", text);
  }
  const absl::string_view prefix = absl::StartsWith(text, "[") ? "<@mesh, " : "";
  const std::string whole = prefix.empty() ? text : absl::StrCat(prefix, text, ">");
  TESSERA_RETURN_IF_ERROR(KnowsMesh(whole, meshes));
  absl::StatusOr<TensorSharding> parsed = sharding::ParseSharding(whole, meshes);
  if (parsed.ok()) return parsed;
  return Located(WithoutPrefix(parsed.status(), prefix.size(), text), "TEXT", text);
}

absl::StatusOr<std::string> ReadText(const std::string& argument) {
  if (argument != "-") return argument;
  TESSERA_ASSIGN_OR_RETURN(const auto source, text::Source::FromFile(argument));
  return std::string(absl::StripAsciiWhitespace(source->text()));
}

}  // namespace

absl::StatusOr<ConvertInput> ReadConvertInput(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadText(arguments.positional(0)));
  ConvertInput input;
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
  input.hlo = ToNamedSharding(*input.axes, input.meshes.mesh(input.axes->mesh_id()));
  return input;
}

}  // namespace tessera::pipeline
