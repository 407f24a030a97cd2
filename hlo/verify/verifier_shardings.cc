// Shardings: each fits its value and the number of partitions, and those of a loop or a conditional
// agree with those of its computations.

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/hlo/verify/verifier_rules.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

using sharding::HloSharding;

absl::Status CheckFit(const Module& module, InstructionId id, ShardingTexts* texts) {
  const int64_t partitions = module.header().num_partitions;
  if (partitions <= 1) return absl::OkStatus();
  const HloSharding* const sharding = texts->Of(module, id);
  if (sharding == nullptr || texts->fits().contains({sharding, module.shape_id(id)})) {
    return absl::OkStatus();
  }
  absl::InlinedVector<sharding::ShardedLeaf, 1> leaves;
  layout::ForEachLeaf(module.shape(id), [&](const layout::Shape& leaf) {
    leaves.push_back({leaf.is_array(), leaf.dims()});
  });
  TESSERA_RETURN_IF_ERROR(
      ValidateSharding(*sharding, module.shape(id).is_tuple(), leaves, partitions));
  texts->fits().insert({sharding, module.shape_id(id)});
  return absl::OkStatus();
}

absl::Status CheckEqual(const Module& module, InstructionId id, InstructionId other,
                        ShardingTexts* texts) {
  const HloSharding* const own = texts->Of(module, id);
  const HloSharding* const its = texts->Of(module, other);
  if (own == nullptr || its == nullptr || own == its || *own == *its) return absl::OkStatus();
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

const HloSharding* ShardingTexts::Of(const Module& module, InstructionId id) {
  const auto text = module.FindAttribute(id, AttributeName::kSharding);
  if (!text.has_value()) return nullptr;
  const auto [known, is_new] = known_.try_emplace(*text);
  if (!is_new) return known->second.get();
  auto sharding = sharding::ParseHloSharding(*text);
  if (sharding.ok()) known->second = std::make_unique<const HloSharding>(*std::move(sharding));
  return known->second.get();
}

absl::Status CheckShardings(const Module& module, InstructionId id, ShardingTexts* texts) {
  TESSERA_RETURN_IF_ERROR(CheckFit(module, id, texts));
  for (InstructionId other : Counterparts(module, id)) {
    TESSERA_RETURN_IF_ERROR(CheckEqual(module, id, other, texts));
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
