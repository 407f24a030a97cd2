#include "tessera/sharding/partition/element_texts.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"

namespace tessera::sharding::partition {
namespace {

constexpr size_t kNone = absl::string_view::npos;

// The end of the element that begins the text; 0 without one. Braces in quotes do not count.
size_t EndOfNested(absl::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (!quoted) depth += (text[at] == '{') - (text[at] == '}');
    if (depth == 0) return at == 0 ? 0 : at + 1;
  }
  return 0;
}

// The same; most elements have no braces inside.
size_t EndOfElement(absl::string_view text) {
  const size_t close = text.find('}');
  if (close == kNone || text[0] != '{') return 0;
  const absl::string_view inside = text.substr(1, close - 1);
  const bool is_plain = inside.find('{') == kNone && inside.find('"') == kNone;
  return is_plain ? close + 1 : EndOfNested(text);
}

// Commas, blanks and comments.
size_t EndOfGap(absl::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ',' || text[at] == ' ')) ++at;
  if (text.substr(at, 2) == "/*") at = std::min(text.find("*/", at), text.size() - 2) + 2;
  return at;
}

}  // namespace

std::optional<std::vector<absl::string_view>> ElementTexts(absl::string_view text) {
  if (text.size() < 4 || text.substr(0, 2) != "{{") return std::nullopt;
  std::vector<absl::string_view> out;
  size_t at = 1;
  while (at < text.size() && text[at] != '}') {
    const absl::string_view element = text.substr(at, EndOfElement(text.substr(at)));
    if (element.empty()) return std::nullopt;
    out.push_back(element);
    at += element.size();
    // Adjacent elements often have equal shardings.
    while (absl::StartsWith(text.substr(at), ", ") &&
           absl::StartsWith(text.substr(at + 2), element)) {
      out.push_back(text.substr(at + 2, element.size()));
      at += 2 + element.size();
    }
    at = EndOfGap(text, at);
  }
  if (at + 1 != text.size()) return std::nullopt;
  return out;
}

}  // namespace tessera::sharding::partition
