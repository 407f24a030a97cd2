// Arguments that a TPU copies in front of a loop, since products in it want their tiles otherwise.
//
//   for (const ValueId v : CopiedWeights(flow, laid)) ...      // bf16[2048,2,1024] of "bd,dge->bge"
//
// A product reads tiles of a summed dimension and a free one. Weights whose two most minor dimensions are both
// free, such as heads and features of a projection, are copied once for all rounds. In final modules of
// generation, bf16[2048,8,128]{2,1,0} becomes {2,0,1}. Outside of loops such a copy lives for one product.
// Cost: linear. Tested by copied_weights_test.cc.

#ifndef TESSERA_TARGET_SCHEDULE_COPIED_WEIGHTS_H_
#define TESSERA_TARGET_SCHEDULE_COPIED_WEIGHTS_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "tessera/layout/shape.h"
#include "tessera/target/dataflow/dataflow.h"

namespace tessera::target {

// `laid`: the shape of an array in its layout.
std::vector<ValueId> CopiedWeights(const Dataflow& flow,
                                   absl::FunctionRef<layout::Shape(ValueId)> laid);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SCHEDULE_COPIED_WEIGHTS_H_
