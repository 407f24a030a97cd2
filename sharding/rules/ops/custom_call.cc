// The custom calls that XLA and JAX know, by their target. Whatever is not in the table has no rule
// unless a user gives one (rule_registry.h).

#include <string>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

using reference::PartitionerOpRules;

// The two halves of 64-bit values. If they become the state of a random generator, that state must
// not be sharded.
MaybeRule X64CombineRule(const OpView& op, const RuleMode& mode) {
  if (!op.neighbours.feeds_rng) return PointwiseOp(op, mode);
  if (op.results[0]->rank() != 1) return std::nullopt;
  RuleBuilder b(op);
  b.FactorAll(0, ResultDims(op, 0)[0],
              mode.behaviors.x64_pair_replicates ? kNeedReplication : kPassThrough, Blocked::kYes);
  return b.Build();
}

// The target that stands for the opcode topk.
MaybeRule TopkTargetRule(const OpView& op, const RuleMode& mode) {
  if (!mode.behaviors.topk_custom_call_rule || op.operands.empty()) return std::nullopt;
  return TopkRule(op, mode);
}

// Ops that the partitioner makes and that may be in a module that comes back to it.
MaybeRule PartitionerOpRule(const OpView& op, const RuleMode& mode) {
  if (mode.behaviors.partitioner_op_rules == PartitionerOpRules::kNone) return std::nullopt;
  return PointwiseOp(op, mode);
}
MaybeRule MultiPadRule(const OpView& op, const RuleMode& mode) {
  if (mode.behaviors.partitioner_op_rules != PartitionerOpRules::kAll) return std::nullopt;
  return PointwiseOp(op, mode);
}

struct Target {
  absl::string_view name;
  MaybeRule (*rule)(const OpView& op, const RuleMode& mode);
};

constexpr Target kTargets[] = {
    {"ApproxTopK", ApproxTopKRule},
    {"Cholesky", PointwiseOp},  // unlike the opcode, which needs the matrix whole
    {"CompactWyHelper", PointwiseOp},
    {"Eigh", EighRule},
    {"InspectSharding", PointwiseOp},
    {"InvertDiagBlocksLowerTriangular", PointwiseOp},
    {"InvertDiagBlocksUpperTriangular", PointwiseOp},
    {"LayoutConstraint", PointwiseOp},
    {"MoveToDevice", PointwiseOp},
    {"MoveToHost", PointwiseOp},
    {"PartialReduce", ApproxTopKRule},
    {"ProductOfElementaryHouseholderReflectors", HouseholderRule},
    {"Qr", QrRule},
    {"QrDecompositionBlock", QrRule},
    {"Sharding", PointwiseOp},  // a sharding constraint
    {"TopK", TopkTargetRule},
    {"X64Combine", X64CombineRule},
    {"X64SplitHigh", PointwiseOp},
    {"X64SplitLow", PointwiseOp},
    {"_SPMDInternalOp_MultiPad", MultiPadRule},
    {"_SPMDInternalOp_MultiRotate", PartitionerOpRule},
    {"_SPMDInternalOp_MultiSlice", PartitionerOpRule},
    {"_SPMDInternalOp_RotateRight", PartitionerOpRule},
    {"_SPMDInternalOp_Wrap", PartitionerOpRule},
    {"annotate_device_placement", PointwiseOp},
    {"xla.megascale.provide_metadata", PointwiseOp},
};

// A schedule other than the plain one makes XLA see an op of another kind.
bool IsScheduled(const OpView& op) {
  const std::vector<absl::string_view> schedule =
      hlo::GetWords(*op.module, op.instruction, hlo::AttributeName::kSchedule);
  return !schedule.empty() && schedule[0] != "SCHEDULE_NONE";
}

}  // namespace

MaybeRule CustomCallRule(const OpView& op, const RuleMode& mode) {
  if (IsScheduled(op)) return std::nullopt;
  const std::string name = hlo::GetCustomCallTarget(*op.module, op.instruction);
  for (const Target& target : kTargets) {
    if (target.name == name) return target.rule(op, mode);
  }
  return std::nullopt;
}

}  // namespace tessera::sharding::rules
