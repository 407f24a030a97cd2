#include "tessera/testing/families/sharding/rules_families.h"

#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/rule_registry.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::rules::RuleMode;

// The text of the rule of instruction `op`, "none" if it has none, or an error.
std::string RuleOfOp(const hlo::Module& module, const RuleMode& mode) {
  const sharding::rules::HloOpView view(module, module.FindInstruction("op"));
  sharding::factors::RuleTable table;
  sharding::rules::RuleRegistry book(&table, mode);
  const absl::StatusOr<sharding::factors::RuleId> id = book.RuleOf(view.get());
  if (!id.ok()) return id.status().ToString();
  return *id == sharding::factors::kNoRule ? "none" : RuleToString(table[*id]);
}

RuleMode ModeOf(const std::string& version) {
  RuleMode mode;
  mode.behaviors = sharding::reference::FindReference(version)->behaviors;
  return mode;
}

Outcome ExpectRule(const char* what, const hlo::Module& module, const RuleMode& mode,
                   const json& rule) {
  const std::string expected = rule.is_null() ? "none" : rule.get<std::string>();
  return Expect(what, RuleOfOp(module, mode), expected);
}

Outcome CheckOpRule(const json& c) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(c["module"].get<std::string>());
  if (!module.ok()) return Failed(std::string(module.status().message()));
  if (module->FindInstruction("op") == hlo::kNoId) return Failed("no instruction named op");
  const RuleMode mode = ModeOf(c[kReferenceField]);
  RuleMode conservative = mode;
  conservative.conservative = true;
  RuleMode reads_body = mode;
  reads_body.behaviors.scan_bodies_matter = true;
  const auto expect = [&](const char* field, const RuleMode& mode_of_field) {
    return c.contains(field) ? ExpectRule(field, *module, mode_of_field, c[field]) : Passed();
  };
  return First({expect("rule", mode), expect("rule_conservative", conservative),
                expect("rule_tree_20260807", reads_body), expect("rule_0_10_2", ModeOf("0.10.2"))});
}

}  // namespace

std::vector<Family> RulesFamilies() { return {{"op_rules", CheckOpRule}}; }

}  // namespace tessera::testing
