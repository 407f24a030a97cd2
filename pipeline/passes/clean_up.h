// What XLA's CPU compiler does to a module before the sharding pass sees it, for modules that were
// dumped before any pass ran (`*before_optimizations*`, `jax.jit(f).lower(..).as_text('hlo')`).
//
//   absl::StatusOr<std::optional<hlo::Module>> cleaned = CleanUp(module);
//   if (cleaned->has_value()) ...      // a new module with a source text of its own
//
// Five passes, in this order; a module that has had them is not changed by them:
//
//   placement_marks      marks of host and device memory go
//   flatten_calls        each computation is named by one instruction
//   inline_calls         calls go, but for bodies of shard_maps and calls that say no
//   zero_sized           arrays without elements become constants
//   conditionals         branches take and give tuples
//
// They matter: a call that stays is a wall for some shardings, and constants are split for each
// function.

#ifndef TESSERA_PIPELINE_PASSES_CLEAN_UP_H_
#define TESSERA_PIPELINE_PASSES_CLEAN_UP_H_

#include <optional>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// Nothing if no pass has anything to do. InvalidArgument (text::ErrorAt) where so many computations
// would be copied that the module grows beyond clone_limit.h.
absl::StatusOr<std::optional<hlo::Module>> CleanUp(const hlo::Module& module);

// flatten_calls alone: every call with a computation of its own. For a module whose two calls of
// one computation came out with different shardings, so that the text needs two.
absl::StatusOr<hlo::Module> SeparateCalls(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CLEAN_UP_H_
