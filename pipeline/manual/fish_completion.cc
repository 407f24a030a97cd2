// One `complete` for each verb and each flag.
//
// Tested by manual_test.cc, and by completion_test.sh where there is a fish.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/manual/completion.h"
#include "tessera/pipeline/manual/verb_words.h"

namespace tessera::pipeline::manual {
namespace {

std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string Values(const Flag& flag) {
  if (flag.placeholder.empty()) return "";
  const std::vector<std::string> choices = Choices(flag);
  if (choices.empty()) return TakesFile(flag) ? " -r -F" : " -x";
  return absl::StrCat(" -x -a ", Quoted(absl::StrJoin(choices, " ")));
}

std::string Line(const Verb& verb, const Flag& flag) {
  return absl::StrCat("complete -c tessera -n '__fish_seen_subcommand_from ", verb.name, "' -l ",
                      flag.name, Values(flag), " -d ", Quoted(flag.help), "\n");
}

}  // namespace

std::string FishCompletion(const std::vector<Verb>& verbs) {
  std::string text =
      "# Completion of tessera for fish, made from its table of verbs.\n\n"
      "complete -c tessera -n __fish_use_subcommand -l version -d 'version and reference'\n"
      "complete -c tessera -l help -d 'flags and examples'\n";
  for (const Verb& verb : verbs) {
    absl::StrAppend(&text, "complete -c tessera -f -n __fish_use_subcommand -a ", verb.name, " -d ",
                    Quoted(verb.summary), "\n");
    for (const Flag& flag : verb.flags) absl::StrAppend(&text, Line(verb, flag));
    absl::StrAppend(&text, "complete -c tessera -n '__fish_seen_subcommand_from ", verb.name,
                    "' -s o -r -F -d 'write the result to this file'\n");
  }
  return text;
}

}  // namespace tessera::pipeline::manual
