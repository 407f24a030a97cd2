// Finds the verb of the words, runs it, and sends its result where it belongs.
//
// Tested by command_line_test.cc.

#include "tessera/pipeline/command_line/command_line.h"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/bound_verb.h"
#include "tessera/pipeline/command_line/help_text.h"
#include "tessera/pipeline/command_line/old_names.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/command_line/unknown_flag.h"
#include "tessera/pipeline/command_line/visible.h"
#include "tessera/pipeline/version.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

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

VerbResult Run(const BoundVerb& bound, Session* session) {
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

bool AsksForHelp(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// `tessera help cost` is `tessera cost --help`.
void AskForHelp(std::vector<std::string>* words) {
  words->erase(words->begin());
  words->push_back("--help");
}

std::string UnknownVerb(const std::vector<Verb>& verbs, const std::string& word) {
  std::vector<absl::string_view> names;
  for (const Verb& verb : verbs) {
    if (verb.instead.empty()) names.push_back(verb.name);
  }
  return absl::StrCat("there is no verb '", word, "'", text::DidYouMean(word, names),
                      "; there are ", absl::StrJoin(names, ", "), "\n");
}

// The answer of CLI11 to words that are no question: help, the version, or an error.
VerbResult Instead(const CLI::App& parser, const CLI::ParseError& error) {
  std::ostringstream out, err;
  return parser.exit(error, out, err) == 0 ? Done(out.str(), err.str()) : BadInput(err.str());
}

// `fault`: "GOLDEN is required".
std::string MissingWord(const Verb& verb, absl::string_view fault) {
  std::string text(fault);
  for (const Positional& positional : verb.positionals) {
    if (absl::StartsWith(fault, absl::StrCat(positional.name, " ")))
      absl::StrAppend(&text, ": ", positional.help);
  }
  if (!verb.examples.empty()) {
    absl::StrAppend(&text, ", as in `", verb.examples.front().command, "`");
  }
  return text + "\n";
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
  if (verb == nullptr && words[0] != "--version") {
    return BadInput(absl::StrCat("tessera has no flag ", words[0],
                                 "; `tessera --help` lists its verbs, which have flags\n"));
  }
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
  BoundVerb bound;
  if (verb != nullptr) Bind(*verb, parser, bound);
  try {
    parser.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError& error) {
    const std::string unknown = verb == nullptr ? "" : FirstUnknownFlag(*verb, words);
    if (unknown.empty())
      return verb == nullptr ? Instead(parser, error) : BadInput(FaultOfWords(bound));
    return BadInput(absl::StrCat(UnknownFlag(verbs, *verb, unknown), "\n"));
  } catch (const CLI::RequiredError& error) {
    return verb == nullptr ? Instead(parser, error) : BadInput(MissingWord(*verb, error.what()));
  } catch (const CLI::ParseError& error) {
    const std::string fault = verb == nullptr ? "" : FaultOfFlag(bound, error.what());
    return fault.empty() ? Instead(parser, error) : BadInput(fault);
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
  if (!now.empty() && now[0] == "help") AskForHelp(&now);
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
