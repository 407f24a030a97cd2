// The memo. A derived rule is a function of the opcode, the texts of the attributes that the
// opcode's rule reads, the dimensions of all tensors, and the facts about neighbours. These are
// written one behind the other into a string, which is the key:
//
//   opcode, facts, number of operands and of results           10 bytes
//   for each tensor: rank, dimensions, kind                    5 + 8 a dimension
//   for each attribute read: length, text                      4 + length
//
// Building a key costs less than a derivation by an order of magnitude, and a module has few
// different ones (rule_book_benchmark.cc). Element types are not in it: no rule asks for them.

#include "tessera/sharding/rules/rule_book.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/user_rule.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::rules {
namespace {

template <typename T>
void AppendRaw(std::string* key, T value) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendDims(std::string* key, absl::Span<const int64_t> dims) {
  AppendRaw(key, static_cast<uint32_t>(dims.size()));
  key->append(reinterpret_cast<const char*>(dims.data()), dims.size() * sizeof(int64_t));
}

// Only arrays have dimensions; tokens look like scalars. A dynamic dimension takes the rule away.
void AppendShapes(std::string* key, absl::Span<const layout::Shape* const> shapes) {
  for (const layout::Shape* shape : shapes) {
    AppendDims(key, shape->dims());
    key->push_back(static_cast<char>(shape->has_dynamic_dim() + 2 * shape->is_array()));
  }
}

// A rule made by a function is checked like one that was written.
absl::Status CheckMade(const factors::OpShardingRule& rule, const OpView& op) {
  return RuleFromText(factors::RuleToString(rule), op).status();
}

}  // namespace

absl::Status RuleBook::AddMaker(absl::string_view target, RuleMaker maker) {
  if (makers_.try_emplace(std::string(target), std::move(maker)).second) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("custom-call target ", target, " has a rule already"));
}

absl::Status RuleBook::AddText(absl::string_view target, absl::string_view text) {
  const auto source = text::Source::FromString(absl::StrCat("rule of ", target), text);
  if (absl::Status status = factors::ParseRuleSpec(text).status(); !status.ok()) {
    return text::Located(status, *source);
  }
  return AddMaker(target, [source](const OpView& op) -> absl::StatusOr<MaybeRule> {
    absl::StatusOr<factors::OpShardingRule> rule = RuleFromText(source->text(), op);
    if (!rule.ok()) return text::Located(rule.status(), *source);
    factors::RuleSpec spec = rule->spec();
    spec.is_custom = true;
    TESSERA_ASSIGN_OR_RETURN(rule, factors::OpShardingRule::Make(std::move(spec)));
    return MaybeRule(*std::move(rule));
  });
}

const RuleMaker* RuleBook::MakerOf(const OpView& op) const {
  if (makers_.empty() || op.opcode != hlo::Opcode::kCustomCall) return nullptr;
  const auto found = makers_.find(hlo::GetCustomCallTarget(*op.module, op.instruction));
  return found == makers_.end() ? nullptr : &found->second;
}

absl::StatusOr<factors::RuleId> RuleBook::FromUser(const RuleMaker& maker, const OpView& op) {
  TESSERA_ASSIGN_OR_RETURN(MaybeRule rule, maker(op));
  if (!rule) return factors::kNoRule;
  TESSERA_RETURN_IF_ERROR(CheckMade(*rule, op));
  return table_->Intern(*rule);
}

void RuleBook::MakeKey(const OpView& op) {
  key_.clear();
  AppendRaw(&key_, static_cast<uint8_t>(op.opcode));
  AppendRaw(&key_, static_cast<uint8_t>(op.neighbours.code()));
  AppendRaw(&key_, static_cast<uint32_t>(op.operands.size()));
  AppendRaw(&key_, static_cast<uint32_t>(op.results.size()));
  AppendShapes(&key_, op.operands);
  AppendShapes(&key_, op.results);
  if (op.dimensions != nullptr) return AppendDims(&key_, *op.dimensions);
  if (op.instruction == hlo::kNoId) return;
  for (hlo::AttributeName name : AttributesRead(op.opcode)) {
    const absl::string_view value =
        op.module->FindAttribute(op.instruction, name).value_or(absl::string_view());
    AppendRaw(&key_, static_cast<uint32_t>(value.size()));
    key_.append(value.data(), value.size());
  }
}

absl::StatusOr<factors::RuleId> RuleBook::RuleOf(const OpView& op) {
  if (HasAttachedRule(op)) {
    TESSERA_ASSIGN_OR_RETURN(factors::OpShardingRule rule, AttachedRule(op));
    return table_->Intern(rule);
  }
  if (const RuleMaker* maker = MakerOf(op)) return FromUser(*maker, op);
  MakeKey(op);
  const auto found = memo_.find(key_);
  if (found != memo_.end()) return found->second;
  const MaybeRule rule = DeriveRule(op, mode_);
  const factors::RuleId id = rule ? table_->Intern(*rule) : factors::kNoRule;
  memo_.emplace(key_, id);
  return id;
}

}  // namespace tessera::sharding::rules
