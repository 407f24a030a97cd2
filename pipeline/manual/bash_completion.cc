// One function with two tables as `case`: the flags of each verb, and the values of each flag that
// has a list of them. Bash takes `=` for the end of a word, so `--format=v` arrives as the words
// `--format`, `=`, `v`.
//
// Tested by manual_test.cc, and in bash itself by completion_test.sh.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/manual/completion.h"
#include "tessera/pipeline/manual/verb_words.h"

namespace tessera::pipeline::manual {
namespace {

constexpr char kFunction[] = R"bash(
_tessera() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} flag=
  if [ "$word" = = ]; then
    flag=${COMP_WORDS[COMP_CWORD-1]} word=
  elif [ "${COMP_WORDS[COMP_CWORD-1]}" = = ]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$(_tessera_verbs)" -- "$word"))
  elif [ -n "$flag" ]; then
    COMPREPLY=($(compgen -W "$(_tessera_values "$verb$flag")" -- "$word"))
  elif [ "${word:0:1}" = - ]; then
    COMPREPLY=($(compgen -W "$(_tessera_flags "$verb")" -- "$word"))
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
  fi
}
complete -o default -F _tessera tessera
)bash";

std::string Words(const std::vector<Verb>& verbs) {
  return absl::StrJoin(verbs, " ",
                       [](std::string* out, const Verb& verb) { absl::StrAppend(out, verb.name); });
}

std::string FlagWords(const Verb& verb) {
  std::string words;
  for (const Flag& flag : verb.flags) {
    absl::StrAppend(&words, "--", flag.name, flag.placeholder.empty() ? " " : "= ");
  }
  return absl::StrCat(words, "-o --help");
}

}  // namespace

std::string BashCompletion(const std::vector<Verb>& verbs) {
  std::string flags, values;
  for (const Verb& verb : verbs) {
    absl::StrAppend(&flags, "    ", verb.name, ") echo \"", FlagWords(verb), "\" ;;\n");
    for (const Flag& flag : verb.flags) {
      const std::vector<std::string> choices = Choices(flag);
      if (choices.empty()) continue;
      absl::StrAppend(&values, "    ", verb.name, "--", flag.name, ") echo \"",
                      absl::StrJoin(choices, " "), "\" ;;\n");
    }
  }
  return absl::StrCat("# Completion of tessera for bash, made from its table of verbs.\n\n",
                      "_tessera_verbs() { echo \"", Words(verbs), " --help --version\"; }\n\n",
                      "_tessera_flags() {\n  case $1 in\n", flags, "  esac\n}\n\n",
                      "_tessera_values() {\n  case $1 in\n", values, "  esac\n}\n", kFunction);
}

}  // namespace tessera::pipeline::manual
