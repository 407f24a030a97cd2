#include "tessera/sharding/passes/queries/purity.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

enum class Effect : uint8_t {
  kNone,
  kOfRegions,  // none of its own
  kSome,
};

// Opcodes with an effect of their own; opcodes in neither list have none.
constexpr Opcode kEffects[] = {
    Opcode::kAddDependency,
    Opcode::kAllGather,
    Opcode::kAllGatherDone,
    Opcode::kAllGatherStart,
    Opcode::kAllReduce,
    Opcode::kAllReduceDone,
    Opcode::kAllReduceStart,
    Opcode::kAllToAll,
    Opcode::kAsyncDone,
    Opcode::kAsyncStart,
    Opcode::kAsyncUpdate,
    Opcode::kCall,
    Opcode::kCollectiveBroadcast,
    Opcode::kCollectivePermute,
    Opcode::kCollectivePermuteDone,
    Opcode::kCollectivePermuteStart,
    Opcode::kCopyDone,
    Opcode::kCopyStart,
    Opcode::kDomain,
    Opcode::kFusion,
    Opcode::kInfeed,
    Opcode::kOutfeed,
    Opcode::kRaggedAllToAll,
    Opcode::kRecv,
    Opcode::kRecvDone,
    Opcode::kReduceScatter,
    Opcode::kRng,
    Opcode::kRngGetAndUpdateState,
    Opcode::kSend,
    Opcode::kSendDone,
};

constexpr Opcode kRegions[] = {
    Opcode::kConditional,      Opcode::kMap,  Opcode::kReduce,
    Opcode::kReduceWindow,     Opcode::kScan, Opcode::kScatter,
    Opcode::kSelectAndScatter, Opcode::kSort, Opcode::kWhile,
};

constexpr std::array<Effect, hlo::kNumOpcodes> MakeTable() {
  std::array<Effect, hlo::kNumOpcodes> table = {};
  for (Opcode o : kEffects) table[static_cast<size_t>(o)] = Effect::kSome;
  for (Opcode o : kRegions) table[static_cast<size_t>(o)] = Effect::kOfRegions;
  return table;
}
constexpr std::array<Effect, hlo::kNumOpcodes> kTable = MakeTable();

bool IsPureBlock(const Block* block) {
  for (const Op* op = block->first; op->next != nullptr; op = op->next) {
    if (!IsPure(*op)) return false;
  }
  return true;
}

}  // namespace

bool InstructionPurity::Of(hlo::InstructionId id) {
  if (module_.instruction(id).opcode == Opcode::kCustomCall) {
    return !hlo::GetBool(module_, id, hlo::AttributeName::kCustomCallHasSideEffect).value_or(false);
  }
  const Effect effect = kTable[static_cast<size_t>(module_.instruction(id).opcode)];
  if (effect != Effect::kOfRegions) return effect == Effect::kNone;
  const auto called = module_.called(id);
  return std::all_of(called.begin(), called.end(),
                     [&](hlo::ComputationId c) { return OfComputation(c); });
}

// Recursion is as deep as calls are nested: CheckCalls has seen to that.
bool InstructionPurity::OfComputation(hlo::ComputationId id) {
  if (computations_[id] == Known::kNot) {
    const auto& inner = module_.computation(id).instructions;
    const bool pure =
        std::all_of(inner.begin(), inner.end(), [&](hlo::InstructionId i) { return Of(i); });
    computations_[id] = pure ? Known::kPure : Known::kImpure;
  }
  return computations_[id] == Known::kPure;
}

bool IsPure(const Op& op) {
  switch (op.kind) {
    case OpKind::kHlo:
    case OpKind::kConstant:
      return op.pure;
    case OpKind::kWhile:
    case OpKind::kCase:
    case OpKind::kPredConditional:
    case OpKind::kNamedComputation:
    case OpKind::kManualComputation:
      return std::all_of(op.blocks().begin(), op.blocks().end(), IsPureBlock);
    case OpKind::kPropagationBarrier:
    case OpKind::kOptBarrier:
    case OpKind::kReshard:
      return true;
    default:  // also changes of unreduced axes: a dead one still captures what it reads
      return false;
  }
}

bool IsPlainCall(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == Opcode::kCall &&
         !hlo::GetBool(module, id, hlo::AttributeName::kIsComposite).value_or(false);
}

}  // namespace tessera::sharding::passes
