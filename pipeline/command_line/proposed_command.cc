#include "tessera/pipeline/command_line/proposed_command.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::pipeline {

std::string ShellWord(absl::string_view text) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("._-/=,:+%@", c);
  };
  if (!text.empty() && absl::c_all_of(text, is_plain)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (absl::StrContains("\\\"$`", c)) quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string FlagsAgain(const Arguments& arguments, const std::vector<Flag>& flags) {
  std::string again;
  for (const Flag& flag : flags) {
    if (!arguments.Has(flag.name) || arguments.IsOfProject(flag.name)) continue;
    if (flag.placeholder.empty()) absl::StrAppend(&again, " --", flag.name);
    for (const std::string& value : arguments.All(flag.name)) {
      if (!flag.placeholder.empty())
        absl::StrAppend(&again, " --", flag.name, "=", ShellWord(value));
    }
  }
  return again;
}

}  // namespace tessera::pipeline
