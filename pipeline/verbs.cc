#include "tessera/pipeline/verbs.h"

#include "tessera/pipeline/verbs/collectives_verb.h"
#include "tessera/pipeline/verbs/comm_verb.h"
#include "tessera/pipeline/verbs/convert.h"
#include "tessera/pipeline/verbs/explain_verb.h"
#include "tessera/pipeline/verbs/golden_verbs.h"
#include "tessera/pipeline/verbs/layout_verb.h"
#include "tessera/pipeline/verbs/memory_verb.h"
#include "tessera/pipeline/verbs/print_verb.h"
#include "tessera/pipeline/verbs/project_verb.h"
#include "tessera/pipeline/verbs/report_verb.h"
#include "tessera/pipeline/verbs/reshards_verb.h"
#include "tessera/pipeline/verbs/rules_verb.h"
#include "tessera/pipeline/verbs/shard_verb.h"
#include "tessera/pipeline/verbs/shardings_verb.h"
#include "tessera/pipeline/verbs/stats_verb.h"
#include "tessera/pipeline/verbs/suggest_verb.h"
#include "tessera/pipeline/verbs/sweep_verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() {
  return {ShardVerb(), ShardingsVerb(), PrintVerb(),  StatsVerb(),
          RulesVerb(), ProjectVerb(),   LayoutVerb(), ConvertVerb(),
          CollectivesVerb(), ReshardsVerb(), CommVerb(), MemoryVerb(), SweepVerb(), SuggestVerb(), RecordVerb(), CheckVerb(), DiffVerb(),
          ExplainVerb(), LevelsVerb(), ReportVerb()};
}

}  // namespace tessera::pipeline
