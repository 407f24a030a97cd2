// docs/reference.md. Flags that many verbs have in common (Flag::group) stand there once; a verb
// that has one of them in another form lists its own.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
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

  size_t Count(const std::string& heading) const {
    const auto names = names_.find(heading);
    return names == names_.end() ? 0 : names->second.size();
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

// "the [options of the program](..)", or those that the verb has: "--rule of the [..](..)".
std::string SharedText(const std::string& heading, const std::vector<std::string>& names,
                       const SharedFlags& shared) {
  const std::string all = absl::StrCat("the ", LinkTo(heading));
  if (names.size() == shared.Count(heading)) return all;
  return absl::StrCat("`--", absl::StrJoin(names, "`, `--"), "` of ", all);
}

std::string FlagsOf(const Verb& verb, const SharedFlags& shared) {
  std::string rows;
  std::vector<std::pair<std::string, std::vector<std::string>>> headings;  // with names of flags
  for (const Flag& flag : verb.flags) {
    if (flag.group == kOldNames) continue;
    if (!shared.Has(flag)) {
      absl::StrAppend(&rows, FlagRow(flag));
      continue;
    }
    auto heading = absl::c_find_if(headings, [&](const auto& h) { return h.first == flag.group; });
    if (heading == headings.end()) heading = headings.insert(heading, {flag.group, {}});
    heading->second.push_back(flag.name);
  }
  std::string text = rows.empty() ? "" : absl::StrCat(kTableHead, rows);
  if (!headings.empty()) {
    absl::StrAppend(&text, "\nAlso ",
                    absl::StrJoin(headings, " and ",
                                  [&](std::string* out, const auto& h) {
                                    absl::StrAppend(out, SharedText(h.first, h.second, shared));
                                  }),
                    ".\n");
  }
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
  absl::StrAppend(
      &page,
      shared.Section(kProgramFlags,
                     "The program and what decides its shardings. A `tessera.toml` "
                     "may hold them ([ci.md](ci.md))."),
      shared.Section(kReferenceFlags,
                     "Choices of the pass that XLA itself never makes, for those who study "
                     "the pass."));
  return page;
}

}  // namespace tessera::pipeline
