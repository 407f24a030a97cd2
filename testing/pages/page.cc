#include "tessera/testing/pages/page.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::testing {
namespace {

constexpr absl::string_view kIndent = "    ";
constexpr absl::string_view kPrompt = "    $ ";

bool IsGap(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  return line == ".." || line == "...";
}

bool IsBlank(absl::string_view line) { return absl::StripAsciiWhitespace(line).empty(); }

// The whole command that begins at lines[at]; leaves `at` after it.
std::string ReadCommand(const std::vector<std::string>& lines, size_t& at) {
  std::string text(absl::StripPrefix(lines[at++], kPrompt));
  while (absl::EndsWith(text, "\\") && at < lines.size()) {
    text.pop_back();
    text.append(lines[at++]);
  }
  return text;
}

// Of "check step.hlo  # exit status 1"; 0 without such a comment.
int StatusIn(absl::string_view command) {
  constexpr absl::string_view kComment = "# exit status ";
  const size_t at = command.rfind(kComment);
  int status = 0;
  if (at != command.npos && !absl::SimpleAtoi(command.substr(at + kComment.size()), &status)) {
    status = -1;
  }
  return status;
}

// The indented lines from lines[at] on, without the blank ones at the end.
std::vector<std::string> ReadOutput(const std::vector<std::string>& lines, size_t& at) {
  std::vector<std::string> output;
  for (; at < lines.size() && !absl::StartsWith(lines[at], kPrompt); ++at) {
    if (!absl::StartsWith(lines[at], kIndent) && !IsBlank(lines[at])) break;
    output.emplace_back(absl::StripTrailingAsciiWhitespace(absl::StripPrefix(lines[at], kIndent)));
  }
  while (!output.empty() && output.back().empty()) output.pop_back();
  return output;
}

}  // namespace

std::vector<PageCommand> CommandsOf(absl::string_view page) {
  const std::vector<std::string> lines = absl::StrSplit(page, '\n');
  std::vector<PageCommand> commands;
  for (size_t at = 0; at < lines.size();) {
    if (!absl::StartsWith(lines[at], kPrompt)) {
      ++at;
      continue;
    }
    PageCommand& command = commands.emplace_back();
    command.line = static_cast<int>(at) + 1;
    command.text = ReadCommand(lines, at);
    command.status = StatusIn(command.text);
    command.expected = ReadOutput(lines, at);
  }
  return commands;
}

// After a gap the next line may stand anywhere: on a mismatch, the last gap takes one line more.
bool MatchesOutput(const std::vector<std::string>& expected,
                   const std::vector<std::string>& actual) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t want = 0, have = 0, after_gap = kNone, gap_end = 0;
  while (have < actual.size()) {
    if (want < expected.size() && IsGap(expected[want])) {
      after_gap = ++want;
      gap_end = have;
    } else if (want < expected.size() &&
               expected[want] == absl::StripTrailingAsciiWhitespace(actual[have])) {
      ++want;
      ++have;
    } else if (after_gap != kNone) {
      want = after_gap;
      have = ++gap_end;
    } else {
      return false;
    }
  }
  while (want < expected.size() && IsGap(expected[want])) ++want;
  return want == expected.size();
}

}  // namespace tessera::testing
