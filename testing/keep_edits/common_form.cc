#include "tessera/testing/keep_edits/common_form.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tessera::testing {
namespace {

using absl::string_view;

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; }

// After the value that begins at `at`: a bracketed group or a word, strings in it being one piece.
size_t EndOfValue(string_view text, size_t at) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
      continue;
    }
    quoted = c == '"';
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (depth < 0 || (depth == 0 && (c == ',' || c == '\n'))) return at;
    if (depth == 0 && c == '}') return at + 1;
  }
  return at;
}

// `key` is ", NAME=".
void RemoveAttribute(string_view key, std::string* line) {
  while (absl::StrContains(*line, key)) {
    const size_t at = absl::string_view(*line).find(key);
    line->erase(at, EndOfValue(*line, at + key.size()) - at);
  }
}

// `xla.sdy.NAME="..."`, each entry with one comma.
void RemoveSdyEntries(std::string* line) {
  for (size_t at = line->find("xla.sdy."); at != std::string::npos;) {
    const size_t equals = line->find_first_of("=,})", at);
    if (equals == std::string::npos || (*line)[equals] != '=') {
      at = line->find("xla.sdy.", at + 1);
      continue;
    }
    size_t end = EndOfValue(*line, equals + 1);
    if (end < line->size() && (*line)[end] == ',') ++end;
    line->erase(at, end - at);
    at = line->find("xla.sdy.", at);
  }
}

std::string Renamed(string_view line, const Renames& renames) {
  std::string out;
  while (!line.empty()) {
    size_t end = 0;
    while (end < line.size() && IsNameCharacter(line[end])) ++end;
    string_view word = line.substr(0, end);
    const bool is_opcode = end < line.size() && line[end] == '(';
    for (auto it = is_opcode ? renames.end() : renames.find(word); it != renames.end();
         it = renames.find(word)) {
      word = it->second;
    }
    absl::StrAppend(&out, word);
    line.remove_prefix(end);
    for (end = 0; end < line.size() && !IsNameCharacter(line[end]);) ++end;
    absl::StrAppend(&out, line.substr(0, end));
    line.remove_prefix(end);
  }
  return out;
}

constexpr string_view kMarkTargets[] = {"\"Sharding\"", "\"xla.sdy.", "\"SPMDFullToShardShape\"",
                                        "\"SPMDShardToFullShape\""};

}  // namespace

bool IsMark(string_view line) {
  if (!absl::StrContains(line, "custom-call(")) return false;
  for (string_view target : kMarkTargets) {
    if (absl::StrContains(line, absl::StrCat("custom_call_target=", target))) return true;
  }
  return false;
}

string_view FirstName(string_view text) {
  size_t begin = 0;
  while (begin < text.size() && !IsNameCharacter(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  // `w#1`: an element of w.
  while (end > begin && end + 1 < text.size() && text[end] == '#' &&
         absl::ascii_isdigit(text[end + 1])) {
    for (++end; end < text.size() && absl::ascii_isdigit(text[end]);) ++end;
  }
  return text.substr(begin, end - begin);
}

string_view DefinedName(string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == string_view::npos) return {};
  string_view left = absl::StripAsciiWhitespace(line.substr(0, equals));
  absl::ConsumePrefix(&left, "ROOT ");
  absl::ConsumePrefix(&left, "%");
  return FirstName(left) == left ? left : string_view();
}

std::string WithoutShardings(string_view text) {
  constexpr string_view kKey = "sharding=";
  std::string out;
  size_t kept = 0;
  for (size_t at = text.find(kKey); at != string_view::npos; at = text.find(kKey, at + 1)) {
    size_t comma = at;
    while (comma > kept && absl::ascii_isspace(text[comma - 1])) --comma;
    if (comma == at || text[comma - 1] != ',') continue;
    absl::StrAppend(&out, text.substr(kept, comma - 1 - kept));
    kept = EndOfValue(text, at + kKey.size());
  }
  return absl::StrCat(out, text.substr(kept));
}

void ReplaceAll(string_view from, string_view to, std::string* text) {
  for (size_t at = text->find(std::string(from)); at != std::string::npos;
       at = text->find(std::string(from))) {
    text->replace(at, from.size(), std::string(to));
  }
}

std::string CommonForm(string_view line, const Renames& renames) {
  std::string text(line);
  RemoveSdyEntries(&text);
  RemoveAttribute(", num_partitions=", &text);
  ReplaceAll(",}", "}", &text);
  ReplaceAll(", frontend_attributes={}", "", &text);
  return Renamed(text, renames);
}

}  // namespace tessera::testing
