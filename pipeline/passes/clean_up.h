// The changes of XLA's CPU compiler to a module before the sharding pass sees it, for modules that
// were dumped before any pass ran (`*before_optimizations*`,
// `jax.jit(f).lower(..).as_text('hlo')`).
//
//   absl::StatusOr<std::optional<hlo::Module>> cleaned = CleanUp(module);
//   if (cleaned->has_value()) ...      // a new module with a source text of its own
//
// A module that has had these passes is not changed by them. They matter: some shardings do not
// pass a call that stays, and constants are split for each function.

#ifndef TESSERA_PIPELINE_PASSES_CLEAN_UP_H_
#define TESSERA_PIPELINE_PASSES_CLEAN_UP_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/pass.h"

namespace tessera::pipeline::passes {

// The first passes of the pipeline: they leave the changed module in Context::module, and what it
// was in Context::original. InvalidArgument (text::ErrorAt) where so many computations
// would be copied that the module grows beyond hlo/call_limits.h. For a compiler that inlines only small
// functions of several callers: from how many instructions calls stay.
sharding::passes::Pipeline CleanUpPasses(std::optional<size_t> kept_from = std::nullopt);

// These passes alone: nothing if none of them has anything to do. Errors as above, with file,
// line and caret.
absl::StatusOr<std::optional<hlo::Module>> CleanUp(const hlo::Module& module,
                                                   std::optional<size_t> kept_from = std::nullopt);

// flatten_calls alone: every call with a computation of its own. For a module whose two calls of
// one computation came out with different shardings, so that the text needs two.
absl::StatusOr<hlo::Module> SeparateCalls(const hlo::Module& module);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CLEAN_UP_H_
