// How large a module becomes when every caller gets a computation of its own, counted before
// anything is copied.

#ifndef TESSERA_PIPELINE_PASSES_CALLS_CLONE_LIMIT_H_
#define TESSERA_PIPELINE_PASSES_CALLS_CLONE_LIMIT_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// The errors of hlo/call_limits.h, for clones of all that is called.
absl::Status CheckClones(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CALLS_CLONE_LIMIT_H_
