#include "tessera/pipeline/manual/verb_words.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace tessera::pipeline::manual {
namespace {

bool IsLiteral(absl::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

std::vector<std::string> Choices(const Flag& flag) {
  std::vector<std::string> words = absl::StrSplit(flag.placeholder, '|');
  return std::all_of(words.begin(), words.end(), IsLiteral) ? words : std::vector<std::string>();
}

bool TakesFile(const Flag& flag) {
  return absl::StrContains(flag.placeholder, "FILE") || flag.placeholder == "GOLDEN";
}

}  // namespace tessera::pipeline::manual
