#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh_merge.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/trim.h"
#include "tessera/testing/families/sharding/sharding_checks.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::HloSharding;
using sharding::Mesh;
using sharding::MeshTable;
using sharding::TensorSharding;
using Numbers = std::vector<int64_t>;

struct OnMesh {
  Mesh mesh;
  TensorSharding sharding;
};

// The fields `mesh` and `sharding`, where the sharding says @mesh.
absl::StatusOr<OnMesh> ReadOnMesh(const json& c) {
  MeshTable meshes;
  TESSERA_ASSIGN_OR_RETURN(Mesh mesh, sharding::ParseMesh(c["mesh"].get<std::string>()));
  TESSERA_RETURN_IF_ERROR(meshes.Add("mesh", mesh).status());
  TESSERA_ASSIGN_OR_RETURN(TensorSharding s,
                           sharding::ParseSharding(c["sharding"].get<std::string>(), meshes));
  return OnMesh{std::move(mesh), std::move(s)};
}

// `sdy.mesh @name = <..>` line by line.
absl::StatusOr<MeshTable> ReadMeshLines(const std::string& lines) {
  MeshTable meshes;
  for (absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> sides = absl::StrSplit(line, absl::MaxSplits(" = ", 1));
    TESSERA_ASSIGN_OR_RETURN(Mesh mesh, sharding::ParseMesh(sides.at(1)));
    const std::string name = sides.at(0).substr(sides.at(0).find('@') + 1);
    TESSERA_RETURN_IF_ERROR(meshes.Add(name, std::move(mesh)).status());
  }
  return meshes;
}

// `tensor<8x?xf32>`; anything else is a token.
sharding::ValueType ReadType(const std::string& text, Numbers& dims) {
  sharding::ValueType type;
  if (!absl::StartsWith(text, "tensor<")) {
    type.kind = sharding::ValueType::Kind::kToken;
    return type;
  }
  for (absl::string_view part : absl::StrSplit(text.substr(7), 'x')) {
    int64_t size = -1;
    if (absl::SimpleAtoi(part, &size) || part == "?") dims.push_back(size);
  }
  type.dimensions = dims;
  return type;
}

absl::StatusOr<std::pair<MeshTable, std::vector<TensorSharding>>> ReadProgram(const json& c) {
  std::pair<MeshTable, std::vector<TensorSharding>> out;
  for (const auto& [name, text] : c["meshes"].items()) {
    TESSERA_ASSIGN_OR_RETURN(Mesh mesh, sharding::ParseMesh(text.get<std::string>()));
    TESSERA_RETURN_IF_ERROR(out.first.Add(name, std::move(mesh)).status());
  }
  for (const json& text : c["shardings"]) {
    TESSERA_ASSIGN_OR_RETURN(TensorSharding s,
                             sharding::ParseSharding(text.get<std::string>(), out.first));
    out.second.push_back(std::move(s));
  }
  return out;
}

}  // namespace

Outcome CheckAxesToTiles(const json& c) {
  const auto read = ReadOnMesh(c);
  if (!read.ok()) return Failed(read.status().ToString());
  const TensorSharding even = EvenlySharded(RemoveSizeOneAxes(read->sharding, read->mesh),
                                            read->mesh, c["shape"].get<Numbers>());
  return Expect("out", ToTiledSharding(even, read->mesh).ToString(), c["out"].get<std::string>());
}

Outcome CheckBoundary(const json& c) {
  const auto read = ReadOnMesh(c);
  if (!read.ok()) return Failed(read.status().ToString());
  const TensorSharding even = EvenlySharded(RemoveSizeOneAxes(read->sharding, read->mesh),
                                            read->mesh, c["shape"].get<Numbers>());
  const TensorSharding shown = ClosedLike(CutSubAxesOfOpenDims(even));
  return First(
      {Expect("axes", PrintDims(shown, read->mesh), c["axes"].get<std::string>()),
       Expect("out", ToTiledSharding(shown, read->mesh).ToString(), c["out"].get<std::string>())});
}

Outcome CheckTilesToAxes(const json& c) {
  const auto parsed = sharding::ParseHloSharding(c["in"].get<std::string>());
  if (!parsed.ok()) return Failed(parsed.status().ToString());
  const auto axes = AnalyzeTiling(*parsed);
  if (c.contains("error")) return Expect("is an error", !axes.ok(), true);
  if (!axes.ok()) return Failed(axes.status().ToString());
  return First({Expect("local_mesh", json(axes->sizes), c["local_mesh"]),
                Expect("dim_axes", json(axes->dims), c["dim_axes"])});
}

Outcome CheckEqual(const json& c) {
  const auto a = sharding::ParseHloSharding(c["a"].get<std::string>());
  const auto b = sharding::ParseHloSharding(c["b"].get<std::string>());
  if (!a.ok() || !b.ok()) return Failed("a text of the case is refused");
  return First({Expect("a == b", *a == *b, c["out"].get<bool>()),
                Expect("b == a", *b == *a, c["out"].get<bool>())});
}

Outcome CheckGeometry(const json& c) {
  const auto s = sharding::ParseHloSharding(c["sharding"].get<std::string>());
  if (!s.ok()) return Failed(s.status().ToString());
  const Numbers shape = c["shape"];
  const Outcome tile = Expect("tile", json(TileShape(*s, shape)), c["tile"]);
  if (tile.verdict != Verdict::kPassed || !c.contains("devices")) return tile;
  json devices = json::array();
  for (size_t device = 0; device < c["devices"].size(); ++device) {
    const auto ranges = TileOfDevice(*s, shape, static_cast<int64_t>(device));
    if (!ranges.ok()) return Failed(ranges.status().ToString());
    json one = json::array();
    for (const sharding::TileRange& range : *ranges) one.push_back({range.first, range.limit});
    devices.push_back(one);
  }
  return Expect("devices", devices, c["devices"]);
}

Outcome CheckMeshMerge(const json& c) {
  const auto program = ReadProgram(c);
  if (!program.ok()) return Failed(program.status().ToString());
  std::vector<sharding::MeshId> used;
  for (const TensorSharding& s : program->second) {
    if (program->first.is_inlined(s.mesh_id())) used.push_back(s.mesh_id());
  }
  const sharding::MeshMerge merge(program->first, used);
  json meshes = json::object();
  for (sharding::MeshId id = 0; id < merge.meshes().size(); ++id) {
    meshes[merge.meshes().name(id)] = PrintMesh(merge.meshes().mesh(id));
  }
  json out = json::array();
  for (const TensorSharding& s : program->second) {
    const auto moved = merge.Rewrite(s);
    if (!moved.ok()) return Failed(moved.status().ToString());
    out.push_back(PrintSharding(RemoveSizeOneAxes(*moved, merge.meshes().mesh(moved->mesh_id())),
                                merge.meshes()));
  }
  return First({Expect("out_meshes", meshes, c["out_meshes"]), Expect("out", out, c["out"])});
}

Outcome CheckVerify(const json& c) {
  auto meshes = ReadMeshLines(c["meshes"]);
  if (!meshes.ok()) return Failed(meshes.status().ToString());
  const auto text = sharding::ParseShardingText(c["sharding"].get<std::string>());
  if (!text.ok()) return Failed(text.status().ToString());
  Numbers dims;
  const sharding::ValueType type = ReadType(c["type"], dims);
  const auto resolved = ResolveSharding(*text, *meshes, &type);
  const bool ok = !c.contains("error");
  if (resolved.ok() == ok) return Passed();
  return Failed(ok ? resolved.status().ToString() : "accepted, expected an error");
}

}  // namespace tessera::testing
