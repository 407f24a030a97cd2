// Calls whose partitioning a callback of the program decides, taken as calls that move nothing.
//
//   TESSERA_ASSIGN_OR_RETURN(const int64_t opaque, LetCallsDecide(&module));   // how many
//
// JAX's custom_partitioning hands the partitioner a function, which is not in the module. Its work
// between devices is unknown; that it works on tiles as they lie can be assumed:
//
//   a = f32[8,4] .., sharding=S                   a_in  = f32[2,4] custom-call(a), manual
//   r = f32[8,4] custom-call(a), sharding=T  ->   r_own = f32[2,4] custom-call(a_in), manual
//                                                 r     = f32[8,4] custom-call(r_own), sharding=T
//
// with the borders of manual code around it, which move nothing. Costs are then a lower bound,
// which an answer with them should say. Cost: linear. Tested by step_cost_test.cc.

#ifndef TESSERA_COST_STEP_OPAQUE_CALLS_H_
#define TESSERA_COST_STEP_OPAQUE_CALLS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"

namespace tessera::cost {

// Changes the partitioner's input. A call whose result is a tuple that is read otherwise than by
// get-tuple-element stays as it is. Errors as of ShardShapeOf().
absl::StatusOr<int64_t> LetCallsDecide(hlo::Module* module);

}  // namespace tessera::cost

#endif  // TESSERA_COST_STEP_OPAQUE_CALLS_H_
