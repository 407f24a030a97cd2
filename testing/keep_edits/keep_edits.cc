// Both texts are cut into lines and brought to a common form (common_form.h): without shardings and
// xla.sdy entries, and with every new or vanished instruction's name replaced by the name of what
// it passes on. Then the lines must be the same, but for those of marks and of new instructions.
// Example:
//
//   before                                 after
//     s = f32[8] custom-call(p), "Sharding"  s = f32[8] copy(p), sharding={..}      a mark
//                                            s.reshard = f32[8] copy(s), ..         new, means s
//     ROOT n = f32[8] negate(s)              ROOT n = f32[8] negate(s.reshard), ..  both: negate(s)

#include "tessera/testing/keep_edits/keep_edits.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/testing/keep_edits/common_form.h"

namespace tessera::testing {
namespace {

using absl::string_view;

constexpr size_t kMaxShown = 10;
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
      own_root_ |= is_new && absl::StrContains(line, "ROOT ");
      const std::string passed = PassedOn(line, others);
      const std::string whole = passed.substr(0, passed.find('#'));
      if (passed != name && (own.contains(whole) || others.contains(whole))) {
        renames_[name] = passed;
      }
    }
  }
  bool IsFree(size_t line) const { return free_[line]; }
  // A root that is not on the other side.
  bool has_own_root() const { return own_root_; }
  const Renames& renames() const { return renames_; }

 private:
  std::vector<bool> free_;
  bool own_root_ = false;
  bool after_new_ = false;  // the blank line after a new computation
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
  for (size_t l = 0; l < left.size() && wrong.size() < kMaxShown; ++l) {
    if (old_side.IsFree(l) && IsMark(left[l])) continue;
    while (r < right.size() && new_side.IsFree(r)) ++r;
    std::string expected = CommonForm(left[l], old_side.renames());
    std::string found = r < right.size() ? CommonForm(right[r], new_side.renames()) : "";
    if (expected != found && new_side.has_own_root()) ReplaceAll("ROOT ", "", &expected);
    // Of a barrier that goes, what it passed on becomes the root.
    if (expected != found && old_side.has_own_root()) ReplaceAll("ROOT ", "", &found);
    if (expected != found) {
      wrong.push_back(
          absl::StrCat("line ", l + 1, "\n  expected ", expected, "\n  found    ", found));
    }
    ++r;
  }
  while (r < right.size() && new_side.IsFree(r)) ++r;
  if (wrong.empty() && r < right.size()) {
    wrong.push_back(absl::StrCat("lines after the end: ", right[r]));
  }
  return wrong;
}

}  // namespace tessera::testing
