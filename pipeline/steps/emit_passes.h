// The last passes: from the program to the text of the result.

#ifndef TESSERA_PIPELINE_STEPS_EMIT_PASSES_H_
#define TESSERA_PIPELINE_STEPS_EMIT_PASSES_H_

#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline {

// They leave Context::text, or, where the text has no room for the result, Context::rerun.
// `options` must outlive the passes.
sharding::passes::Pipeline EmitPasses(const ShardOptions& options);

// The module asks for one tuple of all arguments.
bool HasTupleArgs(const hlo::Module& module);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_STEPS_EMIT_PASSES_H_
