#include "tessera/testing/apply_diff.h"

#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace tessera::text {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string ApplyDiff(const std::string& before, const std::string& diff) {
  const std::vector<std::string> old_lines = LinesOf(before);
  std::string out;
  size_t at = 0;
  for (const std::string& line : LinesOf(diff)) {
    if (absl::StartsWith(line, "---") || absl::StartsWith(line, "+++")) continue;
    if (absl::StartsWith(line, "@@ -")) {
      const std::vector<std::string> range = absl::StrSplit(line.substr(4), absl::ByAnyChar(", "));
      size_t begin = 0;
      EXPECT_TRUE(absl::SimpleAtoi(range[0], &begin)) << line;
      if (range[1] != "0") --begin;
      while (at < begin) absl::StrAppend(&out, old_lines.at(at++), "\n");
    } else if (line[0] == '\\') {
      if (at == old_lines.size()) out.pop_back();
    } else {
      if (line[0] != '+') {
        EXPECT_EQ(line.substr(1), old_lines.at(at++));
      }
      if (line[0] != '-') absl::StrAppend(&out, line.substr(1), "\n");
    }
  }
  while (at < old_lines.size()) absl::StrAppend(&out, old_lines[at++], "\n");
  return out;
}

}  // namespace tessera::text
