#include "tessera/pipeline/command_line/verbs.h"

#include <iterator>

#include "absl/algorithm/container.h"
#include "tessera/pipeline/verbs/convert/convert.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {
namespace {

struct Row {
  Verb (*verb)();
  const char* group;
};

constexpr Row kRows[] = {
    {ShardingsVerb, "see"},    {ExplainVerb, "see"},    {ReportVerb, "see"},
    {CollectivesVerb, "cost"}, {ReshardsVerb, "cost"},  {MemoryVerb, "cost"},
    {SweepVerb, "search"},     {SuggestVerb, "search"}, {CheckVerb, "guard"},
    {DiffVerb, "guard"},       {ConfirmVerb, "guard"},  {ShardVerb, "write"},
    {PartitionVerb, "write"},  {RulesVerb, "study"},    {PassesVerb, "study"},
    {LayoutVerb, ""},          {ProjectVerb, ""},       {PrintVerb, ""},
    {StatsVerb, ""},           {ConvertVerb, ""},       {CommVerb, ""},
};

}  // namespace

std::vector<Verb> AllVerbs() {
  std::vector<Verb> verbs;
  for (const Row& row : kRows) {
    verbs.push_back(row.verb());
    verbs.back().group = row.group;
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
