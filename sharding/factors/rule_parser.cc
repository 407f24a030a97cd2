// A hand-written recursive descent, one function for each line of the grammar in rule_text.h.
//
// One thing deserves a word: a group reads only the first factor of each of its words, as sdy does:
// "reduction={ji}" means {j}.
//
// Linear in the text. Tested in rule_text_test.cc.

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/factors/factor_words.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::factors {
namespace {

class Parser {
 public:
  Parser(absl::string_view text, RulePlaces* places) : in_(text), places_(places) {}

  absl::StatusOr<RuleSpec> Parse();

 private:
  absl::Status ParseRule();
  absl::Status ParseTensors(RuleSection section, std::vector<TensorMapping>& tensors);
  absl::Status ParseTensor(RulePart part, TensorMapping& tensor);
  absl::Status ParseDim(RulePart part, TensorMapping& tensor);
  absl::Status ParseSizes();
  absl::Status ParseSize();
  absl::StatusOr<int64_t> ParseInteger();
  absl::Status ParseGroup(absl::string_view name, RuleSection section,
                          std::vector<int64_t>& members);
  absl::Status ParseMember(RuleSection section, std::vector<int64_t>& members);
  absl::Status ParseCustom();

  absl::Status Expect(absl::string_view token, absl::string_view why);
  // The word at the cursor; empty if there is none. Does not move.
  FactorWord PeekWord();
  void Skip(const FactorWord& word) { in_.set_offset(word.offset + word.text.size()); }
  void Note(RulePart part) {
    in_.SkipBlanks();
    if (places_ != nullptr) places_->Add(part, in_.offset());
  }

  text::Cursor in_;
  RulePlaces* places_;
  RuleSpec rule_;
};

FactorWord Parser::PeekWord() {
  in_.SkipBlanks();
  return WordAtStart(in_.rest(), in_.offset());
}

absl::Status Parser::Expect(absl::string_view token, absl::string_view why) {
  if (in_.Consume(token)) return absl::OkStatus();
  return in_.Error(absl::StrCat("expected '", token, "' ", why));
}

absl::StatusOr<RuleSpec> Parser::Parse() {
  const bool wrapped = in_.Consume("#sdy.op_sharding_rule");
  if (wrapped) TESSERA_RETURN_IF_ERROR(Expect("<", "before the rule"));
  TESSERA_RETURN_IF_ERROR(ParseRule());
  if (wrapped && !in_.Consume('>')) return in_.Error("expected '>' or a later part of the rule");
  if (!in_.AtEnd()) {
    return in_.Error(
        "expected the end of the rule; its parts come in the order sizes, reduction, "
        "need_replication, permutation, blocked_propagation, ', custom', each at most once");
  }
  return std::move(rule_);
}

absl::Status Parser::ParseRule() {
  TESSERA_RETURN_IF_ERROR(ParseTensors(RuleSection::kOperands, rule_.operands));
  TESSERA_RETURN_IF_ERROR(Expect("->", "between operands and results"));
  TESSERA_RETURN_IF_ERROR(ParseTensors(RuleSection::kResults, rule_.results));
  TESSERA_RETURN_IF_ERROR(ParseSizes());
  TESSERA_RETURN_IF_ERROR(ParseGroup("reduction", RuleSection::kReduction, rule_.reduction));
  TESSERA_RETURN_IF_ERROR(
      ParseGroup("need_replication", RuleSection::kNeedReplication, rule_.need_replication));
  TESSERA_RETURN_IF_ERROR(ParseGroup("permutation", RuleSection::kPermutation, rule_.permutation));
  TESSERA_RETURN_IF_ERROR(ParseGroup("blocked_propagation", RuleSection::kBlockedPropagation,
                                     rule_.blocked_propagation));
  return ParseCustom();
}

absl::Status Parser::ParseTensors(RuleSection section, std::vector<TensorMapping>& tensors) {
  Note({section});
  TESSERA_RETURN_IF_ERROR(Expect("(", "before the list of tensors"));
  do {
    const RulePart part{section, static_cast<int>(tensors.size())};
    TESSERA_RETURN_IF_ERROR(ParseTensor(part, tensors.emplace_back()));
  } while (in_.Consume(','));
  return Expect(")", "or ',' after a tensor");
}

absl::Status Parser::ParseTensor(RulePart part, TensorMapping& tensor) {
  Note(part);
  TESSERA_RETURN_IF_ERROR(Expect("[", "before the dimensions of a tensor"));
  if (in_.Consume(']')) return absl::OkStatus();
  do {
    part.dim = static_cast<int>(tensor.size());
    TESSERA_RETURN_IF_ERROR(ParseDim(part, tensor));
  } while (in_.Consume(','));
  return Expect("]", "or ',' after a dimension");
}

// A dimension may be empty here; CheckRule says so with more words.
absl::Status Parser::ParseDim(RulePart part, TensorMapping& tensor) {
  Note(part);
  DimMapping& dim = tensor.emplace_back();
  FactorWord word = PeekWord();
  Skip(word);
  while (!word.text.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t factor, TakeFactor(word));
    dim.push_back(factor);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseSizes() {
  Note({RuleSection::kSizes});
  if (!in_.Consume('{') || in_.Consume('}')) return absl::OkStatus();
  do {
    TESSERA_RETURN_IF_ERROR(ParseSize());
  } while (in_.Consume(','));
  return Expect("}", "or ',' after a size");
}

absl::Status Parser::ParseSize() {
  const int64_t next = static_cast<int64_t>(rule_.sizes.size());
  Note({RuleSection::kSizes, static_cast<int>(next)});
  FactorWord word = PeekWord();
  Skip(word);
  const size_t begin = word.offset;
  if (word.text.empty()) return in_.Error("expected a factor and its size, as in i=4");
  TESSERA_ASSIGN_OR_RETURN(const int64_t factor, TakeFactor(word));
  if (!word.text.empty()) {
    return text::ErrorAt(word.offset, "a size belongs to one factor, as in i=4");
  }
  if (factor != next) {
    return text::ErrorAt(begin, absl::StrCat("sizes come in the order i, j, k, ... without a gap: ",
                                             "expected '", FactorName(next), "'"));
  }
  TESSERA_RETURN_IF_ERROR(Expect("=", "after a factor"));
  TESSERA_ASSIGN_OR_RETURN(const int64_t size, ParseInteger());
  rule_.sizes.push_back(size);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Parser::ParseInteger() {
  in_.SkipBlanks();
  const size_t begin = in_.offset();
  const bool negative = in_.Consume('-');
  in_.SkipBlanks();
  const absl::string_view rest = in_.rest();
  const bool hex = rest.size() > 2 && rest.substr(0, 2) == "0x" && absl::ascii_isxdigit(rest[2]);
  size_t end = hex ? 2 : 0;
  while (end < rest.size() &&
         (hex ? absl::ascii_isxdigit(rest[end]) : absl::ascii_isdigit(rest[end]))) {
    ++end;
  }
  if (end == 0) return in_.Error("expected a number");
  const std::string digits = absl::StrCat(negative ? "-" : "", rest.substr(0, end));
  int64_t value = 0;
  if (!(hex ? absl::SimpleHexAtoi(digits, &value) : absl::SimpleAtoi(digits, &value))) {
    return text::ErrorAt(begin, absl::StrCat("the number does not fit 64 bits: ", digits));
  }
  in_.set_offset(in_.offset() + end);
  return value;
}

absl::Status Parser::ParseGroup(absl::string_view name, RuleSection section,
                                std::vector<int64_t>& members) {
  const FactorWord word = PeekWord();
  if (word.text != name) return absl::OkStatus();
  Note({section});
  Skip(word);
  TESSERA_RETURN_IF_ERROR(Expect("=", "after the name of a group"));
  if (!in_.Consume('{') || in_.Consume('}')) return absl::OkStatus();
  do {
    TESSERA_RETURN_IF_ERROR(ParseMember(section, members));
  } while (in_.Consume(','));
  return Expect("}", "or ',' after a factor");
}

absl::Status Parser::ParseMember(RuleSection section, std::vector<int64_t>& members) {
  Note({section, static_cast<int>(members.size())});
  FactorWord word = PeekWord();
  Skip(word);
  if (word.text.empty()) return in_.Error("expected a factor");
  TESSERA_ASSIGN_OR_RETURN(const int64_t factor, TakeFactor(word));
  members.push_back(factor);
  return absl::OkStatus();
}

absl::Status Parser::ParseCustom() {
  if (!in_.Consume(',')) return absl::OkStatus();
  const FactorWord word = PeekWord();
  if (word.text != "custom") return in_.Error("expected 'custom'");
  Skip(word);
  rule_.is_custom = true;
  return absl::OkStatus();
}

}  // namespace

size_t RulePlaces::Find(RulePart part) const {
  for (const auto& [known, offset] : places_) {
    if (known == part) return offset;
  }
  if (part.dim >= 0) return Find({part.section, part.index});
  if (part.index >= 0) return Find({part.section});
  return 0;
}

absl::StatusOr<RuleSpec> ParseRuleSpec(absl::string_view text, RulePlaces* places) {
  return Parser(text, places).Parse();
}

absl::StatusOr<OpShardingRule> ParseRule(absl::string_view text) {
  TESSERA_ASSIGN_OR_RETURN(RuleSpec spec, ParseRuleSpec(text));
  return OpShardingRule::Make(std::move(spec));
}

absl::StatusOr<OpShardingRule> ParseRuleForOp(absl::string_view text,
                                              absl::Span<const int> operand_ranks,
                                              absl::Span<const int> result_ranks) {
  RulePlaces places;
  TESSERA_ASSIGN_OR_RETURN(RuleSpec spec, ParseRuleSpec(text, &places));
  if (std::optional<RuleMistake> mistake =
          CheckRule(spec, operand_ranks, result_ranks, GroupOrder::kAny)) {
    return text::ErrorAt(places.Find(mistake->part), mistake->message);
  }
  return OpShardingRule::Make(std::move(spec));
}

}  // namespace tessera::sharding::factors
