// Element-wise operations: every operand is read where the result is written. Scalars beside arrays
// (the bounds of a clamp, the predicate of a select) are needed by every block.
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {

absl::Status ElementwiseRule(const OpContext& op, Signature* s) {
  for (int k = 0; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadIdentity(k, s));
  return absl::OkStatus();
}

absl::Status FirstOperandRule(const OpContext& op, Signature* s) {
  // Tuples go leaf by leaf: the asked array of the result is the same array of the operand.
  if (ArrayLeaves(op.module.shape(op.operand(0))).empty()) return absl::OkStatus();
  OperandAccess& entry = op.Entry(0, op.options.leaf, s);
  Rows rows(entry.shape, op.rank());
  for (int d = 0; d < entry.shape.rank(); ++d) rows.Follow(d, d);
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
  entry.maps.push_back(ProjectionAccess(std::move(p)));
  return absl::OkStatus();
}

absl::Status SetDimensionSizeRule(const OpContext& op, Signature* s) {
  TESSERA_RETURN_IF_ERROR(op.ReadIdentity(0, s));
  return op.ReadWhole(1, s);
}

absl::Status NothingRule(const OpContext&, Signature*) { return absl::OkStatus(); }

}  // namespace tessera::projection
