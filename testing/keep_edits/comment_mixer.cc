#include "tessera/testing/keep_edits/comment_mixer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "tessera/testing/keep_edits/common_form.h"

namespace tessera::testing {
namespace {

using absl::string_view;

struct Token {
  std::string text;
  bool is_raw = false;   // no comment in it or right after it
  bool is_free = false;  // the pass may replace it
};

// Words, numbers and patterns of all kinds are one token: `%a.1`, `%a.1#0`, `index=`, `0_1x2_3`,
// `-1.5e-3`.
std::vector<std::string> Cut(string_view line) {
  static const RE2& kToken = *new RE2(
      "(\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|->|<=|[%\\w.?+#-]*[\\w.?](?:->[\\w?]+)?[=:]?|/\\*.*?\\*/|"
      "[ \\t]+|.)");
  std::vector<std::string> tokens;
  re2::StringPiece rest(line.data(), line.size());
  std::string token;
  while (RE2::Consume(&rest, kToken, &token)) tokens.push_back(token);
  return tokens;
}

bool IsRaw(const std::string& name) {
  return name == "frontend_attributes=" || name == "backend_config=";
}
bool IsReplaced(const std::string& name) {
  return name == "frontend_attributes=" || name == "sharding=";
}

// The tokens of a value in braces, from `i` on: marks them and returns the place after it.
size_t MarkValue(const Token& mark, size_t i, std::vector<Token>* tokens) {
  int depth = 0;
  do {
    const std::string& text = (*tokens)[i].text;
    depth += text == "{" ? 1 : text == "}" ? -1 : 0;
    (*tokens)[i].is_raw = mark.is_raw;
    (*tokens)[i].is_free = mark.is_free;
    ++i;
  } while (depth > 0 && i < tokens->size());
  return i;
}

std::vector<Token> TokensOf(string_view line) {
  std::vector<Token> tokens;
  for (std::string& text : Cut(line)) tokens.push_back({std::move(text), false, IsMark(line)});
  for (size_t i = 0; i < tokens.size();) {
    const Token mark = {"", IsRaw(tokens[i].text), IsReplaced(tokens[i].text) || tokens[i].is_free};
    if (!mark.is_raw && !IsReplaced(tokens[i].text)) {
      ++i;
      continue;
    }
    tokens[i].is_raw = mark.is_raw;
    for (size_t comma = i - std::min<size_t>(i, 2); comma <= i; ++comma) {
      tokens[comma].is_free = mark.is_free;
    }
    i = MarkValue(mark, i + 1, &tokens);
    tokens[i - 1].is_raw = false;
    tokens[i - 1].is_free = IsMark(line);
  }
  return tokens;
}

std::string Comment(int number, std::mt19937* random) {
  static constexpr string_view kTexts[] = {
      ",", "x", "{", "}", "(a, b)", "\"", " = ", ", sharding={replicated}", " ROOT ", "//"};
  const string_view text = kTexts[(*random)() % 10];
  return (*random)() % 4 == 0 ? absl::StrCat("// ", number, " ", text, "\n")
                              : absl::StrCat("/*", number, " ", text, "*/");
}

// Tables of stack frames have a line form of their own.
bool IsTable(string_view line) {
  return absl::StartsWith(line, "File") || absl::StartsWith(line, "Function") ||
         absl::StartsWith(line, "StackFrames") ||
         (!line.empty() && line[0] >= '0' && line[0] <= '9');
}

}  // namespace

Commented MixComments(string_view text, double share, std::mt19937* random) {
  Commented out;
  int number = 0;
  for (string_view line : absl::StrSplit(text, '\n')) {
    if (!out.text.empty()) out.text += '\n';
    if (IsTable(line)) {
      absl::StrAppend(&out.text, line);
      continue;
    }
    for (const Token& token : TokensOf(line)) {
      absl::StrAppend(&out.text, token.text);
      if (token.is_raw || (*random)() % 10000 >= share * 10000) continue;
      std::string comment = Comment(number++, random);
      absl::StrAppend(&out.text, comment);
      if (!token.is_free) out.staying.push_back(std::move(comment));
    }
  }
  return out;
}

}  // namespace tessera::testing
