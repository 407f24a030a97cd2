// File: testing/evaluator/interpreter.h
//
// Runs HLO on the CPU, densely and plainly: no layout, no fusion, no parallelism; what the text
// says is what happens, in row-major order. It exists to check projections, so clarity comes before
// speed.
//
//   Interpreter interpreter(module, Budget());
//   absl::StatusOr<Value> out = interpreter.Run(module.entry_id(), {&x, &y});
//
// A budget bounds the work: each cell that an operation touches is one step. Errors:
// kResourceExhausted when the budget is spent, kUnimplemented for what has no meaning on one
// device, or none at all (send, an unknown custom call, ..). The module must outlive it, and be one
// that hlo/verifier.h accepts: shapes are believed.
#ifndef TESSERA_TESTING_EVALUATOR_INTERPRETER_H_
#define TESSERA_TESTING_EVALUATOR_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

struct Budget {
  int64_t steps = int64_t{1} << 20;
  int64_t cells_of_array = int64_t{1} << 16;  // no array may be larger
};

using Values = absl::Span<const Value* const>;

class Interpreter {
 public:
  Interpreter(const hlo::Module& module, Budget budget) : module_(module), budget_(budget) {}

  const hlo::Module& module() const { return module_; }
  int64_t steps() const { return steps_; }

  // The root of a computation on these arguments, in order of parameter number.
  absl::StatusOr<Value> Run(hlo::ComputationId computation, Values arguments);

  // The same, with `step` in place of Apply() for the instructions of this computation (not for
  // those that they call).
  using Step = std::function<absl::StatusOr<Value>(hlo::InstructionId id, Values operands)>;
  absl::StatusOr<Value> RunWith(const Step& step, hlo::ComputationId computation, Values arguments);

  // One instruction on the values of its operands; no parameter.
  absl::StatusOr<Value> Apply(hlo::InstructionId id, Values operands);

  absl::Status Spend(int64_t steps);

 private:
  const hlo::Module& module_;
  Budget budget_;
  int64_t steps_ = 0;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_INTERPRETER_H_
