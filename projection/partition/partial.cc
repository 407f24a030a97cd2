// Idea. In the map stage the reduction axis counts parts. Its column is scaled by the length t of a
// part. The window of a row that it moves holds the t indices of a part. The last part may reach
// beyond the tensor, where there is no cell. The partial tensor is the result with one dimension
// more, written along that axis; the combine stage reads that dimension whole.
//
//   sum of 10 cells in 3 parts: t = 4, part 2 reads [8, 12) of 10, that is two cells
//
// Cost: O(rank * axes). Tested by shards_test.cc (PartialTest).
#include "tessera/projection/partition/partial.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
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
  spec.policy = OutOfBoundsPolicy::kDrop;  // the last part may reach beyond the tensor
  return ZProjection::Create(std::move(spec));
}

// Row d of a tensor of these dimensions is axis d of an index of as many axes; dimensions beyond
// are whole.
absl::StatusOr<ZProjection> AxisByAxis(const ZPoint& tensor, int index_rank) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix(tensor.rank(), index_rank);
  spec.shape = ZPoint::Filled(tensor.rank(), 1);
  for (int d = 0; d < tensor.rank(); ++d) {
    if (d < index_rank) spec.matrix(d, d) = 1;
    if (d >= index_rank) spec.shape[d] = tensor[d];
  }
  spec.extent = tensor;
  return ZProjection::Create(std::move(spec));
}

// The write of the result, with one dimension more: the part, which `axis` counts.
absl::StatusOr<ZProjection> WritePartial(const ZProjection& result, const ZPoint& partial,
                                         int axis) {
  ZMatrix matrix(partial.rank(), result.index_rank());
  for (int r = 0; r < result.tensor_rank(); ++r) {
    for (int c = 0; c < result.index_rank(); ++c) matrix(r, c) = result.matrix()(r, c);
  }
  matrix(partial.rank() - 1, axis) = 1;
  ProjectionSpec out;
  out.matrix = std::move(matrix);
  out.shape = ZPoint::Filled(partial.rank(), 1);
  out.extent = partial;
  return ZProjection::Create(std::move(out));
}

absl::StatusOr<Signature> MapStage(const Signature& split, int axis, int64_t parts,
                                   const ZPoint& partial) {
  const int64_t part = CeilDiv(split.index.extent(axis), parts);
  Signature map = split;
  map.index = split.index.WithDim(axis, 0, parts);
  map.axes[static_cast<size_t>(axis)] = {"block", AxisKind::kParallel, parts};
  for (OperandAccess& operand : map.operands) {
    for (Access& access : operand.maps) {
      if (access->projection() == nullptr)
        return MakeError(ErrorCode::kNotSupported, "an operand without a projection");
      TESSERA_ASSIGN_OR_RETURN(ZProjection p, OverParts(*access->projection(), axis, part));
      access = ProjectionAccess(std::move(p));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(ZProjection write, WritePartial(split.results[0], partial, axis));
  map.results = {std::move(write)};
  map.result_shapes = {partial};
  return map;
}

absl::StatusOr<Signature> CombineStage(const Signature& split, const ZPoint& partial) {
  const ZPoint& result = split.result_shapes[0];
  Signature combine;
  combine.index = ZRange::FromShape(result);
  for (int d = 0; d < result.rank(); ++d)
    combine.axes.push_back({absl::StrCat("d", d), AxisKind::kParallel, result[d]});
  TESSERA_ASSIGN_OR_RETURN(ZProjection read, AxisByAxis(partial, result.rank()));
  TESSERA_ASSIGN_OR_RETURN(ZProjection write, AxisByAxis(result, result.rank()));
  combine.operands = {{"partial", partial, {ProjectionAccess(std::move(read))}}};
  combine.results = {std::move(write)};
  combine.result_shapes = {result};
  return combine;
}

}  // namespace

absl::StatusOr<SplitReduction> CutReduction(const Signature& split, int axis, int64_t parts) {
  TESSERA_ASSIGN_OR_RETURN(axis, NormalizeDim(axis, split.index.rank()));
  const Axis& cut = split.axes[static_cast<size_t>(axis)];
  if (cut.kind != AxisKind::kReduction || parts < 1) {
    return MakeError(ErrorCode::kNotSupported, absl::StrCat(parts, " parts of axis ", cut.name,
                                                            ", which is ", AxisKindName(cut.kind)));
  }
  ZPoint partial = split.result_shapes[0];
  partial.push_back(parts);
  SplitReduction out;
  out.part = CeilDiv(split.index.extent(axis), parts);
  TESSERA_ASSIGN_OR_RETURN(out.map, MapStage(split, axis, parts, partial));
  TESSERA_ASSIGN_OR_RETURN(out.combine, CombineStage(split, partial));
  return out;
}

}  // namespace tessera::projection
