// The custom calls that XLA and JAX know, by their target. Whatever is not in the table has no rule
// unless a user gives one (rule_book.h).

#include <string>

#include "tessera/sharding/rules/families.h"

namespace tessera::sharding::rules {
namespace {

// The two halves of 64-bit values. If they become the state of a random generator, that state must
// not be sharded.
MaybeRule X64CombineRule(const OpView& op, const RuleMode& mode) {
  if (!op.neighbours.feeds_rng) return PointwiseOp(op, mode);
  if (op.results[0]->rank() != 1) return std::nullopt;
  RuleBuilder b(op);
  b.FactorAll(0, ResultDims(op, 0)[0], kNeedReplication, Blocked::kYes);
  return b.Build();
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
    {"X64Combine", X64CombineRule},
    {"X64SplitHigh", PointwiseOp},
    {"X64SplitLow", PointwiseOp},
    {"_SPMDInternalOp_MultiPad", PointwiseOp},
    {"_SPMDInternalOp_MultiRotate", PointwiseOp},
    {"_SPMDInternalOp_MultiSlice", PointwiseOp},
    {"_SPMDInternalOp_RotateRight", PointwiseOp},
    {"_SPMDInternalOp_Wrap", PointwiseOp},
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
