#include "tessera/pipeline/command_line/unknown_flag.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {

std::string UnknownFlag(const Verb& verb, absl::string_view name) {
  std::vector<std::string> flags;
  for (const Flag& flag : verb.flags) flags.push_back(absl::StrCat("--", flag.name));
  const std::vector<absl::string_view> names(flags.begin(), flags.end());
  const std::string word = absl::StrCat("--", name);
  return absl::StrCat("`tessera ", verb.name, "` has no flag ", word, text::DidYouMean(word, names),
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
