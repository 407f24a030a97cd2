#include "tessera/pipeline/command_line/unknown_flag.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {

std::string UnknownFlag(const Verb& verb, absl::string_view name) {
  std::vector<absl::string_view> names;
  for (const Flag& flag : verb.flags) names.push_back(flag.name);
  return absl::StrCat("`tessera ", verb.name, "` has no flag --", name,
                      absl::StrReplaceAll(text::DidYouMean(name, names), {{" '", " '--"}}),
                      "; `tessera ", verb.name, " --help` lists its flags");
}

std::string FirstUnknownFlag(const Verb& verb, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    absl::string_view name = word;
    if (!absl::ConsumePrefix(&name, "--") || name.empty()) continue;
    name = name.substr(0, name.find('='));
    if (FindFlag(verb, name) == nullptr) return std::string(name);
  }
  return "";
}

}  // namespace tessera::pipeline
