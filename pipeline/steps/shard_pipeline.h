// The pipeline of the main job: which passes run, in which order, with these options.
//
//   for (const Pass& pass : ShardPipeline(options)) std::cout << pass.name << "\n";
//
// This is the list that `tessera passes` prints and that Propagate(), Finalize() and ShardModule()
// (shard.h) walk.

#ifndef TESSERA_PIPELINE_STEPS_SHARD_PIPELINE_H_
#define TESSERA_PIPELINE_STEPS_SHARD_PIPELINE_H_

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard_options.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline {

// `options` must outlive the pipeline.
sharding::passes::Pipeline ShardPipeline(const ShardOptions& options);

// The same for a module that may be an exception: without propagation, a module whose arguments
// become a tuple takes the way of all modules where a new module is written. That does no harm
// where no shardings are; Unimplemented where some are.
absl::StatusOr<sharding::passes::Pipeline> ShardPipelineFor(const hlo::Module& module,
                                                            const ShardOptions& options);

// Whether the shardings of the module are final and are read as they are: then none is propagated,
// and no annotation changes one.
bool ReadsFinal(const hlo::Module& module, const ShardOptions& options);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_STEPS_SHARD_PIPELINE_H_
