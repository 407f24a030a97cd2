// `tessera passes`: the pipeline as a list, and what each pass takes on a module.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_PASSES_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_PASSES_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb PassesVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_PASSES_VERB_H_
