// Rules as text, the notation of sdy:
//
//   rule       = "(" tensor {"," tensor} ")" "->" "(" tensor {"," tensor} ")" [sizes] {group}
//                [", custom"]
//   tensor     = "[" [dim {"," dim}] "]"
//   dim        = one or more factors without a blank between them, major to minor
//   factor     = "i" .. "z", then "z_1", "z_2", ...
//   sizes      = "{" i=N, j=N, ... "}"              all factors in order, without a gap
//   group      = NAME "={" factor {"," factor} "}"  NAME in this order, each at most once:
//                                                   reduction, need_replication, permutation,
//                                                   blocked_propagation
//
// Example: two matrix dimensions, of which the first is split into two factors:
//
//   absl::StatusOr<OpShardingRule> rule = ParseRule("([ij, k])->([i, j, k]) {i=2, j=4, k=8}");
//   RuleToString(*rule);   // the same text
//
// A mistake is a Status that knows its place (text::ErrorOffset; text::Located adds the caret):
//
//   rule:1:5: error: factors are named i to z, then z_1, z_2, ...; 'a' is none
//     ([i, a])->([i])
//          ^

#ifndef TESSERA_SHARDING_FACTORS_RULE_TEXT_H_
#define TESSERA_SHARDING_FACTORS_RULE_TEXT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_spec.h"

namespace tessera::sharding::factors {

// Where the parts of a parsed rule begin in its text.
class RulePlaces {
 public:
  void Add(RulePart part, size_t offset) { places_.emplace_back(part, offset); }
  // The place of `part`, or else of what encloses it; 0 if nothing does.
  size_t Find(RulePart part) const;

 private:
  std::vector<std::pair<RulePart, size_t>> places_;
};

// Reads `text`, with or without "#sdy.op_sharding_rule<...>" around it. Only the notation is
// checked; what the rule says can still be nonsense (CheckRule). `places` may be null.
absl::StatusOr<RuleSpec> ParseRuleSpec(absl::string_view text, RulePlaces* places = nullptr);

// Reads and freezes a rule; errors as above and those of OpShardingRule::Make.
absl::StatusOr<OpShardingRule> ParseRule(absl::string_view text);

// Reads a rule that a user gives for an op with these operand and result ranks (kNotATensor for a
// token), and checks it in full; groups may be in any order.
absl::StatusOr<OpShardingRule> ParseRuleForOp(absl::string_view text,
                                              absl::Span<const int> operand_ranks,
                                              absl::Span<const int> result_ranks);

// One line; reading it gives an equal rule back.
std::string RuleToString(const RuleSpec& rule);
std::string RuleToString(const OpShardingRule& rule);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_TEXT_H_
