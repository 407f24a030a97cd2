// `_arguments` for each verb. In its specifications a colon, a bracket and a backslash of a text
// are shielded, and an apostrophe ends the quotes of the shell.
//
// Tested by manual_test.cc, and by completion_test.sh where there is a zsh.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/manual/completion.h"
#include "tessera/pipeline/manual/verb_words.h"

namespace tessera::pipeline::manual {
namespace {

std::string Shielded(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}, {"'", "'\\''"}});
}

std::string Action(const Flag& flag) {
  if (flag.placeholder.empty()) return "";
  const std::vector<std::string> choices = Choices(flag);
  const std::string action = choices.empty() ? (TakesFile(flag) ? "_files" : " ")
                                             : absl::StrCat("(", absl::StrJoin(choices, " "), ")");
  return absl::StrCat(":", Shielded(flag.placeholder), ":", action);
}

std::string Specification(const Flag& flag) {
  return absl::StrCat("        '", flag.repeated ? "*" : "", "--", flag.name,
                      flag.placeholder.empty() ? "" : "=", "[", Shielded(flag.help), "]",
                      Action(flag), "' \\\n");
}

std::string Arguments(const Verb& verb) {
  std::string text = absl::StrCat("    ", verb.name, ")\n      _arguments \\\n");
  for (const Flag& flag : verb.flags) absl::StrAppend(&text, Specification(flag));
  return absl::StrCat(text, "        '-o[write the result to this file]:FILE:_files' \\\n",
                      "        '--help[flags and examples]' \\\n        '*:FILE:_files' ;;\n");
}

}  // namespace

std::string ZshCompletion(const std::vector<Verb>& verbs) {
  std::string names, arguments;
  for (const Verb& verb : verbs) {
    absl::StrAppend(&names, "    '", verb.name, ":", Shielded(verb.summary), "'\n");
    absl::StrAppend(&arguments, Arguments(verb));
  }
  return absl::StrCat("#compdef tessera\n# Made from the program's table of verbs.\n\n",
                      "_tessera() {\n  local -a verbs\n  verbs=(\n", names, "  )\n",
                      "  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n",
                      "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n",
                      "  case $verb in\n", arguments, "  esac\n}\n\n_tessera \"$@\"\n");
}

}  // namespace tessera::pipeline::manual
