#include "tessera/pipeline/command_line/verbs.h"

#include "tessera/pipeline/verbs/convert/convert.h"
#include "tessera/pipeline/verbs/costs/collectives_verb.h"
#include "tessera/pipeline/verbs/costs/comm_verb.h"
#include "tessera/pipeline/verbs/costs/memory_verb.h"
#include "tessera/pipeline/verbs/costs/reshards_verb.h"
#include "tessera/pipeline/verbs/explain_verb.h"
#include "tessera/pipeline/verbs/golden/golden_verbs.h"
#include "tessera/pipeline/verbs/graph_verb.h"
#include "tessera/pipeline/verbs/layout/layout_verb.h"
#include "tessera/pipeline/verbs/module/passes_verb.h"
#include "tessera/pipeline/verbs/module/print_verb.h"
#include "tessera/pipeline/verbs/module/rules_verb.h"
#include "tessera/pipeline/verbs/module/shard_verb.h"
#include "tessera/pipeline/verbs/module/shardings_verb.h"
#include "tessera/pipeline/verbs/module/stats_verb.h"
#include "tessera/pipeline/verbs/project/project_verb.h"
#include "tessera/pipeline/verbs/report_verb.h"
#include "tessera/pipeline/verbs/search/suggest_verb.h"
#include "tessera/pipeline/verbs/search/sweep_verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() {
  return {ShardVerb(),   ShardingsVerb(), PrintVerb(),   StatsVerb(),       RulesVerb(),
          ProjectVerb(), LayoutVerb(),    ConvertVerb(), CollectivesVerb(), ReshardsVerb(),
          CommVerb(),    MemoryVerb(),    SweepVerb(),   SuggestVerb(),     RecordVerb(),
          CheckVerb(),   DiffVerb(),      ExplainVerb(), LevelsVerb(),      PassesVerb(),
          GraphVerb(),   ReportVerb()};
}

}  // namespace tessera::pipeline
