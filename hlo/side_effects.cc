#include "tessera/hlo/side_effects.h"

#include <algorithm>

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

template <size_t n>
bool Contains(const Opcode (&list)[n], Opcode opcode) {
  return std::find(list, list + n, opcode) != list + n;
}

bool Has(const hlo::Module& module, hlo::InstructionId id, AttributeName flag) {
  return hlo::GetBool(module, id, flag).value_or(false);
}

}  // namespace

bool HasSideEffect(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (Contains(kAlways, opcode)) return true;
  if (Contains(kIfConstrained, opcode) && Has(module, id, AttributeName::kConstrainLayout)) {
    return true;
  }
  if (opcode == Opcode::kCustomCall && Has(module, id, AttributeName::kCustomCallHasSideEffect)) {
    return true;
  }
  for (ComputationId called : module.called(id)) {
    for (InstructionId inner : module.computation(called).instructions) {
      if (HasSideEffect(module, inner)) return true;
    }
  }
  return false;
}

}  // namespace tessera::hlo
