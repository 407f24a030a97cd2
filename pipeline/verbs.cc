#include "tessera/pipeline/verbs.h"

#include "tessera/pipeline/verbs/convert.h"
#include "tessera/pipeline/verbs/layout_verb.h"
#include "tessera/pipeline/verbs/print_verb.h"
#include "tessera/pipeline/verbs/project_verb.h"
#include "tessera/pipeline/verbs/rules_verb.h"
#include "tessera/pipeline/verbs/shard_verb.h"
#include "tessera/pipeline/verbs/shardings_verb.h"
#include "tessera/pipeline/verbs/stats_verb.h"

namespace tessera::pipeline {

std::vector<Verb> AllVerbs() {
  return {ShardVerb(), ShardingsVerb(), PrintVerb(),  StatsVerb(),
          RulesVerb(), ProjectVerb(),   LayoutVerb(), ConvertVerb()};
}

}  // namespace tessera::pipeline
