// The verb `print`: the module again, byte for byte or in one of XLA's forms.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_PRINT_VERB_H_
#define TESSERA_PIPELINE_VERBS_MODULE_PRINT_VERB_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

Verb PrintVerb();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_PRINT_VERB_H_
