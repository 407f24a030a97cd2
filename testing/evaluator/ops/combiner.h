// The computation that a reduction applies to single cells.
//
//   Combiner add(op, op.called());
//   absl::Status s = add.Apply({x}, &accumulator);    // accumulator = add(accumulator, x)
//
// A computation of one binary operation is applied directly; any other is run.
#ifndef TESSERA_TESTING_EVALUATOR_OPS_COMBINER_H_
#define TESSERA_TESTING_EVALUATOR_OPS_COMBINER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"

namespace tessera::testing::evaluator {

using Cells = std::vector<Cell>;

class Combiner {
 public:
  Combiner(const Op& op, hlo::ComputationId computation);

  // The arrays of the root on these scalars, in order of parameter number.
  absl::StatusOr<Cells> Call(const Cells& arguments) const;
  // accumulator = combiner(accumulator.., next..)
  absl::Status Apply(const Cells& next, Cells* accumulator) const;
  // A computation of two arguments with a predicate as its result.
  absl::StatusOr<bool> Test(const Cell& x, const Cell& y) const;

 private:
  Interpreter& interpreter_;
  hlo::ComputationId computation_;
  std::vector<ElementType> types_;  // of the parameters
  const BinaryRow* direct_ = nullptr;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_OPS_COMBINER_H_
