// Both texts are cut into lines and brought to a common form: without shardings and xla.sdy
// entries, and with every new or vanished instruction's name replaced by the name of what it passes
// on. Then the lines must be the same, but for those of marks and of new instructions. Example:
//
//   before                                 after
//     s = f32[8] custom-call(p), "Sharding"  s = f32[8] copy(p), sharding={..}      a mark
//                                            s.reshard = f32[8] copy(s), ..         new: s.reshard
//                                            -> s
//     ROOT n = f32[8] negate(s)              ROOT n = f32[8] negate(s.reshard), ..  both: negate(s)

#include "tessera/testing/keep_edits/keep_edits.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tessera::testing {
namespace {

using absl::string_view;

constexpr size_t kMostShown = 10;
constexpr string_view kMarkTargets[] = {"\"Sharding\"", "\"xla.sdy.", "\"SPMDFullToShardShape\"",
                                        "\"SPMDShardToFullShape\""};

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; }

// The first name in `text`, without its '%'.
string_view FirstName(string_view text) {
  size_t begin = 0;
  while (begin < text.size() && !IsNameCharacter(text[begin])) ++begin;
  size_t end = begin;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// `  ROOT %x = f32[8] copy(%y)` defines x; other lines define nothing.
string_view DefinedName(string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == string_view::npos) return {};
  string_view left = absl::StripAsciiWhitespace(line.substr(0, equals));
  absl::ConsumePrefix(&left, "ROOT ");
  absl::ConsumePrefix(&left, "%");
  return FirstName(left) == left ? left : string_view();
}

bool IsMark(string_view line) {
  if (!absl::StrContains(line, "custom-call(")) return false;
  for (string_view target : kMarkTargets) {
    if (absl::StrContains(line, absl::StrCat("custom_call_target=", target))) return true;
  }
  return false;
}

// Behind the value that begins at `at`: a bracketed group or a word, strings in it being one piece.
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

// The text without `, sharding=..`, which may stand on a line of its own.
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

void ReplaceAll(string_view from, string_view to, std::string* text) {
  for (size_t at = text->find(std::string(from)); at != std::string::npos;
       at = text->find(std::string(from))) {
    text->replace(at, from.size(), std::string(to));
  }
}

using Renames = absl::flat_hash_map<std::string, std::string>;

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

std::string Common(string_view line, const Renames& renames) {
  std::string text(line);
  RemoveSdyEntries(&text);
  RemoveAttribute(", num_partitions=", &text);
  ReplaceAll(",}", "}", &text);
  ReplaceAll(", frontend_attributes={}", "", &text);
  return Renamed(text, renames);
}

using Names = absl::flat_hash_set<std::string>;

// `ENTRY %main (p: f32[8]) -> f32[8] {` begins main; other lines begin nothing. In a set of names
// it has a blank in front, which no instruction has.
std::string ComputationName(string_view line) {
  if (!absl::EndsWith(line, "{") || absl::StrContains(line, " = ")) return "";
  absl::ConsumePrefix(&line, "ENTRY ");
  return absl::StrCat(" ", FirstName(line));
}

Names NamesOf(const std::vector<string_view>& lines) {
  Names names;
  for (string_view line : lines) {
    names.emplace(DefinedName(line));
    names.insert(ComputationName(line));
  }
  return names;
}

// What a mark, copy or conversion passes on: its first operand. A clone stands for what it is named
// after.
std::string PassedOn(string_view line, const Names& others) {
  string_view name = DefinedName(line);
  for (size_t dot = name.rfind(".clone"); dot != string_view::npos; dot = name.rfind(".clone")) {
    name = name.substr(0, dot);
    if (others.contains(name)) return std::string(name);
  }
  size_t open = line.find(" = ") + 3;
  while (open < line.size() && !(line[open] == '(' && absl::ascii_islower(line[open - 1]))) ++open;
  return std::string(FirstName(line.substr(open)));
}

// Copies are nothing to the pass: users of one may read what it copies. A Sharding call becomes
// one.
bool IsCopy(string_view line) {
  return absl::StrContains(line, " copy(") ||
         absl::StrContains(line, "custom_call_target=\"Sharding\"");
}

// Lines of `lines` that need not be on the other side, and what their names stand for.
class Side {
 public:
  Side(const std::vector<string_view>& lines, const Names& others, const Names& marks) {
    const Names own = NamesOf(lines);
    bool in_new_computation = false;
    for (string_view line : lines) {
      const std::string name(DefinedName(line));
      const std::string computation = ComputationName(line);
      if (!computation.empty()) in_new_computation = !others.contains(computation);
      const bool is_new = in_new_computation || (!name.empty() && !others.contains(name));
      free_.push_back(is_new || (!name.empty() && marks.contains(name)));
      if (line == "}" && in_new_computation) {
        in_new_computation = false;
        after_new_ = true;
      } else if (after_new_) {
        after_new_ = false;
        free_.back() = free_.back() || line.empty();
      }
      if (name.empty() || (!is_new && !IsCopy(line))) continue;
      new_root_ |= is_new && absl::StrContains(line, "ROOT ");
      const std::string passed = PassedOn(line, others);
      if (passed != name && (own.contains(passed) || others.contains(passed))) {
        renames_[name] = passed;
      }
    }
  }
  bool IsFree(size_t line) const { return free_[line]; }
  bool has_new_root() const { return new_root_; }
  const Renames& renames() const { return renames_; }

 private:
  std::vector<bool> free_;
  bool new_root_ = false;
  bool after_new_ = false;  // the blank line behind a new computation
  Renames renames_;
};

Names MarksOf(const std::vector<string_view>& lines) {
  Names marks;
  for (string_view line : lines) {
    if (IsMark(line)) marks.emplace(DefinedName(line));
  }
  return marks;
}

// `HloModule NAME, num_partitions=4` and an empty line: what a text without such a line gets, once.
void RemoveMadeHeader(const std::vector<string_view>& before, std::vector<string_view>* after) {
  const auto is_header = [](string_view line) { return absl::StartsWith(line, "HloModule "); };
  if (std::any_of(before.begin(), before.end(), is_header)) return;
  const auto made = std::find_if(after->begin(), after->end(), is_header);
  if (after->end() - made > 1 && made[1].empty()) after->erase(made, made + 2);
}

}  // namespace

std::vector<std::string> FindForeignEdits(string_view before, string_view after) {
  const std::string old_text = WithoutShardings(before);
  const std::string new_text = WithoutShardings(after);
  const std::vector<string_view> left = absl::StrSplit(old_text, '\n');
  std::vector<string_view> right = absl::StrSplit(new_text, '\n');
  RemoveMadeHeader(left, &right);
  const Names marks = MarksOf(left);
  const Side old_side(left, NamesOf(right), marks);
  const Side new_side(right, NamesOf(left), marks);
  std::vector<std::string> wrong;
  size_t r = 0;
  for (size_t l = 0; l < left.size() && wrong.size() < kMostShown; ++l) {
    if (old_side.IsFree(l) && IsMark(left[l])) continue;
    while (r < right.size() && new_side.IsFree(r)) ++r;
    std::string expected = Common(left[l], old_side.renames());
    const std::string found = r < right.size() ? Common(right[r], new_side.renames()) : "";
    if (expected != found && new_side.has_new_root()) ReplaceAll("ROOT ", "", &expected);
    if (expected != found) {
      wrong.push_back(
          absl::StrCat("line ", l + 1, "\n  expected ", expected, "\n  found    ", found));
    }
    ++r;
  }
  while (r < right.size() && new_side.IsFree(r)) ++r;
  if (wrong.empty() && r < right.size()) {
    wrong.push_back(absl::StrCat("lines behind the end: ", right[r]));
  }
  return wrong;
}

}  // namespace tessera::testing
