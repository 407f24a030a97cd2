// `tessera diff STEP COMPILED --target=..`.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_

#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// Compares the prediction for the first file with `compiled`, the module of the second one, which a
// compiler has finished. The arguments have --target; flags that decide shardings are of the first.
VerbResult DiffWithCompiled(const Arguments& arguments, hlo::Module compiled);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_DIFF_COMPILED_H_
