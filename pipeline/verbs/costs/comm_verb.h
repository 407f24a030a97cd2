// `tessera comm`: what the collectives of a program cost.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COMM_VERB_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COMM_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb CommVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COMM_VERB_H_
