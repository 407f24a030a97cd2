// `tessera rules`: the sharding rule of each instruction.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_RULES_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_RULES_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb RulesVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_RULES_VERB_H_
