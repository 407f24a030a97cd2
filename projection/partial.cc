#include "tessera/projection/partial.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/checked.h"
#include "tessera/projection/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Axis `axis` counts parts of `part` indices: its column is scaled, and the window holds all
// indices of a part.
absl::StatusOr<ZProjection> OverParts(const ZProjection& p, int axis, int64_t part) {
  ProjectionSpec spec = p.spec();
  for (int r = 0; r < p.tensor_rank(); ++r) {
    const int64_t a = spec.matrix(r, axis);
    if (a == 0) continue;
    if (a < 0 || p.step()[r] != 1 || a > p.shape()[r]) {
      return MakeError(ErrorCode::kNotSupported,
                       absl::StrCat("parts of an axis that moves ", p.ToString()));
    }
    const Checked stride = Checked(a) * part, width = Checked(a) * (part - 1) + p.shape()[r];
    if (!stride.ok() || !width.ok()) return OverflowError("the window of a part");
    spec.matrix(r, axis) = stride.value();
    spec.shape[r] = width.value();
  }
  spec.policy = Policy::kDrop;  // the last part may reach beyond the tensor
  return ZProjection::Create(std::move(spec));
}

// Identity on the first `rank` dimensions of the index, plus whatever else `whole` wants whole.
absl::StatusOr<ZProjection> Identity(const ZPoint& tensor, int index_rank, int rank,
                                     bool last_whole) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix(tensor.rank(), index_rank);
  spec.shape = ZPoint::Filled(tensor.rank(), 1);
  for (int d = 0; d < rank; ++d) spec.matrix(d, d) = 1;
  if (last_whole) spec.shape[tensor.rank() - 1] = tensor[tensor.rank() - 1];
  spec.extent = tensor;
  return ZProjection::Create(std::move(spec));
}

}  // namespace

absl::StatusOr<SplitReduction> CutReduction(const Signature& split, int axis, int64_t parts) {
  TESSERA_ASSIGN_OR_RETURN(axis, NormalizeDim(axis, split.index.rank()));
  if (split.axes[static_cast<size_t>(axis)].kind != AxisKind::kReduction || parts < 1) {
    return MakeError(
        ErrorCode::kNotSupported,
        absl::StrCat(parts, " parts of axis ", split.axes[static_cast<size_t>(axis)].name,
                     ", which is ", AxisKindName(split.axes[static_cast<size_t>(axis)].kind)));
  }
  if (axis != split.index.rank() - 1)
    return MakeError(ErrorCode::kNotSupported, "only the last axis can be split off");
  SplitReduction out;
  out.part = CeilDiv(split.index.extent(axis), parts);
  out.map = split;
  out.map.index = split.index.WithDim(axis, 0, parts);
  out.map.axes[static_cast<size_t>(axis)] = {"block", AxisKind::kParallel, parts};
  for (OperandAccess& operand : out.map.operands) {
    for (Access& map : operand.maps) {
      if (map->projection() == nullptr)
        return MakeError(ErrorCode::kNotSupported, "an operand without a projection");
      TESSERA_ASSIGN_OR_RETURN(ZProjection p, OverParts(*map->projection(), axis, out.part));
      map = ProjectionAccess(std::move(p));
    }
  }
  const int result_rank = axis;
  ZPoint partial = split.result_shapes[0];
  partial.push_back(parts);
  TESSERA_ASSIGN_OR_RETURN(ZProjection write,
                           Identity(partial, result_rank + 1, result_rank + 1, false));
  out.map.results = {write};
  out.map.result_shapes = {partial};
  out.combine.index = ZRange::FromShape(split.result_shapes[0]);
  out.combine.axes.assign(split.axes.begin(), split.axes.begin() + result_rank);
  TESSERA_ASSIGN_OR_RETURN(ZProjection read, Identity(partial, result_rank, result_rank, true));
  TESSERA_ASSIGN_OR_RETURN(ZProjection result,
                           Identity(split.result_shapes[0], result_rank, result_rank, false));
  out.combine.operands = {{"partial", partial, {ProjectionAccess(std::move(read))}}};
  out.combine.results = {result};
  out.combine.result_shapes = {split.result_shapes[0]};
  return out;
}

}  // namespace tessera::projection
