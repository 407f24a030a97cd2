#include "tessera/pipeline/command_line/bound_verb.h"

#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/help_text.h"
#include "tessera/pipeline/command_line/old_names.h"
#include "tessera/pipeline/command_line/process/output_file.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kColumns = 100;  // of the text of --help

std::string Head(const Verb& verb) {
  std::string text = verb.summary;
  if (!verb.instead.empty()) {
    absl::StrAppend(&text, "\nAn old name, for this release: `tessera ", verb.instead,
                    "` is the verb.");
  }
  if (verb.description.empty()) return text;
  return absl::StrCat(text, "\n\n", Wrapped(verb.description, kColumns), "\n");
}

std::string Footer(const Verb& verb) {
  std::string text = "Examples:\n";
  for (const Example& example : verb.examples) {
    absl::StrAppend(&text, "  ", example.command, "\n      ", example.what, "\n");
  }
  return text;
}

// CLI11 leaves an option of the group "" out of the help.
void SetGroup(const Flag& flag, CLI::Option* option) {
  if (!flag.group.empty()) option->group(flag.group == kOldNames ? "" : flag.group);
}

void AddFlag(const Flag& flag, BoundVerb& bound) {
  const std::string name = absl::StrCat("--", flag.name);
  if (flag.placeholder.empty()) {
    CLI::Option* option = bound.app->add_flag(name, bound.switches[flag.name], flag.help);
    SetGroup(flag, option);
    return;
  }
  const std::string help = flag.default_value.empty()
                               ? flag.help
                               : absl::StrCat(flag.help, " [", flag.default_value, "]");
  auto* option = bound.app->add_option(name, bound.values[flag.name], help);
  // With the largest number there is, CLI11 takes one word each time, as it is told here.
  option->type_name(flag.placeholder)->type_size(1);
  option->expected(1, flag.repeated ? CLI::detail::expected_max_vector_size : 1);
  option->allow_extra_args(false);
  SetGroup(flag, option);
  if (!flag.repeated) option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
}

void AddPositionals(const Verb& verb, BoundVerb& bound) {
  bound.single_positionals.resize(verb.positionals.size());
  for (size_t k = 0; k < verb.positionals.size(); ++k) {
    const Positional& positional = verb.positionals[k];
    CLI::Option* option =
        positional.repeated
            ? bound.app->add_option(positional.name, bound.rest, positional.help)
            : bound.app->add_option(positional.name, bound.single_positionals[k], positional.help);
    option->type_name("");
    if (!positional.optional) option->required();
  }
}

}  // namespace

void Bind(const Verb& verb, CLI::App& parser, BoundVerb& bound) {
  bound.verb = &verb;
  bound.app = parser.add_subcommand(verb.name, Head(verb));
  bound.app->footer(Footer(verb));
  AddPositionals(verb, bound);
  for (const Flag& flag : verb.flags) AddFlag(flag, bound);
  bound.app->add_option("-o", bound.output, "write the result to this file")->type_name("FILE");
}

Arguments ToArguments(const BoundVerb& bound) {
  Arguments arguments;
  for (const Flag& flag : bound.verb->flags) {
    const bool given = bound.app->count(absl::StrCat("--", flag.name)) > 0;
    std::vector<std::string> values;
    if (flag.placeholder.empty()) {
      if (given) values.push_back("true");
    } else {
      values = bound.values.at(flag.name);
      if (!given && !flag.default_value.empty()) values = {flag.default_value};
    }
    arguments.Set(flag.name, std::move(values), given);
  }
  arguments.Set("o", {bound.output}, !bound.output.empty());
  for (size_t k = 0; k < bound.verb->positionals.size(); ++k) {
    const Positional& positional = bound.verb->positionals[k];
    if (positional.repeated) {
      for (const std::string& word : bound.rest) arguments.AddPositional(word);
    } else if (!positional.optional || bound.app->count(positional.name) > 0) {
      arguments.AddPositional(bound.single_positionals[k]);
    }
  }
  return arguments;
}

std::string FaultOfFlag(const BoundVerb& bound, absl::string_view fault) {
  if (bound.app->count("-o") > 1) return "-o is given several times, expected once\n";
  for (const Flag& flag : bound.verb->flags) {
    const std::string name = absl::StrCat("--", flag.name);
    if (flag.placeholder.empty()) {
      if (absl::StrContains(fault, absl::StrCat(" ", name, " = ")))
        return name + " takes no value\n";
    } else if (!flag.repeated && bound.app->count(name) > 1) {
      return name + " is given several times, expected once\n";
    } else if (absl::StartsWith(fault, name + ":")) {
      return absl::StrCat(name, ": expected a value: ", name, "=", flag.placeholder, "\n");
    }
  }
  return "";
}

std::string FaultOfWords(const BoundVerb& bound) {
  std::vector<std::string> expected;
  for (const Positional& positional : bound.verb->positionals) expected.push_back(positional.name);
  return absl::StrCat("`tessera ", bound.verb->name, "` takes ",
                      expected.empty() ? "flags" : absl::StrJoin(expected, " "),
                      "; one word too many: ", bound.app->remaining().front(), "\n");
}

std::string BadOutputs(const BoundVerb& bound) {
  if (bound.app->count("-o") == 0) return "";
  if (bound.output.empty()) return "-o: expected the name of a file, or - for standard output\n";
  for (const Flag& flag : bound.verb->flags) {
    const std::string name = absl::StrCat("--", flag.name);
    if (flag.placeholder != "FILE" || bound.app->count(name) == 0) continue;
    for (const std::string& file : bound.values.at(flag.name)) {
      if (!IsSameFile(file, bound.output)) continue;
      return absl::StrCat(name, " and -o both name ", file, "; they need two files\n");
    }
  }
  return "";
}

std::string ConflictOf(const BoundVerb& bound) {
  const auto is_given = [&](const std::string& flag) {
    return bound.app->count(absl::StrCat("--", flag)) > 0;
  };
  for (const auto& [flag, others] : bound.verb->conflicts) {
    for (const std::string& other : others) {
      if (!is_given(flag) || !is_given(other)) continue;
      return absl::StrCat("expected --", flag, " or --", other, ", not both\n");
    }
  }
  return "";
}

}  // namespace tessera::pipeline
