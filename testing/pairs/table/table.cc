#include "tessera/testing/pairs/table/table.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

std::string Undash(string_view text) { return text == "-" ? "" : std::string(text); }

// The columns of a row after its letter; missing ones are empty.
struct Cells {
  explicit Cells(string_view line) : cells(absl::StrSplit(line, '\t')) { cells.resize(5); }
  string_view operator[](int i) const { return cells[i]; }
  std::vector<string_view> cells;
};

void AddRow(char letter, const Cells& row, Rows& rows) {
  switch (letter) {
    case '=': {
      Leaf leaf = ParseLeaf(row[1]);
      rows.shardings[leaf.name].emplace_back(leaf.path, Undash(row[2]));
      break;
    }
    case '*':
      rows.copies[std::string(row[1])].push_back(
          {Undash(row[2]), absl::StrSplit(row[3], ',', absl::SkipEmpty())});
      break;
    case '+':
      rows.inserted[std::string(row[1])].push_back(
          {ParseLeaf(row[2]), std::string(row[3]), Undash(row[4])});
      break;
    case '?':
      rows.unchecked.emplace(row[1]);
      break;
    default:  // consumed instructions are seen in the module itself
      break;
  }
}

}  // namespace

std::string ToString(const Leaf& leaf) {
  if (leaf.path.empty()) return leaf.name;
  return absl::StrCat(leaf.name, "{", absl::StrJoin(leaf.path, ","), "}");
}

Leaf ParseLeaf(string_view text) {
  Leaf leaf;
  const size_t brace = text.find('{');
  leaf.name = std::string(text.substr(0, brace));
  if (brace == string_view::npos) return leaf;
  text = absl::StripSuffix(text.substr(brace + 1), "}");
  for (string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int index = 0;
    if (absl::SimpleAtoi(part, &index)) leaf.path.push_back(index);
  }
  return leaf;
}

Table ParseTable(string_view text) {
  Table table;
  Rows* rows = nullptr;
  for (string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const Cells row(line);
    const char letter = line[0];
    if (letter == 'R') {
      table.results.emplace_back(ParseLeaf(row[1]).path, Undash(row[2]));
    } else if (letter == 'C') {
      rows = &table.computations[std::string(row[1])];
    } else if (rows != nullptr) {
      AddRow(letter, row, *rows);
    }
  }
  return table;
}

}  // namespace tessera::testing::pairs
