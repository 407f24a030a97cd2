// `tessera memory`: will it fit?

#ifndef TESSERA_PIPELINE_VERBS_COSTS_MEMORY_VERB_H_
#define TESSERA_PIPELINE_VERBS_COSTS_MEMORY_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb MemoryVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_MEMORY_VERB_H_
