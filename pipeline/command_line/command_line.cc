// Makes a CLI11 parser out of the table of verbs, runs one verb, and sends its result where it
// belongs.
//
// Tested by command_line_test.cc.

#include "tessera/pipeline/command_line/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/help_text.h"
#include "tessera/pipeline/command_line/old_names.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/command_line/unknown_flag.h"
#include "tessera/pipeline/version.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/text/formats/utf8.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kColumns = 100;  // of the text of --help

// Where CLI11 puts the words of one verb.
struct Bound {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> switches;
  std::vector<std::string> single_positionals;
  std::vector<std::string> rest;
  std::string output;
};

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

void AddFlag(const Flag& flag, Bound& bound) {
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

void AddPositionals(const Verb& verb, Bound& bound) {
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

void Bind(const Verb& verb, CLI::App& parser, Bound& bound) {
  bound.verb = &verb;
  bound.app = parser.add_subcommand(verb.name, Head(verb));
  bound.app->footer(Footer(verb));
  AddPositionals(verb, bound);
  for (const Flag& flag : verb.flags) AddFlag(flag, bound);
  bound.app->add_option("-o", bound.output, "write the result to this file")->type_name("FILE");
}

Arguments ToArguments(const Bound& bound) {
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

// ESC, DEL and their like, also those behind ASCII (U+0080 to U+009F).
bool IsControl(absl::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 2)
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return (first < ' ' && first != '\n' && first != '\t') || first == 0x7f;
}

// Names in a module may hold anything; a terminal should not obey them.
std::string Visible(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    const text::Utf8Piece piece = text::FirstPiece(text);
    const absl::string_view bytes = text.substr(0, piece.size);
    if (piece.is_character && !IsControl(bytes)) {
      absl::StrAppend(&out, bytes);
    } else {
      for (const char c : bytes) {
        absl::StrAppend(&out, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
      }
    }
    text.remove_prefix(piece.size);
  }
  return out;
}

// `--mesh= x.hlo`: CLI11 would take the next word for the value.
const std::string* FlagWithoutValue(const std::vector<std::string>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return absl::StartsWith(word, "--") && word.find('=') == word.size() - 1;
  });
  return found == words.end() ? nullptr : &*found;
}

// Good as long as the result.
TextInPieces AllOf(const VerbResult& result) {
  return [&result](auto write) {
    if (!result.out.empty()) write(result.out);
    if (result.rest != nullptr) result.rest(write);
  };
}

// To the file of -o, if there is one.
VerbResult Deliver(VerbResult result, const std::string& file) {
  if (file.empty() || file == "-" || result.exit == Exit::kBadInput) return result;
  const absl::Status written = WriteWholeFile(file, AllOf(result));
  if (written.ok()) return {result.exit, "", std::move(result.notes), absl::OkStatus()};
  VerbResult failed = BadInput(absl::StrCat("tessera: ", written.message()));
  failed.notes = result.notes + failed.notes;
  return failed;
}

// What is wrong with the files that the verb is to write; empty if nothing. A flag whose value is a
// FILE names another one, to be read or written.
std::string BadOutputs(const Bound& bound) {
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

// Two flags of which one leaves the other nothing to do; empty if there are none.
std::string ConflictOf(const Bound& bound) {
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

VerbResult Run(const Bound& bound, Session* session) {
  for (const std::string& fault : {BadOutputs(bound), ConflictOf(bound)}) {
    if (!fault.empty()) return BadInput(fault);
  }
  try {
    Arguments arguments = ToArguments(bound);
    arguments.set_session(session);
    std::string notes;
    if (bound.verb->complete != nullptr) {
      auto completed = bound.verb->complete(*bound.verb, &arguments);
      if (!completed.ok()) return BadInput(completed.status());
      notes = *std::move(completed);
    }
    VerbResult result = Deliver(bound.verb->run(arguments), bound.output);
    result.notes = notes + result.notes;
    return result;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // a list beyond what memory can address
  }
  return BadInput("tessera: this input needs more memory than there is");
}

// The first word that is no flag; null if there is none.
const std::string* VerbWord(const std::vector<std::string>& words) {
  const auto found = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return !absl::StartsWith(word, "-");
  });
  return found == words.end() ? nullptr : &*found;
}

// Null if there is none of that name.
const Verb* FindVerb(const std::vector<Verb>& verbs, const std::string& name) {
  const auto found =
      std::find_if(verbs.begin(), verbs.end(), [&](const Verb& verb) { return verb.name == name; });
  return found == verbs.end() ? nullptr : &*found;
}

bool AsksForHelp(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::string UnknownVerb(const std::vector<Verb>& verbs, const std::string& word) {
  std::vector<absl::string_view> names;
  for (const Verb& verb : verbs) {
    if (verb.instead.empty()) names.push_back(verb.name);
  }
  return absl::StrCat("there is no verb '", word, "'", text::DidYouMean(word, names),
                      "; there are ", absl::StrJoin(names, ", "), "\n");
}

// What CLI11 says of words that are no question: help, the version, or what is wrong with them.
VerbResult Instead(const CLI::App& parser, const CLI::ParseError& error) {
  std::ostringstream out, err;
  return parser.exit(error, out, err) == 0 ? Done(out.str(), err.str()) : BadInput(err.str());
}

std::string NoteOnOld(const Verb& verb) {
  if (verb.instead.empty()) return "";
  return absl::StrCat("note: in place of `tessera ", verb.name, "` there is `tessera ",
                      verb.instead, "`; the old verb works in this release only\n");
}

VerbResult RunNewNames(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                       Session* session) {
  if (words.empty()) return BadInput("tessera: expected a verb; `tessera --help` lists them");
  const std::string* const name = VerbWord(words);
  const Verb* const verb = name == nullptr ? nullptr : FindVerb(verbs, *name);
  if (verb == nullptr && name != nullptr) return BadInput(UnknownVerb(verbs, *name));
  if (verb == nullptr && AsksForHelp(words)) return Done(HelpText(verbs));
  if (const std::string* flag = FlagWithoutValue(words); flag != nullptr) {
    return BadInput(absl::StrCat(*flag, ": expected a value after '='"));
  }
  CLI::App parser("tessera: what shardings XLA will give a module, why, and what they cost",
                  "tessera");
  parser.require_subcommand(1);
  parser.set_version_flag(
      "--version", absl::StrCat("tessera ", kVersion, ", with the shardings of the pass of jaxlib ",
                                sharding::reference::kNewest));
  // CLI11 compares each new flag with those before it, so only the verb of this question is bound.
  Bound bound;
  if (verb != nullptr) Bind(*verb, parser, bound);
  try {
    parser.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError& error) {
    const std::string unknown = verb == nullptr ? "" : FirstUnknownFlag(*verb, words);
    return unknown.empty() ? Instead(parser, error)
                           : BadInput(absl::StrCat(UnknownFlag(*verb, unknown), "\n"));
  } catch (const CLI::ParseError& error) {
    return Instead(parser, error);
  }
  if (verb == nullptr) return BadInput("tessera: expected a verb");
  VerbResult result = Run(bound, session);
  result.notes = NoteOnOld(*verb) + result.notes;
  return result;
}

// Its `rest` stays apart.
VerbResult RunUpToRest(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                       Session* session) {
  std::vector<std::string> now = words;
  const std::string notes = ReplaceOldNames(verbs, &now);
  VerbResult result = RunNewNames(verbs, now, session);
  result.notes = notes + result.notes;
  return result;
}

}  // namespace

VerbResult RunVerb(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                   Session* session) {
  VerbResult result = RunUpToRest(verbs, words, session);
  if (result.rest == nullptr) return result;
  result.rest([&](absl::string_view piece) { absl::StrAppend(&result.out, piece); });
  result.rest = nullptr;
  return result;
}

Output StandardOutput() { return isatty(STDOUT_FILENO) ? Output::kTerminal : Output::kFile; }

int RunCommandLine(const std::vector<Verb>& verbs, const std::vector<std::string>& words,
                   std::ostream& out, std::ostream& err, Output kind) {
  const VerbResult result = RunUpToRest(verbs, words, nullptr);
  err << Visible(result.notes);
  AllOf(result)([&](absl::string_view piece) {
    if (kind == Output::kTerminal) {
      out << Visible(piece);
    } else {
      out << piece;
    }
  });
  out << std::flush;
  if (out.good()) return static_cast<int>(result.exit);
  err << "tessera: cannot write the result to standard output\n";
  return static_cast<int>(Exit::kBadInput);
}

}  // namespace tessera::pipeline
