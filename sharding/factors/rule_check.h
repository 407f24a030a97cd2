// Is a rule right for an op? Users write rules by hand, so mistakes are data: what is wrong, and
// which part of the rule holds it (rule_text.h turns the part into a caret).
//
//   std::optional<RuleMistake> mistake =
//       CheckRule(spec, /*operand_ranks=*/{2}, /*result_ranks=*/{2}, GroupOrder::kAscending);
//   if (mistake) ... mistake->message, e.g. "operand 1 has 2 dimensions, the rule gives it 3"

#ifndef TESSERA_SHARDING_FACTORS_RULE_CHECK_H_
#define TESSERA_SHARDING_FACTORS_RULE_CHECK_H_

#include <optional>
#include <string>

#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_spec.h"

namespace tessera::sharding::factors {

// The written parts of a rule.
enum class RuleSection {
  kOperands,
  kResults,
  kSizes,
  kReduction,
  kNeedReplication,
  kPermutation,
  kBlockedPropagation,
};

// One place in a rule: the whole section (index < 0); a tensor of kOperands or kResults, or one of
// its dimensions; a size; a member of a group.
struct RulePart {
  RuleSection section = RuleSection::kOperands;
  int index = -1;
  int dim = -1;
  friend bool operator==(const RulePart& a, const RulePart& b) {
    return a.section == b.section && a.index == b.index && a.dim == b.dim;
  }
};

struct RuleMistake {
  std::string message;
  RulePart part;
};

// Whether the groups must be ascending. XLA's own tools say so; JAX writes the factors in the
// order in which its user gave them and XLA then takes such a rule as it is.
enum class GroupOrder { kAscending, kAny };

// Rank of a value that is not an array of static shape (a token); no rule can cover it.
inline constexpr int kNotATensor = -1;

// The first mistake of `rule` on an op with operands and results of the given ranks, or nothing.
// Sizes are free: a factor's size need not fit the dimensions that name it.
std::optional<RuleMistake> CheckRule(const RuleSpec& rule, absl::Span<const int> operand_ranks,
                                     absl::Span<const int> result_ranks, GroupOrder order);

}  // namespace tessera::sharding::factors

#endif  // TESSERA_SHARDING_FACTORS_RULE_CHECK_H_
