// Runs HLO on the CPU, densely and plainly: no layout, no fusion, no parallelism; what the text
// says is what happens, in row-major order. It exists to check projections, so clarity comes before
// speed.
//
//   Interpreter interpreter(module, Budget());
//   absl::StatusOr<Value> out = interpreter.Run(module.entry_id(), arguments);
//
// A budget bounds the work: each cell that an operation touches is one step. Errors:
// kResourceExhausted when the budget is spent, kUnimplemented for what has no meaning on one
// device, or none at all. The module must outlive it, and be one that hlo/verifier.h accepts:
// shapes are not checked.
#ifndef TESSERA_TESTING_EVALUATOR_INTERPRETER_H_
#define TESSERA_TESTING_EVALUATOR_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

struct Budget {
  int64_t steps = int64_t{1} << 22;
  int64_t cells_of_array = int64_t{1} << 20;  // no array may be larger
};

using Values = absl::Span<const Value* const>;

// What of a result is asked for: a block of one of its arrays.
struct Part {
  int leaf = 0;
  ZRange block;
};

class Interpreter {
 public:
  Interpreter(const hlo::Module& module, Budget budget) : module_(module), budget_(budget) {}

  const hlo::Module& module() const { return module_; }
  int64_t steps() const { return steps_; }

  // The root of a computation on these arguments, in order of parameter number.
  absl::StatusOr<Value> Run(hlo::ComputationId computation, std::vector<Value> arguments);

  // From now on `step` computes the instructions of every computation that is run (not those of
  // reducers and comparators, which work on single cells); Apply() helps it.
  using Step = std::function<absl::StatusOr<Value>(hlo::InstructionId id, Values operands)>;
  void Watch(Step step) { step_ = std::move(step); }
  // A reducer or comparator on scalars: Run() without the step.
  absl::StatusOr<Value> RunOnCells(hlo::ComputationId computation, std::vector<Value> arguments);

  // One instruction on the values of its operands; no parameter. With a part, cells outside it may
  // be left at zero.
  absl::StatusOr<Value> Apply(hlo::InstructionId id, Values operands, const Part* part = nullptr);

  absl::Status Spend(int64_t steps);

 private:
  // A computation made ready to run: values live in slots, from their definition to their last use.
  struct Line {
    hlo::InstructionId id;
    int parameter;                 // its number; -1: not one
    std::vector<int> operands;     // slots
    std::vector<int> last_use_of;  // slots that are free after this line
  };
  struct Plan {
    std::vector<Line> lines;
    int root = 0;
  };
  absl::StatusOr<const Plan*> PlanOf(hlo::ComputationId computation);
  absl::StatusOr<Value> RunWith(const Step* step, hlo::ComputationId computation,
                                std::vector<Value> arguments);

  const hlo::Module& module_;
  Budget budget_;
  Step step_;
  int64_t steps_ = 0;
  absl::flat_hash_map<hlo::ComputationId, std::unique_ptr<Plan>> plans_;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_INTERPRETER_H_
