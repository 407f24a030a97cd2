// Operations that mix whole extents: a block needs all of the dimensions that are mixed, and they
// cannot be cut.
#include <algorithm>

#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::AttributeName;
using hlo::IntList;

// Operand k follows the result but for the dimensions from `first` on (counted in the operand),
// which are whole.
Rows LeadingRows(const OpContext& op, int k, int first) {
  Rows rows = op.RowsOf(k);
  for (int d = 0; d < op.OperandShape(k).rank(); ++d) d < first ? rows.Follow(d, d) : rows.Whole(d);
  return rows;
}

void MarkOpaque(int first, int end, const char* note, Signature* s) {
  for (int d = std::max(first, 0); d < end; ++d) s->axes[d].kind = AxisKind::kOpaque;
  s->exactness = Exactness::kOpaque;
  s->note = note;
}

}  // namespace

absl::Status SortRule(const OpContext& op, Signature* s) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(op.rank() - 1));
  if (op.rank() > 0) MarkOpaque(dim, dim + 1, "opaque along the sorted dimension", s);
  for (int k = 0; k < op.num_operands(); ++k) {
    Rows rows = op.RowsOf(k);
    for (int d = 0; d < op.rank(); ++d) d == dim ? rows.Whole(d) : rows.Follow(d, d);
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
  }
  return absl::OkStatus();
}

absl::Status TopKRule(const OpContext& op, Signature* s) {
  MarkOpaque(op.rank() - 1, op.rank(), "opaque along the last dimension", s);
  return op.Read(0, LeadingRows(op, 0, op.rank() - 1), s);
}

absl::Status FftRule(const OpContext& op, Signature* s) {
  const int count = static_cast<int>(op.Ints(AttributeName::kFftLength).value_or(IntList()).size());
  MarkOpaque(op.rank() - count, op.rank(), "opaque along the transformed dimensions", s);
  return op.Read(0, LeadingRows(op, 0, op.rank() - count), s);
}

absl::Status CholeskyRule(const OpContext& op, Signature* s) {
  MarkOpaque(op.rank() - 2, op.rank(), "opaque in the two minor dimensions", s);
  return op.Read(0, LeadingRows(op, 0, op.rank() - 2), s);
}

absl::Status TriangularSolveRule(const OpContext& op, Signature* s) {
  const bool left = hlo::GetBool(op.module, op.id, AttributeName::kLeftSide).value_or(false);
  const int solved = left ? op.rank() - 2 : op.rank() - 1;
  MarkOpaque(solved, solved + 1, "opaque in the matrix and along the solved dimension", s);
  op.Role(0, "a", s);
  op.Role(1, "b", s);
  TESSERA_RETURN_IF_ERROR(op.Read(0, LeadingRows(op, 0, op.rank() - 2), s));
  Rows rows = op.RowsOf(1);
  for (int d = 0; d < op.rank(); ++d) d == solved ? rows.Whole(d) : rows.Follow(d, d);
  return op.Read(1, rows, s);
}

absl::Status RngRule(const OpContext& op, Signature* s) {
  const bool stream = op.opcode() == hlo::Opcode::kRngBitGenerator;
  if (stream) {
    for (Axis& axis : s->axes) axis.kind = AxisKind::kOrdered;
    s->note = "position_dependent: a block of bits depends on its place in the stream";
  }
  for (int k = 0; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  return absl::OkStatus();
}

absl::Status OpaqueRule(const OpContext& op, Signature* s) {
  MarkOpaque(0, op.rank(), "whole operands", s);
  for (int k = 0; k < op.num_operands(); ++k) TESSERA_RETURN_IF_ERROR(op.ReadWhole(k, s));
  return absl::OkStatus();
}

}  // namespace tessera::projection
