#include "tessera/pipeline/command_line/verbs.h"

#include <iterator>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/project_file/settings.h"
#include "tessera/pipeline/verbs/convert/convert.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

struct Row {
  Verb (*verb)();
  const char* group;
};

constexpr Row kRows[] = {
    {ShardingsVerb, "see"},    {ExplainVerb, "see"},    {ReportVerb, "see"},
    {CollectivesVerb, "cost"}, {ReshardsVerb, "cost"},  {MemoryVerb, "cost"},
    {CostVerb, "cost"},        {SweepVerb, "search"},   {SuggestVerb, "search"},
    {LintVerb, "guard"},       {CheckVerb, "guard"},    {DiffVerb, "guard"},
    {ConfirmVerb, "guard"},    {ShardVerb, "write"},    {PartitionVerb, "write"},
    {RulesVerb, "study"},      {PassesVerb, "study"},   {LayoutVerb, "also"},
    {ProjectVerb, "also"},     {PrintVerb, "also"},     {StatsVerb, "also"},
    {ConvertVerb, "also"},     {CalibrateVerb, "also"}, {CommVerb, ""},
};

// The project file may have a table for each verb.
absl::StatusOr<std::string> Complete(const Verb& verb, Arguments* arguments) {
  TESSERA_ASSIGN_OR_RETURN(const std::string notes, CompleteFromProject(AllVerbs, verb, arguments));
  return notes + NoteOnSkippedFlags(*arguments);
}

}  // namespace

std::vector<Verb> AllVerbs() {
  std::vector<Verb> verbs;
  for (const Row& row : kRows) {
    verbs.push_back(row.verb());
    verbs.back().group = row.group;
    if (FindFlag(verbs.back(), "config") != nullptr) verbs.back().complete = Complete;
  }
  return verbs;
}

std::vector<Verb> CurrentVerbs() {
  std::vector<Verb> verbs;
  absl::c_copy_if(AllVerbs(), std::back_inserter(verbs),
                  [](const Verb& verb) { return verb.instead.empty(); });
  return verbs;
}

}  // namespace tessera::pipeline
