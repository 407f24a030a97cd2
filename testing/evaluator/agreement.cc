#include "tessera/testing/evaluator/agreement.h"

#include <algorithm>
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
constexpr int64_t kBlockFactor = 1000, kLeastSteps = 1000;

// Differences are what only a wrong signature makes; the rest means that a module cannot be run.
Outcome OutcomeOf(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnimplemented ? Outcome::kSkipped : Outcome::kDiffers;
}

}  // namespace

Agreement CheckAgreement(const hlo::Module& module, absl::Span<const BlockRules> runs) {
  if (!hlo::VerifyModule(module).ok()) return {Outcome::kSkipped, "not a valid module", 0};
  for (hlo::InstructionId id : module.entry().parameters) {
    for (const layout::Shape* array : projection::ArrayLeaves(module.shape(id))) {
      if (array->NumElements().value_or(Budget().cells_of_array + 1) > Budget().cells_of_array)
        return {Outcome::kSkipped, "too large a parameter", 0};
    }
  }
  const std::vector<Value> inputs = MakeInputs(module);
  Interpreter dense(module, Budget());
  const absl::StatusOr<Value> expected = dense.Run(module.entry_id(), inputs);
  if (!expected.ok()) return {Outcome::kSkipped, std::string(expected.status().message()), 0};
  Budget budget;
  budget.steps = std::max(dense.steps(), kLeastSteps) * kBlockFactor;
  Agreement agreement;
  for (const BlockRules& rules : runs) {
    BlockRunner runner(module, budget, rules);
    const absl::StatusOr<Value> out = runner.Run(inputs);
    if (!out.ok()) return {OutcomeOf(out.status()), std::string(out.status().message()), 0};
    if (!SameValue(*out, *expected)) return {Outcome::kDiffers, "the root differs", 0};
    agreement.blocks += runner.blocks();
  }
  return agreement;
}

Agreement CheckAgreement(const hlo::Module& module) {
  return CheckAgreement(module, {{CutInHalves, Poison::kNan, false},
                                 {CutInHalves, Poison::kShifted, false},
                                 {CutByDevices, Poison::kNan, false}});
}

}  // namespace tessera::testing::evaluator
