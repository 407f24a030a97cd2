#include "tessera/pipeline/verbs/costs/collective_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace tessera::pipeline {

const std::string& AxesText(const CollectiveLine& line) {
  return line.over->axes.has_value() ? line.over->axes_text : line.over->devices;
}

std::string RunsText(int64_t runs, bool unknown_runs) {
  return absl::StrCat(runs, unknown_runs ? "?" : "");
}

std::string RunsText(const CollectiveLine& line) { return RunsText(line.runs, line.unknown_runs); }

std::string SourceText(const std::string& location, const std::string& op_name) {
  if (!location.empty()) return location;
  return op_name.empty() ? "(no line)" : op_name;
}

std::string SourceText(const CollectiveLine& line) {
  return SourceText(line.location, line.op_name);
}

std::vector<std::pair<std::string, double>> SharesByLine(const CollectiveLine& line) {
  if (!line.target.has_value() || line.target->parts.size() < 2) return {{SourceText(line), 1}};
  std::vector<std::pair<std::string, double>> shares;
  double bytes = 0;
  for (const MadeByTarget::Part& part : line.target->parts) {
    const std::string name = SourceText(absl::StrJoin(part.locations, ", "),
                                        part.op_names.empty() ? std::string() : part.op_names[0]);
    auto share = absl::c_find_if(shares, [&](const auto& other) { return other.first == name; });
    if (share == shares.end()) share = shares.insert(share, {name, 0});
    share->second += static_cast<double>(part.bytes);
    bytes += static_cast<double>(part.bytes);
  }
  for (auto& [name, share] : shares) share = bytes > 0 ? share / bytes : 0;
  return shares;
}

std::string SourcesText(const MadeByTarget::Part& part) {
  return Shortened(absl::StrJoin(part.sources, " + "));
}

std::string MadeText(const MadeByTarget& made) {
  const std::string text = made.parts.size() == 1 ? SourcesText(made.parts[0])
                                                  : absl::StrCat(made.parts.size(), " arrays");
  return made.pass.empty() ? text : absl::StrCat(text, " by ", made.pass);
}

bool MatchesPart(const ListFilter& filter, const CollectiveLine& line) {
  if (!line.target.has_value()) return false;
  const auto matches = [&](const std::string& text) { return filter.Matches({text}); };
  return absl::c_any_of(line.target->parts, [&](const MadeByTarget::Part& part) {
    return absl::c_any_of(part.sources, matches) || absl::c_any_of(part.op_names, matches) ||
           absl::c_any_of(part.locations, matches);
  });
}

bool RunsAlong(const CollectiveLine& line, absl::string_view axis) {
  return line.over->axes.has_value() &&
         absl::c_any_of(line.over->axis_names, [&](absl::string_view name) {
           return absl::ConsumePrefix(&name, axis) &&
                  (name.empty() || absl::StartsWith(name, ":("));
         });
}

std::vector<std::string> AxesOfMesh(const std::optional<sharding::Mesh>& mesh) {
  std::vector<std::string> axes;
  if (!mesh.has_value()) return axes;
  for (const sharding::MeshAxis& axis : mesh->axes()) axes.push_back(axis.name);
  return axes;
}

std::vector<std::string> AxesOfMeshes(const sharding::MeshTable& meshes) {
  std::vector<std::string> axes;
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) axes.push_back(axis.name);
  }
  return axes;
}

std::string Shortened(const std::string& text) {
  constexpr size_t kShown = 60;
  return text.size() <= kShown ? text : absl::StrCat(text.substr(0, kShown), "..");
}

}  // namespace tessera::pipeline
