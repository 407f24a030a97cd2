#include "tessera/sharding/factors/factor_words.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding::factors {
namespace {

constexpr int kLetters = 'z' - 'i' + 1;

bool IsWordStart(char c) { return absl::ascii_isalpha(c) || c == '_'; }
bool IsWordPart(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Takes the number of a "z_N" factor off the front of `word`, which begins with "z_".
absl::StatusOr<int64_t> TakeNumbered(FactorWord& word) {
  size_t end = 2;
  while (end < word.text.size() && absl::ascii_isdigit(word.text[end])) ++end;
  const absl::string_view digits = word.text.substr(2, end - 2);
  if (digits.empty()) {
    return text::ErrorAt(word.offset + 2, "'z_' needs a number after it, as in z_1");
  }
  if (digits[0] == '0') {
    return text::ErrorAt(
        word.offset + 2,
        absl::StrCat("numbers of factors begin with 1 and have no leading zeros: '", digits, "'"));
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(digits, &number) ||
      number > std::numeric_limits<int64_t>::max() - kLetters) {
    return text::ErrorAt(
        word.offset + 2,
        absl::StrCat("the number of a factor does not fit 63 bits: '", digits, "'"));
  }
  word.text.remove_prefix(end);
  word.offset += end;
  return number + kLetters - 1;
}

}  // namespace

FactorWord WordAtStart(absl::string_view rest, size_t offset) {
  size_t end = 0;
  if (!rest.empty() && IsWordStart(rest[0])) {
    while (end < rest.size() && IsWordPart(rest[end])) ++end;
  }
  return {rest.substr(0, end), offset};
}

absl::StatusOr<int64_t> TakeFactor(FactorWord& word) {
  if (word.text.substr(0, 2) == "z_") return TakeNumbered(word);
  const char c = word.text[0];
  if (c < 'i' || c > 'z') {
    return text::ErrorAt(word.offset,
                         absl::StrCat("factors are named i to z, then z_1, z_2, ...; '",
                                      absl::string_view(&c, 1), "' is none"));
  }
  word.text.remove_prefix(1);
  ++word.offset;
  return c - 'i';
}

}  // namespace tessera::sharding::factors
