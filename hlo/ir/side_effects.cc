#include "tessera/hlo/side_effects.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "tessera/hlo/attributes.h"

namespace tessera::hlo {
namespace {

constexpr Opcode kAlways[] = {
    Opcode::kAllGatherDone,
    Opcode::kAllGatherStart,
    Opcode::kAllReduceDone,
    Opcode::kAllReduceStart,
    Opcode::kCollectiveBroadcast,
    Opcode::kCollectivePermuteDone,
    Opcode::kCollectivePermuteStart,
    Opcode::kInfeed,
    Opcode::kOutfeed,
    Opcode::kRecv,
    Opcode::kRecvDone,
    Opcode::kRng,
    Opcode::kRngGetAndUpdateState,
    Opcode::kSend,
    Opcode::kSendDone,
};

// Collectives whose layout is pinned.
constexpr Opcode kIfConstrained[] = {
    Opcode::kAllGather,
    Opcode::kAllReduce,
    Opcode::kAllToAll,
    Opcode::kReduceScatter,
};

enum class Effect : uint8_t { kNone, kAlways, kIfConstrained, kIfSaid };

constexpr std::array<Effect, kNumOpcodes> MakeTable() {
  std::array<Effect, kNumOpcodes> table = {};
  for (Opcode opcode : kAlways) table[static_cast<size_t>(opcode)] = Effect::kAlways;
  for (Opcode opcode : kIfConstrained) table[static_cast<size_t>(opcode)] = Effect::kIfConstrained;
  table[static_cast<size_t>(Opcode::kCustomCall)] = Effect::kIfSaid;
  return table;
}

constexpr std::array<Effect, kNumOpcodes> kEffects = MakeTable();

bool Has(const hlo::Module& module, hlo::InstructionId id, AttributeName flag) {
  return hlo::GetBool(module, id, flag).value_or(false);
}

// Without what it calls.
bool HasOwnEffect(const Module& module, InstructionId id) {
  switch (kEffects[static_cast<size_t>(module.instruction(id).opcode)]) {
    case Effect::kNone:
      return false;
    case Effect::kAlways:
      return true;
    case Effect::kIfConstrained:
      return Has(module, id, AttributeName::kConstrainLayout);
    case Effect::kIfSaid:
      break;
  }
  return Has(module, id, AttributeName::kCustomCallHasSideEffect);
}

}  // namespace

bool SideEffects::Of(InstructionId id) {
  if (HasOwnEffect(module_, id)) return true;
  const auto called = module_.called(id);
  return std::any_of(called.begin(), called.end(),
                     [&](ComputationId c) { return OfComputation(c); });
}

// Recursion is as deep as calls are nested, see call_limits.h.
bool SideEffects::OfComputation(ComputationId id) {
  if (computations_.size() < module_.num_computations()) {
    computations_.resize(module_.num_computations(), Known::kNot);
  }
  if (computations_[id] == Known::kNot) {
    const auto& inner = module_.computation(id).instructions;
    const bool some =
        std::any_of(inner.begin(), inner.end(), [&](InstructionId i) { return Of(i); });
    computations_[id] = some ? Known::kSome : Known::kNone;
  }
  return computations_[id] == Known::kSome;
}

}  // namespace tessera::hlo
