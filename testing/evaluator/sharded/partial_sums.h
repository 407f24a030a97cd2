// One instruction computed in parts along what it sums, the parts combined in order.
#ifndef TESSERA_TESTING_EVALUATOR_SHARDED_PARTIAL_SUMS_H_
#define TESSERA_TESTING_EVALUATOR_SHARDED_PARTIAL_SUMS_H_

#include <vector>

#include "absl/status/status.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/testing/evaluator/interpreter.h"

namespace tessera::testing::evaluator {

// A block of the split index space (the result's dimensions, then the summed ones), and what it
// needs of each operand.
struct SumPart {
  ZRange index;
  std::vector<projection::Need> needs;
};

// kDataLoss where the combined parts differ from `dense` by more than the bound of sharded.h.
// Parts of the same tile of the result are combined in the order of the list. For dot, convolution,
// and reductions of one array by a binary operation; kUnimplemented for others.
absl::Status CheckPartialSums(Interpreter& interpreter, hlo::InstructionId id, Values operands,
                              const Array& dense, const std::vector<SumPart>& parts);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_SHARDED_PARTIAL_SUMS_H_
