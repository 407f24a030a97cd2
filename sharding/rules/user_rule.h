// Rules that come from people: attached to an instruction in the HLO text, or given for all custom
// calls of a target. Mistakes in them are told with their place.

#ifndef TESSERA_SHARDING_RULES_USER_RULE_H_
#define TESSERA_SHARDING_RULES_USER_RULE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_spec.h"
#include "tessera/sharding/rules/op_view.h"

namespace tessera::sharding::rules {

// True if a frontend attribute of the op's instruction has a rule; cheap.
//   frontend_attributes={xla.sdy.sharding_rule="#sdy.op_sharding_rule<([i])->([i]) {i=4}, custom>"}
bool HasAttachedRule(const OpView& op);

// The rule in that attribute, checked against the op. The error's place is in the module's text
// (text::Located with Module::text() shows it).
absl::StatusOr<factors::OpShardingRule> AttachedRule(const OpView& op);

// The rule that `text` writes for `op`. Sizes may be left out: they then follow from the shapes.
// The error's place is in `text`.
absl::StatusOr<factors::OpShardingRule> RuleFromText(absl::string_view text, const OpView& op);
// Sizes that the text gives must be those of the shapes; for a text that RuleFromText() takes.
absl::Status CheckSizesOfText(absl::string_view text, const OpView& op);

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_USER_RULE_H_
