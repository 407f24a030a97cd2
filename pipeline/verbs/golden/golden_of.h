// The golden file of a module: what `shardings --format=golden` prints and `check --update` writes.

#ifndef TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_OF_H_
#define TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_OF_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Of the module of the first positional, with PropagationFlags().
VerbResult GoldenOf(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_GOLDEN_GOLDEN_OF_H_
