#include "tessera/text/unified_diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::text {
namespace {

constexpr size_t kContext = 3;    // lines around a change, as patch expects
constexpr size_t kInserted = 16;  // so many lines are seen as put in between

using Lines = std::vector<absl::string_view>;

// With their line ends.
Lines LinesOf(absl::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Lines [from, from + removed) of one text, in whose place [to, to + added) of the other stand.
struct Change {
  size_t from = 0, removed = 0, to = 0, added = 0;
};

// How many lines were put in before before[i]: the distance to its like; 0 for none.
size_t Inserted(const Lines& before, size_t i, const Lines& after, size_t j) {
  const size_t end = std::min(after.size(), j + kInserted + 1);
  for (size_t k = j + 1; i < before.size() && k < end; ++k) {
    if (after[k] == before[i]) return k - j;
  }
  return 0;
}

void Add(const Change& next, std::vector<Change>* changes) {
  if (!changes->empty() && changes->back().from + changes->back().removed == next.from) {
    changes->back().removed += next.removed;
    changes->back().added += next.added;
  } else {
    changes->push_back(next);
  }
}

std::vector<Change> ChangesOf(const Lines& before, const Lines& after) {
  std::vector<Change> changes;
  size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i, ++j;
      continue;
    }
    Change one = {i, 0, j, Inserted(before, i, after, j)};
    if (one.added == 0) {
      one.removed = i < before.size() ? 1 : 0;
      one.added = j < after.size() ? 1 : 0;
    }
    Add(one, &changes);
    i += one.removed, j += one.added;
  }
  return changes;
}

void Put(char mark, absl::string_view line, std::string* out) {
  absl::StrAppend(out, absl::string_view(&mark, 1), line,
                  line.back() == '\n' ? "" : "\n\\ No newline at end of file\n");
}

// A range without lines is named by the line in front of it.
std::string RangeText(size_t begin, size_t count) {
  return absl::StrCat(count == 0 ? begin : begin + 1, ",", count);
}

// Changes [first, last), no two of which are further apart than their context.
void PutHunk(const Lines& before, const Lines& after, const Change* first, const Change* last,
             std::string* out) {
  const size_t lead = std::min(kContext, first->from);
  const Change& end = last[-1];
  const size_t to = std::min(before.size(), end.from + end.removed + kContext);
  const size_t tail = to - (end.from + end.removed);
  absl::StrAppend(out, "@@ -", RangeText(first->from - lead, to - (first->from - lead)), " +",
                  RangeText(first->to - lead, end.to + end.added + tail - (first->to - lead)),
                  " @@\n");
  size_t i = first->from - lead;
  for (const Change* one = first; one != last; ++one) {
    for (; i < one->from; ++i) Put(' ', before[i], out);
    for (; i < one->from + one->removed; ++i) Put('-', before[i], out);
    for (size_t k = 0; k < one->added; ++k) Put('+', after[one->to + k], out);
  }
  for (; i < to; ++i) Put(' ', before[i], out);
}

}  // namespace

std::string UnifiedDiff(absl::string_view name, absl::string_view before, absl::string_view after) {
  const Lines old_lines = LinesOf(before), new_lines = LinesOf(after);
  const std::vector<Change> changes = ChangesOf(old_lines, new_lines);
  if (changes.empty()) return "";
  std::string out = absl::StrCat("--- ", name, "\n+++ ", name, "\n");
  for (size_t first = 0, last = 1; first < changes.size(); first = last++) {
    while (last < changes.size() &&
           changes[last].from - changes[last - 1].from - changes[last - 1].removed <=
               2 * kContext) {
      ++last;
    }
    PutHunk(old_lines, new_lines, &changes[first], &changes[first] + (last - first), &out);
  }
  return out;
}

}  // namespace tessera::text
