// tessera shardings: every tensor and its sharding.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ShardingsVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_SHARDINGS_VERB_H_
