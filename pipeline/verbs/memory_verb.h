// `tessera memory`: will it fit?

#ifndef TESSERA_PIPELINE_VERBS_MEMORY_VERB_H_
#define TESSERA_PIPELINE_VERBS_MEMORY_VERB_H_

#include "tessera/pipeline/verb.h"

namespace tessera::pipeline {

Verb MemoryVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MEMORY_VERB_H_
