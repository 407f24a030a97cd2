// `tessera diff STEP COMPILED --target=..`.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Compares the prediction for the first file with the second one, which a compiler has finished. The
// arguments have --target; flags that decide shardings are of the first file, --module of both.
VerbResult DiffWithCompiled(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_
