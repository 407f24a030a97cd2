#include "tessera/testing/projection/rewrites.h"

#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

ZPoint PartOrZero(const ProjectionSpec& spec, OffsetRole role) {
  const ZPoint& part = spec.offsets.Get(role);
  return part.rank() != 0 ? part : ZPoint::Filled(spec.matrix.rows(), 0);
}

}  // namespace

absl::StatusOr<ZProjection> ReverseIndexAxis(const ZProjection& p, int axis, int64_t extent) {
  TESSERA_ASSIGN_OR_RETURN(axis, NormalizeDim(axis, p.index_rank()));
  for (const GroupTerm& g : p.spec().groups) {
    if (g.axis == axis)
      return MakeError(ErrorCode::kNotSupported, "reversing an axis that a group divides");
  }
  ProjectionSpec spec = p.spec();
  ZPoint bounds = PartOrZero(spec, OffsetRole::kBounds);
  for (int r = 0; r < p.tensor_rank(); ++r) {
    Checked moved = Checked(bounds[r]) + Checked(spec.matrix(r, axis)) * (Checked(extent) - 1);
    Checked column = -Checked(spec.matrix(r, axis));
    if (!moved.ok() || !column.ok()) return OverflowError("a reversed axis");
    bounds[r] = moved.value();
    spec.matrix(r, axis) = column.value();
  }
  spec.offsets.Set(OffsetRole::kBounds, std::move(bounds));
  return ZProjection::Create(std::move(spec));
}

absl::StatusOr<ZProjection> FlipTensorDim(const ZProjection& p, int row, int64_t extent) {
  TESSERA_ASSIGN_OR_RETURN(row, NormalizeDim(row, p.tensor_rank()));
  if (p.dilate()[row] != 1)
    return MakeError(ErrorCode::kNotSupported, "flipping a dilated dimension");
  for (const GroupTerm& g : p.spec().groups) {
    if (g.row == row)
      return MakeError(ErrorCode::kNotSupported, "flipping a dimension that a group moves");
  }
  ProjectionSpec spec = p.spec();
  for (int c = 0; c < p.index_rank(); ++c) {
    Checked entry = -Checked(spec.matrix(row, c));
    if (!entry.ok()) return OverflowError("a flipped row");
    spec.matrix(row, c) = entry.value();
  }
  TESSERA_ASSIGN_OR_RETURN(ZPoint anchor, spec.offsets.Anchor(p.tensor_rank()));
  ZPoint bounds = PartOrZero(spec, OffsetRole::kBounds),
         relative = PartOrZero(spec, OffsetRole::kRelative);
  // The anchor goes to extent - 1 - anchor; what the other parts keep, `bounds` takes over.
  Checked moved = Checked(bounds[row]) + (Checked(extent) - 1) - Checked(2) * anchor[row];
  Checked start = -(Checked(relative[row]) + Checked(p.step()[row]) * (p.shape()[row] - 1));
  if (!moved.ok() || !start.ok()) return OverflowError("a flipped offset");
  bounds[row] = moved.value();
  relative[row] = start.value();
  spec.offsets.Set(OffsetRole::kBounds, std::move(bounds));
  spec.offsets.Set(OffsetRole::kRelative, std::move(relative));
  return ZProjection::Create(std::move(spec));
}

}  // namespace tessera::projection
