// The memo. A derived rule is a function of four things: the opcode, the texts of the attributes
// that the opcode's rule reads, the dimensions of all tensors, and the facts about neighbours.
// These are written one after the other into a string, which is the key:
//
//   opcode, facts, number of operands and of results           10 bytes
//   for each tensor: rank, dimensions, kind                    5 + 8 a dimension
//   for each attribute read: length, text                      4 + length
//
// Building a key costs less than a derivation by an order of magnitude, and a module has few
// different ones (rule_registry_benchmark.cc). Element types are not in it: only the
// rule of a scatter reads some, those of its computation, whose text is in the key by to_apply.

#include "tessera/sharding/rules/rule_registry.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/no_rule.h"
#include "tessera/sharding/rules/user_rule.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::rules {
namespace {

// Writes a key into a string that only ever grows.
class KeyWriter {
 public:
  explicit KeyWriter(std::string* key) : key_(*key) {}

  template <typename T>
  void Raw(T value) {
    Bytes(&value, sizeof(value));
  }
  void Bytes(const void* data, size_t size) {
    if (size_ + size > key_.size()) key_.resize(2 * (size_ + size));
    if (size > 0) std::memcpy(&key_[size_], data, size);  // no dimensions, no address
    size_ += size;
  }
  void Dims(absl::Span<const int64_t> dims) {
    Raw(static_cast<uint32_t>(dims.size()));
    Bytes(dims.data(), dims.size() * sizeof(int64_t));
  }
  // Only arrays have dimensions; tokens look like scalars. A dynamic dimension takes the rule away.
  void Shapes(absl::Span<const layout::Shape* const> shapes) {
    for (const layout::Shape* shape : shapes) {
      Dims(shape->dims());
      Raw(static_cast<char>(shape->has_dynamic_dim() + 2 * shape->is_array()));
    }
  }
  absl::string_view key() const { return absl::string_view(key_.data(), size_); }

 private:
  std::string& key_;
  size_t size_ = 0;
};

// A rule made by a function is checked like one that was written.
absl::Status CheckMade(const factors::OpShardingRule& rule, const OpView& op) {
  return RuleFromText(factors::RuleToString(rule), op).status();
}

}  // namespace

absl::Status RuleRegistry::AddMaker(absl::string_view target, CustomRuleFn maker) {
  if (makers_.try_emplace(std::string(target), std::move(maker)).second) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("custom-call target ", target, " has a rule already"));
}

absl::Status RuleRegistry::AddText(absl::string_view target, absl::string_view text) {
  if (const NoRule why = WhyNoRuleOf(target); IsTakenOut(why)) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom-call target ", target, " takes no rule: ", NoRuleText(why)));
  }
  const auto source = text::Source::FromString(absl::StrCat("rule of ", target), text);
  if (absl::Status status = factors::ParseRuleSpec(text).status(); !status.ok()) {
    return text::Located(status, *source);
  }
  return AddMaker(target, [source](const OpView& op) -> absl::StatusOr<MaybeRule> {
    absl::StatusOr<factors::OpShardingRule> rule = RuleFromText(source->text(), op);
    if (!rule.ok()) return text::Located(rule.status(), *source);
    if (absl::Status sizes = CheckSizesOfText(source->text(), op); !sizes.ok()) {
      return text::Located(sizes, *source);
    }
    factors::RuleSpec spec = rule->spec();
    spec.is_custom = true;
    TESSERA_ASSIGN_OR_RETURN(rule, factors::OpShardingRule::Make(std::move(spec)));
    return MaybeRule(*std::move(rule));
  });
}

const CustomRuleFn* RuleRegistry::MakerOf(const OpView& op) const {
  if (makers_.empty() || op.opcode != hlo::Opcode::kCustomCall) return nullptr;
  const auto found = makers_.find(hlo::GetCustomCallTarget(*op.module, op.instruction));
  return found == makers_.end() ? nullptr : &found->second;
}

absl::StatusOr<factors::RuleId> RuleRegistry::FromUser(const CustomRuleFn& maker,
                                                       const OpView& op) {
  TESSERA_ASSIGN_OR_RETURN(MaybeRule rule, maker(op));
  if (!rule) return factors::kNoRule;
  TESSERA_RETURN_IF_ERROR(CheckMade(*rule, op));
  return table_->Intern(*rule);
}

absl::string_view RuleRegistry::MakeKey(const OpView& op) {
  KeyWriter writer(&key_);
  writer.Raw(static_cast<uint8_t>(op.opcode));
  writer.Raw(static_cast<uint8_t>(op.neighbours.code()));
  writer.Raw(static_cast<uint32_t>(op.operands.size()));
  writer.Raw(static_cast<uint32_t>(op.results.size()));
  writer.Shapes(op.operands);
  writer.Shapes(op.results);
  if (op.dimensions != nullptr) {
    writer.Dims(*op.dimensions);
  } else if (op.instruction != hlo::kNoId) {
    for (hlo::AttributeName name : AttributesRead(op.opcode)) {
      const absl::string_view value =
          op.module->FindAttribute(op.instruction, name).value_or(absl::string_view());
      writer.Raw(static_cast<uint32_t>(value.size()));
      writer.Bytes(value.data(), value.size());
    }
  }
  return writer.key();
}

absl::StatusOr<factors::RuleId> RuleRegistry::RuleOf(const OpView& op) {
  if (HasAttachedRule(op)) {
    TESSERA_ASSIGN_OR_RETURN(factors::OpShardingRule rule, AttachedRule(op));
    return table_->Intern(rule);
  }
  if (const CustomRuleFn* maker = MakerOf(op)) return FromUser(*maker, op);
  const absl::string_view key = MakeKey(op);
  const auto found = memo_.find(key);
  if (found != memo_.end()) return found->second;
  const MaybeRule rule = DeriveRule(op, mode_);
  const factors::RuleId id = rule ? table_->Intern(*rule) : factors::kNoRule;
  memo_.emplace(key, id);
  return id;
}

}  // namespace tessera::sharding::rules
