#include "tessera/testing/projection/write_check.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Some row that this axis alone moves steps over its whole window.
bool SeparatedByOwnRow(const ZProjection& p, int axis) {
  for (int r = 0; r < p.tensor_rank(); ++r) {
    int64_t a = p.matrix()(r, axis);
    bool own = p.matrix().SingleColumn(r) == axis && p.spec().groups.empty();
    if (own && p.step()[r] == 1 && (a >= p.shape()[r] || -a >= p.shape()[r])) return true;
  }
  return false;
}

absl::Status CheckRank(absl::string_view what, int rank, int expected) {
  if (rank == expected) return absl::OkStatus();
  return MakeError(ErrorCode::kRankMismatch,
                   absl::StrCat(what, " has rank ", rank, ", not ", expected));
}

}  // namespace

absl::Status CheckInjective(const ZProjection& p, const ZRange& index) {
  bool separated = true;
  for (int c = 0; c < index.rank(); ++c)
    separated &= index.extent(c) <= 1 || SeparatedByOwnRow(p, c);
  if (separated) return absl::OkStatus();
  // Apart exactly when nothing is counted twice: cells of the image against cells of all regions.
  Checked written = 1;
  for (int c = 0; c < index.rank(); ++c) written *= index.extent(c);
  for (int64_t w : p.shape()) written *= w;
  if (!written.ok()) return OverflowError("the cells that a range of indices writes");
  TESSERA_ASSIGN_OR_RETURN(ZSet image, p.Image(index));
  TESSERA_ASSIGN_OR_RETURN(int64_t cells, image.size());
  if (cells == written.value()) return absl::OkStatus();
  return MakeError(ErrorCode::kNotInjective,
                   absl::StrCat(p.ToString(), " writes ", written.value(), " cells over ",
                                index.ToString(), ", but only ", cells, " different ones"));
}

absl::Status CheckCovering(const ZProjection& p, const ZRange& index, const ZPoint& shape) {
  TESSERA_RETURN_IF_ERROR(CheckInjective(p, index));
  TESSERA_ASSIGN_OR_RETURN(ZSet image, p.Image(index));
  if (image == ZSet::OfBox(ZRange::FromShape(shape))) return absl::OkStatus();
  return MakeError(ErrorCode::kNotCovering, absl::StrCat("the regions of ", index.ToString(),
                                                         " do not make up ", ShapeText(shape)));
}

absl::Status CheckSignature(const Signature& s) {
  TESSERA_RETURN_IF_ERROR(
      CheckRank("the list of axes", static_cast<int>(s.axes.size()), s.index.rank()));
  for (const OperandAccess& operand : s.operands) {
    for (const Access& map : operand.maps) {
      if (map->projection() == nullptr) continue;
      TESSERA_RETURN_IF_ERROR(
          CheckRank("an operand's map", map->projection()->index_rank(), s.index.rank()));
      TESSERA_RETURN_IF_ERROR(
          CheckRank("an operand's region", map->projection()->tensor_rank(), operand.shape.rank()));
    }
  }
  for (size_t k = 0; k < s.results.size() && !s.index.empty(); ++k) {
    // An axis that moves no row of the result adds to one cell: partial results, which the combine
    // stage makes one of.
    ZRange writing = s.index;
    for (int c = 0; c < s.index.rank(); ++c) {
      const bool adds =
          s.axes[c].kind != AxisKind::kParallel && s.results[k].matrix().IsZeroColumn(c);
      if (adds) writing = writing.WithDim(c, writing.start()[c], writing.start()[c] + 1);
    }
    TESSERA_RETURN_IF_ERROR(CheckCovering(s.results[k], writing, s.result_shapes[k]));
  }
  return absl::OkStatus();
}

}  // namespace tessera::projection
