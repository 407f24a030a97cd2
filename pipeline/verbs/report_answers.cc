#include "tessera/pipeline/verbs/report_answers.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

struct Part {
  absl::string_view member, refusal;
  Verb (*verb)();
  bool needs_target;
};
constexpr Part kParts[] = {
    {"lint", "no_lint", LintVerb, false},
    {"cost", "no_cost", CostVerb, true},
    {"target_memory", "no_target_memory", MemoryVerb, true},
};

// The same module and the same flags, as far as the verb has them.
Arguments ArgumentsFor(const Verb& verb, const Arguments& given) {
  Arguments arguments;
  arguments.AddPositional(given.positional(0));
  arguments.set_session(given.session());
  for (const Flag& flag : verb.flags) {
    const bool is_given = given.Has(flag.name) || flag.name == "json";
    std::vector<std::string> values = given.All(flag.name);
    if (!is_given) values.clear();
    if (values.empty() && !flag.default_value.empty()) values.push_back(flag.default_value);
    arguments.Set(flag.name, std::move(values), is_given);
  }
  return arguments;
}

// A member of a JSON object, with the comma before it.
std::string MemberOf(const Part& part, const Arguments& arguments) {
  const Verb verb = part.verb();
  const VerbResult answer = verb.run(ArgumentsFor(verb, arguments));
  if (answer.exit != Exit::kBadInput) {
    return absl::StrCat(",\"", part.member, "\":", absl::StripAsciiWhitespace(answer.out));
  }
  return absl::StrCat(",\"", part.refusal, "\":", text::JsonQuote(answer.error.message()));
}

}  // namespace

std::string WithAnswers(std::string json, const Arguments& arguments) {
  json.pop_back();
  const bool has_target = arguments.Has("target");
  if (has_target) absl::StrAppend(&json, ",\"target\":", text::JsonQuote(arguments.Get("target")));
  for (const Part& part : kParts) {
    if (has_target || !part.needs_target) absl::StrAppend(&json, MemberOf(part, arguments));
  }
  return json + "}";
}

}  // namespace tessera::pipeline
