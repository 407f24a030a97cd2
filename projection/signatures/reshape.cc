// Operations that see the same cells, or their bits, in another shape.
#include <algorithm>

#include "tessera/projection/signatures/rules.h"

namespace tessera::projection {

absl::Status ReshapeRule(const OpContext& op, Signature* s) {
  return op.Read(0, ReshapeAccess(op.OperandDims(0), op.result), s);
}

absl::Status BitcastConvertRule(const OpContext& op, Signature* s) {
  const int operand_rank = static_cast<int>(op.OperandShape(0).rank());
  Rows rows = op.RowsOf(0);
  for (int d = 0; d < std::min(operand_rank, op.rank()); ++d) rows.Follow(d, d);
  if (operand_rank > op.rank()) rows.Whole(operand_rank - 1);
  return op.Read(0, rows, s);
}

}  // namespace tessera::projection
