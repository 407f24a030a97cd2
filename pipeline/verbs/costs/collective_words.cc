#include "tessera/pipeline/verbs/costs/collective_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
