// tessera explain: why a tensor has its sharding.
//
// tessera levels: what each level of propagation changed.

#ifndef TESSERA_PIPELINE_VERBS_EXPLAIN_VERB_H_
#define TESSERA_PIPELINE_VERBS_EXPLAIN_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ExplainVerb();
Verb LevelsVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_EXPLAIN_VERB_H_
