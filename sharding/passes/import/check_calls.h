// Shapes across the borders of computations, and of elements of tuples: what the program relies on
// when it joins blocks. And what XLA's verifier takes but its Shardy pass refuses.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_CHECK_CALLS_H_
#define TESSERA_SHARDING_PASSES_IMPORT_CHECK_CALLS_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"

namespace tessera::sharding::passes {

// InvalidArgument at the first call, loop or conditional whose operand shapes differ from the
// callee's parameters, or whose shape differs from the callee's root. Also at the first
// get-tuple-element with an index out of range, and at the first dynamic-slice or
// dynamic-update-slice whose start is one array.
absl::Status CheckCalls(const hlo::Module& module);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_CHECK_CALLS_H_
