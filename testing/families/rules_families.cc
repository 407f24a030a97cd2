#include "tessera/testing/families/rules_families.h"

#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/rule_book.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::rules::RuleMode;
using sharding::rules::ScanVersion;

// The text of the rule of instruction `op`, "none" if it has none, or an error.
std::string RuleOfOp(const hlo::Module& module, const RuleMode& mode) {
  const sharding::rules::HloOpView view(module, module.FindInstruction("op"));
  sharding::factors::RuleTable table;
  sharding::rules::RuleBook book(&table, mode);
  const absl::StatusOr<sharding::factors::RuleId> id = book.RuleOf(view.get());
  if (!id.ok()) return id.status().ToString();
  return *id == sharding::factors::kNoRule ? "none" : RuleToString(table[*id]);
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
  RuleMode conservative;
  conservative.conservative = true;
  RuleMode newer;
  newer.scan = ScanVersion::kXla2026_08_07;
  const json& in_newer = c.contains("rule_tree_20260807") ? c["rule_tree_20260807"] : c["rule"];
  return First({ExpectRule("rule", *module, {}, c["rule"]),
                ExpectRule("conservative rule", *module, conservative, c["rule_conservative"]),
                ExpectRule("rule of the newer XLA", *module, newer, in_newer)});
}

}  // namespace

std::vector<Family> RulesFamilies() { return {{"op_rules", CheckOpRule}}; }

}  // namespace tessera::testing
