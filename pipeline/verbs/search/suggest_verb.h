// `tessera suggest`: annotations that make a step fast and fit the memory.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_VERB_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb SuggestVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SUGGEST_VERB_H_
