#include "tessera/projection/map/projection.h"

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/image.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::Status CheckList(absl::string_view what, const ZPoint& list, int rank, ErrorCode too_small) {
  if (list.rank() != rank) {
    return MakeError(ErrorCode::kRankMismatch,
                     absl::StrCat("projection rank ", rank, " != ", what, " rank ", list.rank()));
  }
  for (int64_t value : list) {
    if (value < 1)
      return MakeError(too_small,
                       absl::StrCat(what, " ", list.ToString(), " must be at least 1 everywhere"));
  }
  return absl::OkStatus();
}

absl::Status CheckGroup(const GroupTerm& g, const ZMatrix& m) {
  if (g.row < 0 || g.row >= m.rows() || g.axis < 0 || g.axis >= m.cols()) {
    return MakeError(ErrorCode::kBadDim,
                     absl::StrCat("group of row ", g.row, " and axis ", g.axis, " in a matrix of ",
                                  m.rows(), " rows and ", m.cols(), " columns"));
  }
  if (g.div < 1)
    return MakeError(ErrorCode::kBadStep,
                     absl::StrCat("group divisor ", g.div, " must be at least 1"));
  return absl::OkStatus();
}

// Rank 0 stands for ones.
void FillOnes(int rank, ZPoint* list) {
  if (list->rank() == 0) *list = ZPoint::Filled(rank, 1);
}

bool AllOnes(const ZPoint& list) { return list == ZPoint::Filled(list.rank(), 1); }

}  // namespace

absl::StatusOr<ZProjection> ZProjection::Create(ProjectionSpec spec) {
  int rank = spec.matrix.rows();
  FillOnes(rank, &spec.shape);
  FillOnes(rank, &spec.step);
  FillOnes(rank, &spec.dilate);
  TESSERA_RETURN_IF_ERROR(CheckList("shape", spec.shape, rank, ErrorCode::kBadShape));
  TESSERA_RETURN_IF_ERROR(CheckList("step", spec.step, rank, ErrorCode::kBadStep));
  TESSERA_RETURN_IF_ERROR(CheckList("dilation", spec.dilate, rank, ErrorCode::kBadStep));
  for (const GroupTerm& g : spec.groups) TESSERA_RETURN_IF_ERROR(CheckGroup(g, spec.matrix));
  if (spec.extent.has_value() && spec.extent->rank() != rank) {
    return MakeError(
        ErrorCode::kRankMismatch,
        absl::StrCat("projection rank ", rank, " != tensor rank ", spec.extent->rank()));
  }
  ZProjection p;
  TESSERA_ASSIGN_OR_RETURN(ZPoint total, spec.offsets.Total(rank));
  TESSERA_ASSIGN_OR_RETURN(p.anchor_, spec.offsets.Anchor(rank));
  TESSERA_ASSIGN_OR_RETURN(p.map_, ZAffineMap::Create(spec.matrix, std::move(total)));
  p.spec_ = std::move(spec);
  return p;
}

absl::StatusOr<ZProjection> ZProjection::Plain(ZMatrix matrix, ZPoint offset, ZPoint shape) {
  TESSERA_RETURN_IF_ERROR(ZAffineMap::Create(matrix, offset).status());
  TESSERA_RETURN_IF_ERROR(CheckList("shape", shape, matrix.rows(), ErrorCode::kBadShape));
  ProjectionSpec spec;
  spec.matrix = std::move(matrix);
  spec.offsets.Set(OffsetRole::kBounds, std::move(offset));
  spec.shape = std::move(shape);
  return Create(std::move(spec));
}

bool ZProjection::IsPlain() const {
  return AllOnes(spec_.step) && AllOnes(spec_.dilate) && spec_.groups.empty();
}

bool ZProjection::Depends(int r, int c) const {
  if (matrix()(r, c) != 0) return true;
  for (const GroupTerm& g : spec_.groups) {
    if (g.row == r && g.axis == c && g.mul != 0) return true;
  }
  return false;
}

absl::StatusOr<ZPoint> ZProjection::Start(const ZPoint& index) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint start, map_.Apply(index));
  for (const GroupTerm& g : spec_.groups) {
    Checked moved = Checked(start[g.row]) + Checked(g.mul) * FloorDiv(index[g.axis], g.div);
    if (!moved.ok()) return OverflowError("a group term");
    start[g.row] = moved.value();
  }
  return start;
}

absl::StatusOr<ZRange> ZProjection::Region(const ZPoint& index) const {
  TESSERA_ASSIGN_OR_RETURN(ZPoint start, Start(index));
  ZPoint end = start;
  for (int r = 0; r < tensor_rank(); ++r) {
    Checked last = Checked(start[r]) + Checked(step()[r]) * (shape()[r] - 1) + 1;
    if (!last.ok()) return OverflowError("the end of a region");
    end[r] = last.value();
  }
  return ZRange::Create(std::move(start), std::move(end));
}

absl::StatusOr<ZRange> ZProjection::UnclippedBounding(const ZRange& block) const {
  if (block.rank() != index_rank()) {
    return MakeError(
        ErrorCode::kRankMismatch,
        absl::StrCat("block ", block.ToString(), " for an index space of rank ", index_rank()));
  }
  if (block.empty()) {
    TESSERA_ASSIGN_OR_RETURN(ZPoint at, Start(block.start()));
    return ZRange::Create(at, at);
  }
  ZPoint low, high;
  for (int r = 0; r < tensor_rank(); ++r) {
    TESSERA_ASSIGN_OR_RETURN(Interval row, RowSpan(*this, r, block));
    low.push_back(row.first);
    high.push_back(row.end);
  }
  return ZRange::Create(std::move(low), std::move(high));
}

absl::StatusOr<ZSet> ZProjection::Image(const ZRange& block, int64_t limit) const {
  return ImageOfBlock(*this, block, limit);
}

absl::StatusOr<std::optional<ZRange>> ZProjection::Bounding(const ZRange& block) const {
  return BoundingOfBlock(*this, block);
}

std::string ZProjection::ToString() const {
  std::string out = absl::StrCat("ipf(affineMap=", map_.ToString(), ", shape=", shape().ToString());
  if (!AllOnes(step())) absl::StrAppend(&out, ", step=", step().ToString());
  if (!AllOnes(dilate())) absl::StrAppend(&out, ", dilate=", dilate().ToString());
  return absl::StrCat(out, ")");
}

bool operator==(const ZProjection& a, const ZProjection& b) {
  return a.map_ == b.map_ && a.anchor_ == b.anchor_ && a.shape() == b.shape() &&
         a.step() == b.step() && a.dilate() == b.dilate() && a.spec_.groups == b.spec_.groups &&
         a.spec_.policy == b.spec_.policy && a.spec_.extent == b.spec_.extent;
}

}  // namespace tessera::projection
