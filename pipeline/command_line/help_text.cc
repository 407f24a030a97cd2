#include "tessera/pipeline/command_line/help_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace tessera::pipeline {
namespace {

constexpr char kHead[] =
    "Usage: tessera VERB FILE [NAME] [--flags]\n"
    "How XLA shards a program, why, and what that costs. FILE: HLO, - is stdin.\n\n";

constexpr char kEnd[] =
    "\n`tessera VERB --help` has flags and examples; --version prints the version.\n"
    "Exit status: 0 done, 1 a finding, 2 bad usage or input.\n";

}  // namespace

std::string HelpText(const std::vector<Verb>& verbs) {
  std::string text = kHead;
  std::string group;
  for (const Verb& verb : verbs) {
    if (!verb.instead.empty()) continue;
    absl::StrAppendFormat(&text, "%-8s %-12s %s\n", verb.group == group ? "" : verb.group,
                          verb.name, verb.summary);
    group = verb.group;
  }
  return absl::StrCat(text, kEnd);
}

std::string Wrapped(absl::string_view text, size_t columns) {
  std::string out;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    size_t used = 0;
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      const bool fits = used + 1 + word.size() <= columns;
      if (used > 0) absl::StrAppend(&out, fits ? " " : "\n");
      used = used > 0 && fits ? used + 1 + word.size() : word.size();
      absl::StrAppend(&out, word);
    }
    absl::StrAppend(&out, "\n");
  }
  out.pop_back();
  return out;
}

}  // namespace tessera::pipeline
