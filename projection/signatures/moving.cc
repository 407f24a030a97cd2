// Operations that move cells without computing: each result cell is one operand cell, at an affine
// place.
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {

using hlo::AttributeName;
using hlo::IntList;

absl::Status BroadcastRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  const IntList dims = op.Ints(AttributeName::kDimensions).value_or(IntList());
  for (size_t i = 0; i < dims.size(); ++i)
    rows.Follow(static_cast<int>(i), static_cast<int>(dims[i]));
  return op.Read(0, rows, s);
}

absl::Status TransposeRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  const IntList p = op.Ints(AttributeName::kDimensions).value_or(IntList());
  for (size_t o = 0; o < p.size(); ++o) rows.Follow(static_cast<int>(p[o]), static_cast<int>(o));
  return op.Read(0, rows, s);
}

absl::Status ReverseRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
  for (int64_t d : op.Ints(AttributeName::kDimensions).value_or(IntList())) {
    rows.Follow(static_cast<int>(d), static_cast<int>(d), -1);
    rows.Offset(OffsetRole::kBounds, static_cast<int>(d),
                d < op.rank() ? op.result[static_cast<int>(d)] - 1 : 0);
  }
  return op.Read(0, rows, s);
}

absl::Status SliceRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  const std::vector<hlo::SliceDimension> dims = hlo::GetSlice(op.module, op.id);
  for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
    rows.Follow(d, d, dims[d].stride).Offset(OffsetRole::kView, d, dims[d].start);
  }
  return op.Read(0, rows, s);
}

absl::Status PadRule(const OpContext& op, Signature* s) {
  Rows rows = op.RowsOf(0);
  const std::vector<hlo::PaddingDimension> dims = hlo::GetPadding(op.module, op.id);
  for (int d = 0; d < static_cast<int>(dims.size()); ++d) {
    rows.Follow(d, d)
        .Offset(OffsetRole::kPad, d, -dims[d].low)
        .Window(d, 1, 1, dims[d].interior + 1);
  }
  rows.Outside(OutOfBoundsPolicy::kDrop);
  TESSERA_RETURN_IF_ERROR(op.Read(0, rows, s));
  op.Role(1, "padding", s);
  TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
  return op.Read(1, PaddingAccess(std::move(p)), s);
}

absl::Status ConcatenateRule(const OpContext& op, Signature* s) {
  const int dim = static_cast<int>(hlo::GetDimension(op.module, op.id).value_or(0));
  int64_t before = 0;
  for (int k = 0; k < op.num_operands(); ++k) {
    Rows rows = op.RowsOf(k);
    for (int d = 0; d < op.rank(); ++d) rows.Follow(d, d);
    rows.Offset(OffsetRole::kView, dim, -before).Outside(OutOfBoundsPolicy::kDrop);
    TESSERA_RETURN_IF_ERROR(op.Read(k, rows, s));
    before += dim < op.OperandShape(k).rank() ? op.OperandShape(k).dim(dim) : 0;
  }
  return absl::OkStatus();
}

}  // namespace tessera::projection
