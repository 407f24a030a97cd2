// Idea. Inside manual code every device has its own values, so an instruction there is visited as one of a
// single device:
//
//   {manual}                                                     as {maximal device=0}: nothing is resharded
//   {devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}       groups of 4 devices: {devices=[1,4]<=[4]} in each
//
// All tilings of a visit must have the same groups, scalar constants excepted. Cost: linear in the leaves of the
// operands and of the result. Tested by partitioner_test.cc and refusals_test.cc.
#include "tessera/sharding/partition/ops/manual_code.h"

#include <algorithm>
#include <string>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/tiling/grouping.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

bool AllOf(const Leaves& leaves, bool (Tiling::*test)() const) {
  return std::all_of(leaves.begin(), leaves.end(),
                     [test](const Tiling& leaf) { return (leaf.*test)(); });
}

void TakeManualAsOneDevice(Visit& v) {
  if (v.opcode() == Opcode::kCustomCall || v.opcode() == Opcode::kPartitionId) return;
  const auto take = [](Leaves& leaves) {
    for (Tiling& leaf : leaves) {
      if (leaf.IsManual()) leaf = Tiling::Single(0);
    }
  };
  take(v.leaves);
  for (PartitionedLeaves& operand : v.operands) take(operand.leaves);
}

absl::Status Incompatible() {
  return absl::InvalidArgumentError(
      "incompatible manual shardings: the groups of an operand cannot be aligned with those of "
      "the result");
}

absl::Status EnterManualGroups(Visit& v) {
  const Grouping groups = GroupOnManual(v.leaves.front());
  const auto enter = [&groups](Leaves& leaves) {
    for (Tiling& leaf : leaves) {
      if (!leaf.HasManual()) return false;
      const auto aligned = AlignIfCompatible(GroupOnManual(leaf), groups);
      if (!aligned.has_value()) return false;
      leaf = aligned->inner;
    }
    return true;
  };
  if (!enter(v.leaves)) return Incompatible();
  for (size_t i = 0; i < v.operands.size(); ++i) {
    PartitionedLeaves& operand = v.operands[i];
    const hlo::InstructionId id = v.module().operands(v.id)[i];
    const bool scalar = v.module().instruction(id).opcode == Opcode::kConstant &&
                        operand.base->is_array() && operand.base->rank() == 0;
    if (scalar && !operand.leaves.front().HasManual()) continue;
    if (!enter(operand.leaves)) return Incompatible();
    operand.scope = &operand.scope->PerGroup(groups.devices);
  }
  v.scope = &v.scope->PerGroup(groups.devices);
  return absl::OkStatus();
}

}  // namespace

bool SeesManual(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduce:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRng:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

absl::Status EnterManualCode(Visit& v) {
  const auto is_manual = [](const Tiling& leaf) { return leaf.IsManual() || leaf.HasManual(); };
  if (std::none_of(v.leaves.begin(), v.leaves.end(), is_manual)) return absl::OkStatus();
  const std::string target =
      v.opcode() == Opcode::kCustomCall ? hlo::GetCustomCallTarget(v.module(), v.id) : "";
  const bool enters = target == "SPMDFullToShardShape", leaves = target == "SPMDShardToFullShape";
  if (SeesManual(v.opcode()) || enters) return absl::OkStatus();
  if (AllOf(v.leaves, &Tiling::IsManual)) {
    TakeManualAsOneDevice(v);
    return absl::OkStatus();
  }
  const bool in_groups =
      AllOf(v.leaves, &Tiling::HasManual) && !leaves && v.opcode() != Opcode::kGetTupleElement;
  return in_groups ? EnterManualGroups(v) : absl::OkStatus();
}

}  // namespace tessera::sharding::partition
