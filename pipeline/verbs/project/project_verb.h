// `tessera project FILE NAME`: which part of each operand a block of an instruction needs.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_VERB_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb ProjectVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_VERB_H_
