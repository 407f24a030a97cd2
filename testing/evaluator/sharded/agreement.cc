#include "tessera/testing/evaluator/sharded/agreement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/verifier.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/testing/evaluator/sharded/exchange.h"
#include "tessera/testing/evaluator/sharded/sharded.h"
#include "tessera/testing/evaluator/sharded/spmd.h"

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

// A collective that moves data between devices.
bool HasExchange(const hlo::Module& module) {
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!IsExchange(module.instruction(id).opcode)) continue;
    if (GroupOf(module, id, 0, DevicesOf(module)).size() > 1) return true;
  }
  return false;
}

constexpr int64_t kMostDevicesCompared = 16;

// All devices in lockstep, on the same numbers.
Agreement CheckExchanges(const hlo::Module& module, const std::vector<Value>& inputs,
                         Budget budget) {
  const int64_t devices = DevicesOf(module);
  if (devices > kMostDevicesCompared) return {Outcome::kSkipped, "more than 16 devices", 0};
  SpmdRunner runner(module, budget, devices);
  const auto out =
      runner.Run(std::vector<std::vector<Value>>(static_cast<size_t>(devices), inputs));
  if (absl::IsDataLoss(out.status()))
    return {Outcome::kDiffers, std::string(out.status().message()), 0};
  if (!out.ok()) return {Outcome::kSkipped, std::string(out.status().message()), 0};
  return {Outcome::kAgrees, "", runner.exchanges()};
}

}  // namespace

Agreement CheckAgreement(const hlo::Module& module, absl::Span<const BlockRules> runs,
                         Budget budget) {
  if (!hlo::VerifyModule(module).ok()) return {Outcome::kSkipped, "not a valid module", 0};
  for (hlo::InstructionId id : module.entry().parameters) {
    for (const layout::Shape* array : projection::ArrayLeaves(module.shape(id))) {
      if (array->NumElements().value_or(budget.cells_of_array + 1) > budget.cells_of_array)
        return {Outcome::kSkipped, "too large a parameter", 0};
    }
  }
  const std::vector<Value> inputs = MakeInputs(module);
  Interpreter dense(module, budget);
  if (DevicesOf(module) > 1 && HasExchange(module)) return CheckExchanges(module, inputs, budget);
  const absl::StatusOr<Value> expected = dense.Run(module.entry_id(), inputs);
  if (!expected.ok()) return {Outcome::kSkipped, std::string(expected.status().message()), 0};
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

Agreement CheckAgreement(const hlo::Module& module, Budget budget) {
  std::vector<BlockRules> runs = {{CutInHalves, Poison::kNan}, {CutInHalves, Poison::kShifted}};
  const absl::StatusOr<ShardedRun> sharded = ShardedRun::Create(module, {});
  if (sharded.ok()) runs.push_back(sharded->Rules(Poison::kNan));
  return CheckAgreement(module, runs, budget);
}

}  // namespace tessera::testing::evaluator
