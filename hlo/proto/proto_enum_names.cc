// One walk over the tokens of the text. A word in front of a colon is a field, a word after it a
// value; in `operand_precision: [HIGH, DEFAULT]` there are two.
//
// Tested by proto_test.cc.

#include "tessera/hlo/proto/proto_enum_names.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/layout/element_type.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

// A field whose words are those of an attribute, after a prefix.
struct AttributeField {
  absl::string_view field;
  absl::string_view prefix;
  A attribute;
  Opcode opcode = Opcode::kCustomCall;  // of which the attribute is, where that decides
};
constexpr AttributeField kAttributeFields[] = {
    {"algorithm", "ALG_", A::kAlgorithm, Opcode::kDot},
    {"conv_kind", "CONVOLUTION_KIND_", A::kConvolutionKind},
    {"custom_call_api_version", "", A::kApiVersion},
    {"custom_call_schedule", "", A::kSchedule},
    {"distribution", "", A::kDistribution},
    {"fft_type", "", A::kFftType},
    {"operand_precision", "", A::kOperandPrecision},
    {"padding_type", "", A::kPaddingType},
    {"rng_algorithm", "", A::kAlgorithm, Opcode::kRngBitGenerator},
    {"transpose_a", "", A::kTransposeA},
};

// A word of a field that no attribute has.
struct OwnWord {
  absl::string_view field;
  absl::string_view word;
  int number;
};
constexpr OwnWord kOwnWords[] = {
    {"is_associative", "TRI_STATE_UNSPECIFIED", 0},
    {"is_associative", "TRI_STATE_TRUE", 1},
    {"is_associative", "TRI_STATE_FALSE", 2},
    {"kind", "UNDEFINED_ALIAS", 0},
    {"kind", "MAY_ALIAS", 1},
    {"kind", "MUST_ALIAS", 2},
    {"mode", "DEFAULT", 0},
    {"mode", "HIGHEST", 1},
    {"profile_type", "INVALID", 0},
    {"profile_type", "WINDOW", 1},
    {"profile_type", "FLAG", 2},
    {"profile_type", "INTEGER", 3},
    {"reduction_op", "SUM", 0},
    {"reduction_op", "MAX", 1},
    {"reduction_op", "MIN", 2},
    {"shard_group_type", "AS", 0},
    {"shard_group_type", "LIKE", 1},
};

std::optional<int> ElementTypeNumber(absl::string_view word) {
  if (word == "PRIMITIVE_TYPE_INVALID") return 0;
  absl::ConsumeSuffix(&word, "_TYPE");  // OPAQUE_TYPE
  for (int number = 1; number < layout::kNumElementTypes; ++number) {
    const auto type = static_cast<layout::ElementType>(number);
    if (absl::EqualsIgnoreCase(layout::ElementTypeName(type), word)) return number;
  }
  return std::nullopt;
}

std::optional<int> NumberOf(absl::string_view field, absl::string_view word) {
  if (field == "element_type" || absl::EndsWith(field, "_primitive_type")) {
    return ElementTypeNumber(word);
  }
  for (const OwnWord& own : kOwnWords) {
    if (own.field == field && own.word == word) return own.number;
  }
  for (const AttributeField& row : kAttributeFields) {
    if (row.field != field || !absl::ConsumePrefix(&word, row.prefix)) continue;
    const auto words = EnumValuesOf(row.attribute, row.opcode).words;
    const auto at = std::find_if(words.begin(), words.end(), [&](absl::string_view known) {
      return absl::EqualsIgnoreCase(known, word);
    });
    if (at != words.end()) return static_cast<int>(at - words.begin());
  }
  return std::nullopt;
}

bool IsWordChar(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Replacer {
 public:
  explicit Replacer(absl::string_view text) : text_(text), out_(text) {}

  std::string Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        SkipString(c);
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (IsWordChar(c)) {
        ReadWord();
      } else {
        ReadPunctuation(c);
      }
    }
    return std::move(out_);
  }

 private:
  void SkipString(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) at_ += text_[at_] == '\\';
    ++at_;
    EndValue();
  }

  void ReadWord() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsWordChar(text_[at_])) ++at_;
    const absl::string_view word = text_.substr(begin, at_ - begin);
    if (!in_value_) {
      field_ = word;
      return;
    }
    if (const auto number = NumberOf(field_, word)) {
      std::string digits = absl::StrCat(*number);
      digits.resize(word.size(), ' ');
      out_.replace(begin, word.size(), digits);
    }
    EndValue();
  }

  void ReadPunctuation(char c) {
    ++at_;
    if (c == ':') in_value_ = true;
    if (c == '[') in_list_ = in_value_;
    if (absl::string_view("]{}<>").find(c) != absl::string_view::npos) in_list_ = in_value_ = false;
  }

  void EndValue() { in_value_ = in_list_; }

  absl::string_view text_;
  std::string out_;
  size_t at_ = 0;
  absl::string_view field_;
  bool in_value_ = false;
  bool in_list_ = false;
};

}  // namespace

std::string WithEnumNumbers(absl::string_view text) { return Replacer(text).Run(); }

}  // namespace tessera::hlo
