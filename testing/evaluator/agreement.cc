#include "tessera/testing/evaluator/agreement.h"

#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/verifier.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/devices.h"
#include "tessera/testing/evaluator/inputs.h"

namespace tessera::testing::evaluator {
namespace {

using Outcome = Agreement::Outcome;

// A block run that takes so many times the steps of the dense one has lost its way (a loop whose
// condition was poisoned, say).
constexpr int64_t kBlockFactor = 1000;

// Differences are what only a wrong signature makes; the rest means that a module cannot be run.
Outcome OutcomeOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnimplemented ? Outcome::kSkipped : Outcome::kDiffers;
}

}  // namespace

Agreement CheckAgreement(const hlo::Module& module, absl::Span<const Cutter> cutters,
                         absl::Span<const Poison> poisons) {
  if (!hlo::VerifyModule(module).ok()) return {Outcome::kSkipped, "not a valid module", 0};
  for (hlo::InstructionId id : module.entry().parameters) {
    for (const layout::Shape* array : projection::ArrayLeaves(module.shape(id))) {
      if (array->NumElements().value_or(Budget().cells_of_array + 1) > Budget().cells_of_array)
        return {Outcome::kSkipped, "too large a parameter", 0};
    }
  }
  const std::vector<Value> inputs = MakeInputs(module);
  std::vector<const Value*> arguments;
  for (const Value& input : inputs) arguments.push_back(&input);
  Interpreter dense(module, Budget());
  const absl::StatusOr<Value> expected = dense.Run(module.entry_id(), arguments);
  if (!expected.ok()) return {Outcome::kSkipped, std::string(expected.status().message()), 0};
  Budget budget;
  budget.steps = dense.steps() * kBlockFactor;
  Agreement agreement;
  for (const Cutter& cutter : cutters) {
    for (Poison poison : poisons) {
      BlockRunner runner(module, budget, cutter, poison);
      const absl::StatusOr<Value> out = runner.Run(arguments);
      if (!out.ok()) return {OutcomeOf(out.status()), std::string(out.status().message()), 0};
      if (!SameValue(*out, *expected)) return {Outcome::kDiffers, "the root differs", 0};
      agreement.blocks += runner.blocks();
    }
  }
  return agreement;
}

Agreement CheckAgreement(const hlo::Module& module) {
  return CheckAgreement(module, {CutInHalves, CutByDevices}, {Poison::kNan, Poison::kShifted});
}

}  // namespace tessera::testing::evaluator
