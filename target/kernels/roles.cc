#include "tessera/target/kernels/roles.h"

#include <array>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

struct Row {
  Opcode opcode;
  Role role;
};

constexpr Row kRows[] = {
    {Opcode::kParameter, Role::kFree},
    {Opcode::kConstant, Role::kFree},
    {Opcode::kTuple, Role::kFree},
    {Opcode::kGetTupleElement, Role::kFree},
    {Opcode::kBitcast, Role::kFree},
    {Opcode::kOptBarrier, Role::kFree},
    {Opcode::kDomain, Role::kFree},
    {Opcode::kAddDependency, Role::kFree},
    {Opcode::kAfterAll, Role::kFree},
    {Opcode::kPartitionId, Role::kFree},
    {Opcode::kReplicaId, Role::kFree},
    {Opcode::kCopyDone, Role::kFree},
    {Opcode::kAsyncStart, Role::kFree},
    {Opcode::kAsyncUpdate, Role::kFree},
    {Opcode::kAsyncDone, Role::kFree},
    {Opcode::kSend, Role::kFree},
    {Opcode::kSendDone, Role::kFree},
    {Opcode::kRecv, Role::kFree},
    {Opcode::kRecvDone, Role::kFree},
    {Opcode::kInfeed, Role::kFree},
    {Opcode::kOutfeed, Role::kFree},
    {Opcode::kAllGather, Role::kCollective},
    {Opcode::kAllGatherStart, Role::kCollective},
    {Opcode::kAllGatherDone, Role::kCollective},
    {Opcode::kAllReduce, Role::kCollective},
    {Opcode::kAllReduceStart, Role::kCollective},
    {Opcode::kAllReduceDone, Role::kCollective},
    {Opcode::kAllToAll, Role::kCollective},
    {Opcode::kRaggedAllToAll, Role::kCollective},
    {Opcode::kReduceScatter, Role::kCollective},
    {Opcode::kCollectiveBroadcast, Role::kCollective},
    {Opcode::kCollectivePermute, Role::kCollective},
    {Opcode::kCollectivePermuteStart, Role::kCollective},
    {Opcode::kCollectivePermuteDone, Role::kCollective},
    {Opcode::kWhile, Role::kCaller},
    {Opcode::kCall, Role::kCaller},
    {Opcode::kConditional, Role::kCaller},
    {Opcode::kFusion, Role::kFusion},
    {Opcode::kDot, Role::kProduct},
    {Opcode::kRaggedDot, Role::kProduct},
    {Opcode::kScaledDot, Role::kProduct},
    {Opcode::kConvolution, Role::kProduct},
    {Opcode::kReduce, Role::kReduction},
    {Opcode::kReduceWindow, Role::kReduction},
    {Opcode::kDynamicUpdateSlice, Role::kUpdate},
    {Opcode::kBitcastConvert, Role::kLight},
    {Opcode::kBroadcast, Role::kLight},
    {Opcode::kConcatenate, Role::kLight},
    {Opcode::kDynamicSlice, Role::kLight},
    {Opcode::kIota, Role::kLight},
    {Opcode::kMap, Role::kLight},
    {Opcode::kPad, Role::kLight},
    {Opcode::kReshape, Role::kLight},
    {Opcode::kReverse, Role::kLight},
    {Opcode::kSlice, Role::kLight},
    {Opcode::kTranspose, Role::kLight},
};

// Custom calls that compute nothing: memory, order, hints.
constexpr absl::string_view kFreeCalls[] = {
    "ConcatBitcast",
    "AllocateBuffer",
    "AsyncCollectiveStart",
    "AsyncCollectiveDone",
    "AssumeGatherIndicesInBound",
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "annotate_device_placement",
    "LayoutConstraint",
};

using Roles = std::array<Role, hlo::kNumOpcodes>;

Roles RolesByOpcode() {
  Roles roles;
  for (size_t k = 0; k < roles.size(); ++k) {
    roles[k] = projection::IsElementwise(static_cast<Opcode>(k)) ? Role::kLight : Role::kAlone;
  }
  for (const Row& row : kRows) roles[static_cast<size_t>(row.opcode)] = row.role;
  return roles;
}

// A pad, a reverse, or a slice that leaves out a part of another dimension than the first one: rows move one by one.
bool MovesRows(const hlo::Module& module, hlo::InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode != Opcode::kSlice) return opcode == Opcode::kPad || opcode == Opcode::kReverse;
  const layout::Shape& from = module.shape(module.operands(id)[0]);
  const layout::Shape& to = module.shape(id);
  for (int64_t d = 0; d < to.rank(); ++d) {
    const bool is_first = to.has_layout() && to.layout().rank() == to.rank()
                              ? to.layout().minor_to_major[to.rank() - 1] == d
                              : d == 0;
    if (!is_first && to.dim(d) != from.dim(d)) return true;
  }
  return false;
}

}  // namespace

Role RoleOf(const hlo::Module& module, hlo::InstructionId id) {
  static const Roles roles = RolesByOpcode();
  const Opcode opcode = module.instruction(id).opcode;
  const bool is_free = opcode == Opcode::kCustomCall &&
                       absl::c_linear_search(kFreeCalls, hlo::GetCustomCallTarget(module, id));
  return is_free ? Role::kFree : roles[static_cast<size_t>(opcode)];
}

bool IsView(Opcode opcode) {
  return opcode == Opcode::kReshape || opcode == Opcode::kBitcast || opcode == Opcode::kCopy ||
         opcode == Opcode::kTranspose || opcode == Opcode::kOptBarrier;
}

bool IsLone(const hlo::Module& module, hlo::InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  return (projection::IsElementwise(opcode) && opcode != Opcode::kCopy) ||
         opcode == Opcode::kBroadcast || opcode == Opcode::kIota || MovesRows(module, id);
}

KernelKind KindOfAlone(Opcode opcode) {
  switch (opcode) {
    case Opcode::kGather:
    case Opcode::kScatter:
      return KernelKind::kIndexed;
    case Opcode::kSort:
    case Opcode::kTopk:
      return KernelKind::kSort;
    case Opcode::kCustomCall:
      return KernelKind::kCustomCall;
    case Opcode::kCopyStart:
      return KernelKind::kPrefetch;
    default:
      return KernelKind::kLoop;
  }
}

}  // namespace tessera::target
