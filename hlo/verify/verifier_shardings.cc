// Shardings: each fits its value and the number of partitions, and those of a loop or a conditional
// agree with those of its computations.

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::hlo {
namespace {

using sharding::HloSharding;

// Nothing if there is none, or one that cannot be read (the parser reports it).
std::optional<HloSharding> ShardingOf(const Module& module, InstructionId id) {
  const auto text = module.FindAttribute(id, AttributeName::kSharding);
  if (!text.has_value()) return std::nullopt;
  auto sharding = sharding::ParseHloSharding(*text);
  if (!sharding.ok()) return std::nullopt;
  return *std::move(sharding);
}

absl::Status CheckFit(const Module& module, InstructionId id) {
  const int64_t partitions = module.header().num_partitions;
  const std::optional<HloSharding> sharding = ShardingOf(module, id);
  if (!sharding.has_value() || partitions <= 1) return absl::OkStatus();
  std::vector<sharding::ShardedLeaf> leaves;
  layout::ForEachLeaf(module.shape(id), [&](const layout::Shape& leaf) {
    leaves.push_back({leaf.is_array(), leaf.dims()});
  });
  return ValidateSharding(*sharding, module.shape(id).is_tuple(), leaves, partitions);
}

absl::Status CheckEqual(const Module& module, InstructionId id, InstructionId other) {
  const std::optional<HloSharding> own = ShardingOf(module, id);
  const std::optional<HloSharding> its = ShardingOf(module, other);
  if (!own.has_value() || !its.has_value() || *own == *its) return absl::OkStatus();
  return Mismatch("its sharding is ", own->ToString(), ", that of '",
                  module.instruction(other).name, "' is ", its->ToString());
}

// What must have the sharding of the instruction: parameters and root of a body, roots of branches.
std::vector<InstructionId> Counterparts(const Module& module, InstructionId id) {
  std::vector<InstructionId> others;
  const Opcode opcode = module.instruction(id).opcode;
  const auto called = module.called(id);
  if (opcode == Opcode::kWhile && called.size() == 2) {
    for (ComputationId c : called) {
      const auto& parameters = module.computation(c).parameters;
      others.insert(others.end(), parameters.begin(), parameters.end());
    }
    others.push_back(module.computation(called[0]).root);
  }
  if (opcode == Opcode::kConditional) {
    for (ComputationId c : called) others.push_back(module.computation(c).root);
  }
  return others;
}

}  // namespace

absl::Status CheckShardings(const Module& module, InstructionId id) {
  if (const absl::Status s = CheckFit(module, id); !s.ok()) return s;
  for (InstructionId other : Counterparts(module, id)) {
    if (const absl::Status s = CheckEqual(module, id, other); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
