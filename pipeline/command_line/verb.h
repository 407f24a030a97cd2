// A verb of the command line as data: its flags, its help and what it does.
//
//   VerbResult Greet(const Arguments& a) {
//     return Done(absl::StrCat("hello ", a.Get("name"), "\n"));
//   }
//
//   Verb GreetVerb() {
//     Verb verb;
//     verb.name = "greet";
//     verb.summary = "says hello";
//     verb.positionals = {{"FILE", "the module"}};
//     verb.flags = {{"name", "WHO", "whom to greet", "world"}, {"loud", "", "in capitals"}};
//     verb.examples = {{"tessera greet a.hlo --name=you", "greets you"}};
//     verb.run = Greet;
//     return verb;
//   }
//
// One table of verbs (pipeline/command_line/verbs.h) is the source of parsing, --help and
// docs/reference.md. Every verb also has `-o FILE` (written to a temporary file and renamed) and
// --help; a verb never prints, it returns the text.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_VERB_H_
#define TESSERA_PIPELINE_COMMAND_LINE_VERB_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/process/output_file.h"

namespace tessera::pipeline {

struct Flag {
  std::string name;           // without the dashes
  std::string placeholder;    // of its value, e.g. "REGEX"; empty for a switch
  std::string help;           // one sentence
  std::string default_value;  // what Get() gives without the flag
  bool repeated = false;      // may come several times: All() gives every value in order
  // The heading below which --help lists it; "": with the verb's own flags. The reference page has
  // such a flag once, for all verbs.
  std::string group = "";
};

// Headings: what a program is sharded by, and choices of the pass that XLA itself never makes.
inline constexpr char kProgramFlags[] = "Options of the program";
inline constexpr char kReferenceFlags[] = "Options of the reference";

struct Positional {
  std::string name;
  std::string help;
  bool optional = false;
  bool repeated = false;  // only the last one
};

struct Example {
  std::string command;
  std::string what;
};

class Session;

// The user's words, checked against the verb's flags. Asking for a flag that the verb does not
// declare is a fault of the program and gives "".
class Arguments {
 public:
  // The file of -o is Get("o").
  const std::string& Get(absl::string_view flag) const;
  const std::vector<std::string>& All(absl::string_view flag) const;
  bool Has(absl::string_view flag) const;  // was it given?
  // Get() as a number. InvalidArgument that names the flag for what is none, or less than `least`;
  // `of`: what is counted ("edges"), for that message.
  absl::StatusOr<int64_t> Count(absl::string_view flag, int64_t least = 0,
                                absl::string_view of = "") const;
  const std::vector<std::string>& positionals() const { return positionals_; }
  // The K-th positional, "" if there is none.
  const std::string& positional(size_t k) const;

  // Results kept from earlier questions (input/session.h); null where this is the only one.
  Session* session() const { return session_; }

  void Set(const std::string& flag, std::vector<std::string> values, bool given);

  // Whether a project file gave it, and no flag: Has() is true all the same.
  bool IsOfProject(absl::string_view flag) const;
  void MarkOfProject(const std::string& flag) { flags_[flag].of_project = true; }

  void AddPositional(std::string value) { positionals_.push_back(std::move(value)); }
  void set_session(Session* session) { session_ = session; }

 private:
  struct Value {
    std::vector<std::string> values;
    bool given = false;
    bool of_project = false;
  };
  std::map<std::string, Value, std::less<>> flags_;
  std::vector<std::string> positionals_;
  Session* session_ = nullptr;
};

enum class Exit { kDone = 0, kFinding = 1, kBadInput = 2 };

struct VerbResult {
  Exit exit = Exit::kDone;
  std::string out;    // to standard output or to the file of -o
  std::string notes;  // to standard error: warnings, errors with their carets
  // Of kBadInput: why. text/error_place.h finds the place in it.
  absl::Status error = absl::OkStatus();
  // Of InBothForms() in a session, with --json: what the verb prints without it.
  std::string text = "";
  // The text after `out`, made as it is written; null: none. RunVerb() appends it to `out`.
  TextInPieces rest = nullptr;
};

VerbResult Done(std::string out, std::string notes = "");
VerbResult Finding(std::string out, std::string notes = "");
// Done with `json` if --json is given, else with `text`. In a session both forms are made, and the other one is kept.
VerbResult InBothForms(const Arguments& arguments, absl::FunctionRef<std::string()> json,
                       absl::FunctionRef<std::string()> text, std::string notes = "");
// Bad usage or input; a message without a newline at its end gets one.
VerbResult BadInput(absl::string_view message);
VerbResult BadInput(const absl::Status& status);

struct Verb {
  std::string name;
  std::string summary;      // one line of `tessera --help`, at most 58 characters
  std::string description;  // a paragraph of `tessera NAME --help`
  std::vector<Positional> positionals;
  std::vector<Flag> flags;
  // A flag and the flags that it excludes, {{"table", {"json"}}}. To give both is an error.
  std::vector<std::pair<std::string, std::vector<std::string>>> conflicts = {};
  std::vector<Example> examples;  // at least one
  VerbResult (*run)(const Arguments&) = nullptr;
  // Fills in, before `run`, what the user left open (project_file/settings.h). Returns notes.
  absl::StatusOr<std::string> (*complete)(const Verb& verb, Arguments* arguments) = nullptr;
  // The question that `tessera --help` lists it under: "see", "cost"; "": by its name alone.
  std::string group = "";
  // The verb to use in its place. Such a verb works for one release and is in no list.
  std::string instead = "";
};

const Flag* FindFlag(const Verb& verb, absl::string_view name);  // null: there is none
const Verb* FindVerb(const std::vector<Verb>& verbs, absl::string_view name);  // the same

// "--mesh=AXES", "--json".
std::string FlagUsage(const Flag& flag);
// "tessera shard FILE [NAME ...] [-o FILE]".
std::string Usage(const Verb& verb);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_VERB_H_
