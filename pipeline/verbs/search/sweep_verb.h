// `tessera sweep`: many meshes and annotations of one module, ranked.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_VERB_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb SweepVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_VERB_H_
