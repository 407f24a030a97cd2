#include "tessera/testing/pairs/meaning.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/called.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

constexpr string_view kIgnored[] = {"metadata",
                                    "sharding",
                                    "frontend_attributes",
                                    "backend_config",
                                    "control-predecessors",
                                    "origin",
                                    "original_value",
                                    "custom_call_has_side_effect",
                                    "channel_id"};

bool IsIgnored(string_view key) {
  return std::find(std::begin(kIgnored), std::end(kIgnored), key) != std::end(kIgnored);
}

// Attributes that say what is computed; of equal text on both sides if the instructions are equal.
std::vector<std::pair<string_view, string_view>> Meaning(const Instruction& i) {
  std::vector<std::pair<string_view, string_view>> meaning;
  for (const auto& attribute : i.attributes) {
    if (IsIgnored(attribute.first) || NamesComputations(attribute.first)) continue;
    if (attribute.first == "is_associative" && attribute.second == "false") continue;
    meaning.push_back(attribute);
  }
  std::sort(meaning.begin(), meaning.end());
  return meaning;
}

// The text of a literal as XLA reads it: -0 has no sign, -0.5 has.
std::string ReadLiteral(string_view text) {
  std::string read;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool starts = i == 0 || !absl::ascii_isalnum(static_cast<unsigned char>(text[i - 1]));
    const bool zero = starts && text[i] == '-' && i + 1 < text.size() && text[i + 1] == '0';
    const char next = zero && i + 2 < text.size() ? text[i + 2] : ',';
    if (zero && (next == ',' || next == ' ' || next == '}' || next == ')')) continue;
    read.push_back(text[i]);
  }
  return read;
}

bool SameLiterals(const Instruction& x, const Instruction& y) {
  if (x.operands == y.operands) return true;
  if (x.operands.size() != y.operands.size()) return false;
  for (size_t i = 0; i < x.operands.size(); ++i) {
    if (ReadLiteral(x.operands[i]) != ReadLiteral(y.operands[i])) return false;
  }
  return true;
}

}  // namespace

bool SameMeaning(const Instruction& x, const Instruction& y) {
  return x.opcode == y.opcode && x.shape == y.shape && (!x.has_literal() || SameLiterals(x, y)) &&
         Meaning(x) == Meaning(y);
}

std::string Shown(const Instruction& i) {
  std::string text = absl::StrCat(i.shape, " ", i.opcode);
  if (i.has_literal()) absl::StrAppend(&text, "(", i.operands[0].substr(0, 60), ")");
  for (const auto& [key, value] : Meaning(i)) absl::StrAppend(&text, ", ", key, "=", value);
  return text;
}

}  // namespace tessera::testing::pairs
