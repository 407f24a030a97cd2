// RuleRegistry answers "which rule has this op?" for all ops of a module: the rule attached to the
// instruction, else the one that a user gave for its custom-call target, else the derived one.
// Derived rules are remembered, so a million ops cost little more than their table look-ups.
//
//   factors::RuleTable table;
//   RuleRegistry registry(&table);
//   TESSERA_RETURN_IF_ERROR(registry.AddText("my_transpose", "([i, j])->([j, i])"));
//   TESSERA_ASSIGN_OR_RETURN(RuleId id, registry.RuleOf(op));  // kNoRule: propagation stops
//   if (id != factors::kNoRule) RuleToString(table[id]);
//
// A back end with targets of its own registers functions:
//
//   registry.AddMaker("my_norm", [](const OpView& op) -> absl::StatusOr<MaybeRule> {
//     return PointwiseRule(op.operands, op.results);
//   });

#ifndef TESSERA_SHARDING_RULES_RULE_REGISTRY_H_
#define TESSERA_SHARDING_RULES_RULE_REGISTRY_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/rules/op_view.h"
#include "tessera/sharding/rules/rules.h"

namespace tessera::sharding::rules {

using MaybeRule = std::optional<factors::OpShardingRule>;

// Makes the rule of a custom call. Called once for each op; a rule that does not fit the op's
// tensors is an error of the op.
using CustomRuleFn = std::function<absl::StatusOr<MaybeRule>(const OpView& op)>;

class RuleRegistry {
 public:
  // Rules go to `table`, which must outlive the registry. A registry serves one module: what it
  // remembers may name the module's computations.
  explicit RuleRegistry(factors::RuleTable* table, RuleMode mode = {})
      : table_(table), mode_(mode) {}

  // The rule of all custom calls of a target, in the text form of factors/rule_text.h. Sizes may be
  // left out: they follow from the shapes of each call. InvalidArgument, with a caret, if the text
  // is not a rule, and if the pass takes such calls out (no_rule.h); AlreadyExists if the target has
  // a rule from here or from AddMaker.
  absl::Status AddText(absl::string_view target, absl::string_view text);
  absl::Status AddMaker(absl::string_view target, CustomRuleFn maker);

  // The rule of `op`, or kNoRule. InvalidArgument if a user's rule is wrong or does not fit; for
  // one attached to an instruction the place is in the module's text, for others the message has
  // all.
  absl::StatusOr<factors::RuleId> RuleOf(const OpView& op);

  const factors::RuleTable& table() const { return *table_; }
  const RuleMode& mode() const { return mode_; }
  // Number of different questions answered so far (user's rules not counted).
  size_t num_remembered() const { return memo_.size(); }

 private:
  const CustomRuleFn* MakerOf(const OpView& op) const;
  absl::StatusOr<factors::RuleId> FromUser(const CustomRuleFn& maker, const OpView& op);
  // Good until the next call.
  absl::string_view MakeKey(const OpView& op);

  factors::RuleTable* table_;
  RuleMode mode_;
  absl::flat_hash_map<std::string, CustomRuleFn> makers_;
  absl::flat_hash_map<std::string, factors::RuleId> memo_;
  std::string key_;  // the memory for keys
};

}  // namespace tessera::sharding::rules

#endif  // TESSERA_SHARDING_RULES_RULE_REGISTRY_H_
