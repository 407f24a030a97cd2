// The sharding pass on a module that runs on one partition: nothing is propagated.
//
//   absl::StatusOr<std::string> text = MakeShardMapBodiesInlineable(module);
//   // the text that was read, edited
//
// A call of a shard_map's body has an attribute `inlineable` ("false", "xla_late" or "auto";
// anything else is an error) that kept it from being inlined. It goes, and the body is renamed to
// `inlineable_callee`, so that inlining may take place from here on. Every other byte stays.

#ifndef TESSERA_PIPELINE_PASSES_ONE_PARTITION_H_
#define TESSERA_PIPELINE_PASSES_ONE_PARTITION_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// The module must be as it was parsed. Errors have the offset of the call.
absl::StatusOr<std::string> MakeShardMapBodiesInlineable(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_ONE_PARTITION_H_
