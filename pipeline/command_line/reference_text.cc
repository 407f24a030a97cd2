// docs/reference.md. Flags that many verbs have in common (Flag::group) stand there once; a verb
// that has one of them in another form lists its own.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/old_names.h"

namespace tessera::pipeline {
namespace {

constexpr char kTableHead[] = "\n| flag | what | default |\n|---|---|---|\n";

std::string FlagRow(const Flag& flag) {
  return absl::StrCat("| `", absl::StrReplaceAll(FlagUsage(flag), {{"|", "\\|"}}), "` | ",
                      absl::StrReplaceAll(flag.help, {{"|", "\\|"}}),
                      flag.repeated ? "; may be repeated" : "", " | ", flag.default_value, " |\n");
}

// The rows of one heading: of each flag the form that the first verb with it has.
class SharedFlags {
 public:
  explicit SharedFlags(const std::vector<Verb>& verbs) {
    for (const Verb& verb : verbs) {
      for (const Flag& flag : verb.flags) {
        if (flag.group.empty() || flag.group == kOldNames ||
            !rows_.emplace(flag.name, FlagRow(flag)).second)
          continue;
        names_[flag.group].push_back(flag.name);
      }
    }
  }

  bool Has(const Flag& flag) const {
    const auto found = rows_.find(flag.name);
    return !flag.group.empty() && found != rows_.end() && found->second == FlagRow(flag);
  }

  std::string Section(const char* heading, absl::string_view what) const {
    const auto names = names_.find(heading);
    if (names == names_.end()) return "";
    std::string text = absl::StrCat("\n## ", heading, "\n\n", what, "\n", kTableHead);
    for (const std::string& name : names->second) absl::StrAppend(&text, rows_.at(name));
    return text;
  }

 private:
  std::map<std::string, std::string> rows_;                // by name
  std::map<std::string, std::vector<std::string>> names_;  // by heading
};

// "[options of the program](#options-of-the-program)".
std::string LinkTo(absl::string_view heading) {
  const std::string words = absl::AsciiStrToLower(heading);
  return absl::StrCat("[", words, "](#", absl::StrReplaceAll(words, {{" ", "-"}}), ")");
}

std::string FlagsOf(const Verb& verb, const SharedFlags& shared) {
  std::string rows;
  std::vector<std::string> links;
  for (const Flag& flag : verb.flags) {
    if (flag.group == kOldNames) continue;
    if (!shared.Has(flag)) {
      absl::StrAppend(&rows, FlagRow(flag));
      continue;
    }
    const std::string link = LinkTo(flag.group);
    if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
  }
  std::string text = rows.empty() ? "" : absl::StrCat(kTableHead, rows);
  if (!links.empty())
    absl::StrAppend(&text, "\nAlso the ", absl::StrJoin(links, " and the "), ".\n");
  return text;
}

}  // namespace

std::string ReferencePage(const std::vector<Verb>& verbs) {
  const SharedFlags shared(verbs);
  std::string page =
      "# Command line\n\nMade from the program's own table of verbs by `./bazelw run -c opt "
      "//pipeline:reference_page`.\n";
  for (const Verb& verb : verbs) {
    absl::StrAppend(&page, "\n## ", verb.name, "\n\n    ", Usage(verb), "\n\n",
                    verb.description.empty() ? verb.summary : verb.description, "\n",
                    FlagsOf(verb, shared));
    for (const Example& example : verb.examples) {
      absl::StrAppend(&page, "\n    ", example.command, "\n\n", example.what, "\n");
    }
  }
  absl::StrAppend(&page,
                  shared.Section(kProgramFlags,
                                 "The program and what decides its shardings. A `tessera.toml` "
                                 "may hold them ([ci.md](ci.md))."),
                  shared.Section(kReferenceFlags,
                                 "Choices of the pass that XLA itself never makes, for who studies "
                                 "the pass."));
  return page;
}

}  // namespace tessera::pipeline
