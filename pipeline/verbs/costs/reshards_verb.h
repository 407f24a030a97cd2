// tessera reshards: which values move between devices, why, and which annotation ends that.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_VERB_H_
#define TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ReshardsVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_RESHARDS_VERB_H_
