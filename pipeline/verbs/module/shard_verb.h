// tessera shard: the main job.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_SHARD_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_SHARD_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ShardVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_SHARD_VERB_H_
