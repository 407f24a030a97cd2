#include "tessera/testing/pairs/dump_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

bool Opens(char c) { return c == '(' || c == '{' || c == '['; }
bool Closes(char c) { return c == ')' || c == '}' || c == ']'; }

size_t EndOfString(string_view text, size_t start) {
  for (size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return string_view::npos;
}

void AddLeaves(string_view shape, Path& path, std::vector<Path>& leaves) {
  if (shape.empty() || shape[0] != '(') {
    leaves.push_back(path);
    return;
  }
  int i = 0;
  for (string_view part : SplitTopLevel(shape.substr(1, shape.size() - 2))) {
    path.push_back(i++);
    AddLeaves(part, path, leaves);
    path.pop_back();
  }
}

}  // namespace

size_t ClosingIndex(string_view text, size_t start) {
  int depth = 0;
  for (size_t i = start; i < text.size();) {
    if (text[i] == '"') {
      i = EndOfString(text, i);
    } else {
      depth += Opens(text[i]) ? 1 : Closes(text[i]) ? -1 : 0;
      ++i;
    }
    if (depth == 0 || i == string_view::npos) return i;
  }
  return string_view::npos;
}

std::vector<string_view> SplitTopLevel(string_view text, char separator) {
  std::vector<string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == separator) {
      parts.push_back(absl::StripAsciiWhitespace(text.substr(begin, i - begin)));
      begin = ++i;
    } else if (Opens(text[i]) || text[i] == '"') {
      i = std::min(ClosingIndex(text, i), text.size());
    } else {
      ++i;
    }
  }
  const string_view tail = absl::StripAsciiWhitespace(text.substr(begin));
  if (!tail.empty()) parts.push_back(tail);
  return parts;
}

string_view Find(const Attributes& attributes, string_view key) {
  for (const auto& [name, value] : attributes) {
    if (name == key) return value;
  }
  return {};
}

Attributes ParseAttributes(const std::vector<string_view>& parts, size_t first) {
  Attributes attributes;
  for (size_t i = first; i < parts.size(); ++i) {
    const size_t equal = parts[i].find('=');
    if (equal == string_view::npos) {
      attributes.emplace_back(parts[i], "");
    } else {
      attributes.emplace_back(absl::StripAsciiWhitespace(parts[i].substr(0, equal)),
                              absl::StripAsciiWhitespace(parts[i].substr(equal + 1)));
    }
  }
  return attributes;
}

size_t EndOfShape(string_view text) {
  size_t i = 0;
  if (!text.empty() && text[0] == '(') return ClosingIndex(text, 0);
  while (i < text.size() && text[i] != ' ') i = Opens(text[i]) ? ClosingIndex(text, i) : i + 1;
  return i;
}

std::vector<Path> TupleLeaves(string_view shape) {
  std::vector<Path> leaves;
  Path path;
  AddLeaves(shape, path, leaves);
  return leaves;
}

bool IsToken(absl::string_view shape, const Path& path) {
  for (int element : path) {
    const std::vector<absl::string_view> parts = SplitTopLevel(shape.substr(1, shape.size() - 2));
    if (static_cast<size_t>(element) >= parts.size()) return false;
    shape = parts[static_cast<size_t>(element)];
  }
  return shape == "token[]";
}

}  // namespace tessera::testing::pairs
