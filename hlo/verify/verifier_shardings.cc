// Shardings: each fits its value and the number of partitions, and those of a loop or a conditional
// agree with those of its computations.

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

absl::Status CheckEqual(const Module& module, InstructionId id, InstructionId other,
                        Shardings* shardings) {
  const HloSharding* const own = shardings->Of(id);
  const HloSharding* const its = shardings->Of(other);
  if (own == nullptr || its == nullptr || own == its || *own == *its) return absl::OkStatus();
  return Mismatch("its sharding is ", own->ToString(), ", that of '",
                  module.instruction(other).name, "' is ", its->ToString());
}

// Instructions that must have the sharding of this one: parameters and root of a body, roots of
// branches.
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

const HloSharding* Shardings::Of(InstructionId id) {
  const auto text = module_.FindAttribute(id, AttributeName::kSharding);
  if (!text.has_value()) return nullptr;
  for (const KnownShardings* const known : {module_.known_shardings(), &std::as_const(added_)}) {
    const HloSharding* const found = known == nullptr ? nullptr : known->Find(*text);
    if (found != nullptr) return found;
  }
  auto sharding = sharding::ParseHloSharding(*text);
  return sharding.ok() ? added_.Add(*text, *std::move(sharding)) : nullptr;
}

absl::Status CheckShardingFits(const Module& module, InstructionId id, Shardings* shardings) {
  const int64_t partitions = module.header().num_partitions;
  if (partitions <= 1) return absl::OkStatus();
  const HloSharding* const sharding = shardings->Of(id);
  if (sharding == nullptr) return absl::OkStatus();
  absl::InlinedVector<sharding::ShardedLeaf, 1> leaves;
  layout::ForEachLeaf(module.shape(id), [&](const layout::Shape& leaf) {
    leaves.push_back({leaf.is_array(), leaf.dims()});
  });
  return ValidateSharding(*sharding, module.shape(id).is_tuple(), leaves, partitions);
}

void CheckPartitions(const Module& module, text::Diagnostics* found) {
  const int64_t partitions = module.header().num_partitions;
  if (partitions > 0) return;
  size_t at = module.source().begin;
  for (const HeaderAttribute& written : module.header_attributes()) {
    if (written.name == "num_partitions") at = written.value.begin;
  }
  found->Error(
      at, absl::StrCat("num_partitions=", partitions, ": a module runs on one device or more"));
}

absl::Status CheckShardings(const Module& module, InstructionId id, Shardings* shardings) {
  TESSERA_RETURN_IF_ERROR(CheckShardingFits(module, id, shardings));
  for (InstructionId other : Counterparts(module, id)) {
    TESSERA_RETURN_IF_ERROR(CheckEqual(module, id, other, shardings));
  }
  return absl::OkStatus();
}

}  // namespace tessera::hlo
