#include "tessera/pipeline/command_line/unknown_flag.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxListed = 4;

// "; `cost`, `diff` have it"; empty where no verb has it.
std::string VerbsWith(const std::vector<Verb>& verbs, absl::string_view name) {
  std::vector<std::string> have;
  for (const Verb& verb : verbs) {
    if (FindFlag(verb, name) != nullptr) have.push_back(absl::StrCat("`", verb.name, "`"));
  }
  if (have.empty()) return "";
  const size_t others = have.size() - std::min(have.size(), kMaxListed);
  have.resize(have.size() - others);
  const std::string more = others > 0 ? absl::StrCat(" and ", others, " more") : "";
  return absl::StrCat("; ", absl::StrJoin(have, ", "), more,
                      have.size() == 1 ? " has it" : " have it");
}

std::string NearFlags(const Verb& verb, absl::string_view word) {
  std::vector<std::string> flags;
  for (const Flag& flag : verb.flags) flags.push_back(absl::StrCat("--", flag.name));
  const std::vector<absl::string_view> names(flags.begin(), flags.end());
  return text::DidYouMean(word, names);
}

}  // namespace

std::string UnknownFlag(const std::vector<Verb>& verbs, const Verb& verb, absl::string_view name) {
  const std::string word = absl::StrCat("--", name);
  std::string advice = VerbsWith(verbs, name);
  if (advice.empty()) advice = NearFlags(verb, word);
  return absl::StrCat("`tessera ", verb.name, "` has no flag ", word, advice, "; `tessera ",
                      verb.name, " --help` lists its flags");
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
