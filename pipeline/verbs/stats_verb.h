// The verb `stats`: what a module holds, in numbers.

#ifndef TESSERA_PIPELINE_VERBS_STATS_VERB_H_
#define TESSERA_PIPELINE_VERBS_STATS_VERB_H_

#include "tessera/pipeline/verb.h"

namespace tessera::pipeline {

Verb StatsVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_STATS_VERB_H_
