// What the devices of a program compute, before and after each pass of a target.
//
//   absl::Status same = SameResults(module, *ParseTarget("h100:4"));
//   // dot-merger: result 1, device 2, cell 7: 0.5, expected 1.25
//
// All devices run in lockstep (evaluator/sharded/spmd.h), each on other arguments. Integers must be equal.
// Floats may differ by a share of the largest of their array, as sums of parts may be taken in another
// order. A result that is not finite before the passes may be anything after them.

#ifndef TESSERA_TESTING_TARGET_PASSES_SAME_RESULTS_H_
#define TESSERA_TESTING_TARGET_PASSES_SAME_RESULTS_H_

#include "absl/status/status.h"
#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::target {

// kDataLoss: a pass changed a result, or made an invalid module; kUnimplemented and kResourceExhausted:
// the program cannot be run; other errors are those of the passes.
absl::Status SameResults(const hlo::Module& module, const Target& target);

}  // namespace tessera::target

#endif  // TESSERA_TESTING_TARGET_PASSES_SAME_RESULTS_H_
