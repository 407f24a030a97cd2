// `tessera collectives`: what the partitioner will insert, the most expensive first.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_VERB_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb CollectivesVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COLLECTIVES_VERB_H_
