#include "tessera/testing/families/sharding/factors_families.h"

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/step/op_step.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::AxisList;
using sharding::Mesh;
using sharding::MeshTable;
using sharding::TensorSharding;
using sharding::factors::FactorTable;
using sharding::factors::OpShardingRule;
using sharding::factors::RuleMistake;
using sharding::factors::RuleSpec;

// --- op_rule_text: a rule, the shapes of the op, and how far the rule gets ---

std::vector<int> Ranks(const json& shapes) {
  std::vector<int> ranks;
  for (const json& shape : shapes) ranks.push_back(static_cast<int>(shape.size()));
  return ranks;
}

Outcome CheckRuleText(const json& c) {
  const absl::StatusOr<RuleSpec> rule =
      sharding::factors::ParseRuleSpec(c["rule"].get<std::string>());
  if (c.value("stage", "") == "parse") {
    return rule.ok() ? Failed("read without an error") : Passed();
  }
  if (!rule.ok()) return Failed(absl::StrCat("not read: ", rule.status().message()));
  const std::optional<RuleMistake> mistake = sharding::factors::CheckRule(
      *rule, Ranks(c["operands"]), Ranks(c["results"]), sharding::factors::GroupOrder::kAscending);
  if (mistake) return c["ok"].get<bool>() ? Failed(mistake->message) : Passed();
  if (!c["ok"].get<bool>()) return Failed("found nothing wrong");
  return Expect("text", sharding::factors::RuleToString(*rule), c["normalized"].get<std::string>());
}

// --- factor_projection: one operand's sharding, its cells, and what a basic step gives the result

struct ProjectionCase {
  MeshTable meshes;
  OpShardingRule rule;
  TensorSharding operand;
};

absl::StatusOr<ProjectionCase> ReadProjectionCase(const json& c) {
  ProjectionCase result;
  TESSERA_ASSIGN_OR_RETURN(
      const Mesh mesh, sharding::ParseMesh(absl::StrCat("<[", c["mesh"].get<std::string>(), "]>")));
  TESSERA_RETURN_IF_ERROR(result.meshes.Add("mesh", mesh).status());
  TESSERA_ASSIGN_OR_RETURN(result.rule, sharding::factors::ParseRule(c["rule"].get<std::string>()));
  const std::string dims = c["operand_sharding"].get<std::string>();
  TESSERA_ASSIGN_OR_RETURN(
      result.operand, sharding::ParseSharding(absl::StrCat("<@mesh, ", dims, ">"), result.meshes));
  return result;
}

json AxesAsJson(const AxisList& axes, const Mesh& mesh) {
  json list = json::array();
  for (sharding::AxisRef axis : axes) list.push_back(AxisRefToString(axis, mesh));
  return list;
}

json CellsAsJson(const FactorTable& table, int tensor) {
  json cells = json::object();
  const OpShardingRule& rule = table.rule();
  for (int n = rule.first_cell(tensor); n < rule.first_cell(tensor + 1); ++n) {
    const sharding::factors::FactorSharding& cell = table.cell(n);
    if (!cell.exists) continue;
    cells[sharding::factors::FactorName(rule.cell_factor(n))] = {
        {"axes", AxesAsJson(cell.axes, table.mesh())},
        {"closed", cell.is_closed},
        {"minor_most", cell.is_minor_most},
        {"overflow", AxesAsJson(cell.overflow, table.mesh())}};
  }
  return cells;
}

// The result's sharding after one basic step in both directions, as text or null.
json ResultAfterStep(const ProjectionCase& c) {
  using sharding::propagation::Direction;
  sharding::ShardingTable shardings;
  sharding::factors::RuleTable rules;
  sharding::propagation::OpStep step({&c.meshes, &shardings, &rules});
  sharding::propagation::StepMode mode;
  mode.directions = sharding::propagation::Directions::Every(Direction::kBoth);
  mode.aggressive = false;
  const auto updates =
      step.Run(mode, rules.Intern(c.rule), {shardings.Intern(c.operand), sharding::kNoSharding});
  for (const auto& update : updates.updates) {
    if (update.tensor == 1) return PrintDims(shardings[update.sharding], c.meshes.mesh(0));
  }
  return nullptr;
}

Outcome CheckProjection(const json& line) {
  const absl::StatusOr<ProjectionCase> c = ReadProjectionCase(line);
  if (!c.ok()) return Failed(std::string(c.status().message()));
  const Mesh& mesh = c->meshes.mesh(0);
  FactorTable table;
  table.Project(c->rule, {&c->operand, nullptr}, mesh);
  return First({Expect("cells", CellsAsJson(table, 0), line["cells"]),
                Expect("round trip", PrintDims(table.ToSharding(0, 0), mesh),
                       line["roundtrip"].get<std::string>()),
                Expect("result", ResultAfterStep(*c), line["result_after"])});
}

}  // namespace

std::vector<Family> FactorsFamilies() {
  return {{"factor_projection", CheckProjection}, {"op_rule_text", CheckRuleText}};
}

}  // namespace tessera::testing
