// The verb `stats`: what a module holds, in numbers.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_STATS_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_STATS_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb StatsVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_STATS_VERB_H_
