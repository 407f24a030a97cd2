#include "tessera/pipeline/command_line/verbs.h"

#include "tessera/pipeline/verbs/convert/convert.h"
#include "tessera/pipeline/verbs/declarations.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() {
  return {ShardVerb(),   ShardingsVerb(), PrintVerb(),     StatsVerb(),       RulesVerb(),
          ProjectVerb(), LayoutVerb(),    ConvertVerb(),   CollectivesVerb(), ReshardsVerb(),
          CommVerb(),    MemoryVerb(),    SweepVerb(),     SuggestVerb(),     RecordVerb(),
          CheckVerb(),   DiffVerb(),      ExplainVerb(),   LevelsVerb(),      PassesVerb(),
          GraphVerb(),   ReportVerb(),    PartitionVerb(), ConfirmVerb()};
}

}  // namespace tessera::pipeline
