#include "tessera/pipeline/command_line/verb.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

const std::string& Nothing() {
  static const std::string* const nothing = new std::string;
  return *nothing;
}

const std::vector<std::string>& NoValues() {
  static const auto* const none = new std::vector<std::string>;
  return *none;
}

}  // namespace

const std::string& Arguments::Get(absl::string_view flag) const {
  const std::vector<std::string>& values = All(flag);
  return values.empty() ? Nothing() : values.back();
}

const std::vector<std::string>& Arguments::All(absl::string_view flag) const {
  const auto found = flags_.find(std::string(flag));
  return found == flags_.end() ? NoValues() : found->second.values;
}

bool Arguments::Has(absl::string_view flag) const {
  const auto found = flags_.find(std::string(flag));
  return found != flags_.end() && found->second.given;
}

bool Arguments::IsOfProject(absl::string_view flag) const {
  const auto found = flags_.find(std::string(flag));
  return found != flags_.end() && found->second.of_project;
}

absl::StatusOr<int64_t> Arguments::Count(absl::string_view flag, int64_t least,
                                         absl::string_view of) const {
  int64_t count = 0;
  if (absl::SimpleAtoi(Get(flag), &count) && count >= least) return count;
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", Get(flag), ": expected a number",
                                                 of.empty() ? "" : absl::StrCat(" of ", of), ", ",
                                                 least, " or more"));
}

const std::string& Arguments::positional(size_t k) const {
  return k < positionals_.size() ? positionals_[k] : Nothing();
}

void Arguments::Set(const std::string& flag, std::vector<std::string> values, bool given) {
  flags_[flag] = {std::move(values), given, /*of_project=*/false};
}

VerbResult Done(std::string out, std::string notes) {
  return {Exit::kDone, std::move(out), std::move(notes), absl::OkStatus()};
}

VerbResult Finding(std::string out, std::string notes) {
  return {Exit::kFinding, std::move(out), std::move(notes), absl::OkStatus()};
}

VerbResult InBothForms(const Arguments& arguments, absl::FunctionRef<std::string()> json,
                       absl::FunctionRef<std::string()> text, std::string notes) {
  if (!arguments.Has("json")) return Done(text(), std::move(notes));
  VerbResult result = Done(json(), std::move(notes));
  if (arguments.session() != nullptr) result.text = text();
  return result;
}

VerbResult BadInput(absl::string_view message) {
  return BadInput(absl::InvalidArgumentError(message));
}

VerbResult BadInput(const absl::Status& status) {
  std::string message(status.message());
  if (!absl::EndsWith(message, "\n")) message += '\n';
  return {Exit::kBadInput, "", std::move(message), status};
}

const Verb* FindVerb(const std::vector<Verb>& verbs, absl::string_view name) {
  for (const Verb& verb : verbs) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

const Flag* FindFlag(const Verb& verb, absl::string_view name) {
  for (const Flag& flag : verb.flags) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

std::string FlagUsage(const Flag& flag) {
  return absl::StrCat("--", flag.name, flag.placeholder.empty() ? "" : "=", flag.placeholder);
}

std::string Usage(const Verb& verb) {
  std::string line = absl::StrCat("tessera ", verb.name);
  for (const Positional& positional : verb.positionals) {
    const std::string name = absl::StrCat(positional.name, positional.repeated ? " ..." : "");
    absl::StrAppend(&line, " ", positional.optional ? absl::StrCat("[", name, "]") : name);
  }
  return absl::StrCat(line, " [-o FILE]");
}

}  // namespace tessera::pipeline
