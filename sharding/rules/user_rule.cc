#include "tessera/sharding/rules/user_rule.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "tessera/sharding/factors/infer_sizes.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/frontend.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::rules {
namespace {

using Shapes = absl::Span<const layout::Shape* const>;

// A token counts as a scalar: XLA lets such rules pass.
std::vector<int> Ranks(Shapes shapes) {
  std::vector<int> ranks;
  for (const layout::Shape* shape : shapes) {
    const bool is_dynamic = shape->has_dynamic_dim();
    ranks.push_back(is_dynamic ? factors::kNotATensor : static_cast<int>(shape->rank()));
  }
  return ranks;
}

std::vector<absl::Span<const int64_t>> AllDims(Shapes shapes) {
  std::vector<absl::Span<const int64_t>> dims;
  for (const layout::Shape* shape : shapes) dims.push_back(shape->dims());
  return dims;
}

// Where the value of the attached rule stands in the module's text: after its opening quote. Zero
// for a module that was not read from a text.
size_t OffsetOfAttachedRule(const OpView& op) {
  for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(*op.module, op.instruction)) {
    if (entry.key != kShardingRuleAttribute) continue;
    const std::optional<hlo::SourceRange> range = op.module->RangeOf(entry.value);
    return range ? range->begin + 1 : 0;
  }
  return 0;
}

}  // namespace

bool HasAttachedRule(const OpView& op) {
  if (!op.takes_attached_rule || op.instruction == hlo::kNoId) return false;
  const std::optional<absl::string_view> all =
      op.module->FindAttribute(op.instruction, hlo::AttributeName::kFrontendAttributes);
  return all && absl::StrContains(*all, kShardingRuleAttribute) &&
         hlo::GetFrontendAttribute(*op.module, op.instruction, kShardingRuleAttribute).has_value();
}

absl::StatusOr<factors::OpShardingRule> RuleFromText(absl::string_view text, const OpView& op) {
  factors::RulePlaces places;
  TESSERA_ASSIGN_OR_RETURN(factors::RuleSpec spec, factors::ParseRuleSpec(text, &places));
  std::optional<factors::RuleMistake> mistake =
      factors::InferSizes(AllDims(op.operands), AllDims(op.results), &spec);
  if (!mistake) {
    mistake =
        factors::CheckRule(spec, Ranks(op.operands), Ranks(op.results), factors::GroupOrder::kAny);
  }
  if (mistake) return text::ErrorAt(places.Find(mistake->part), mistake->message);
  return factors::OpShardingRule::Make(std::move(spec));
}

absl::Status CheckSizesOfText(absl::string_view text, const OpView& op) {
  factors::RulePlaces places;
  TESSERA_ASSIGN_OR_RETURN(const factors::RuleSpec spec, factors::ParseRuleSpec(text, &places));
  if (spec.sizes.empty()) return absl::OkStatus();
  const auto mistake = factors::CheckSizes(AllDims(op.operands), AllDims(op.results), spec);
  if (!mistake) return absl::OkStatus();
  return text::ErrorAt(places.Find(mistake->part), mistake->message);
}

absl::StatusOr<factors::OpShardingRule> AttachedRule(const OpView& op) {
  const std::string text =
      hlo::GetFrontendAttribute(*op.module, op.instruction, kShardingRuleAttribute).value_or("");
  absl::StatusOr<factors::OpShardingRule> rule =
      factors::ParseRuleForOp(text, Ranks(op.operands), Ranks(op.results));
  if (rule.ok()) return rule;
  return text::Rebase(rule.status(), OffsetOfAttachedRule(op));
}

}  // namespace tessera::sharding::rules
