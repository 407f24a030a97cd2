// Idea. With x = stride * q + p the offset of phase p moves by p times the axis' column, and the
// column grows by the stride. Where then all moves of a row, its window's steps too, have a common
// factor g, the row only ever meets every g-th cell: the tensor is viewed by its cells phase, phase
// + g, .. and the row divided by g.
//
//   x -> 2x, window of 2 cells 2 apart: g = 2; seen through every second cell it is q -> q, window
//   2
//
// Only where a cell outside stays outside of the view (no wrapping, no clamping, no holes). Cost:
// O(rank * axes) a phase. Tested by phases_test.cc and map_fuzz.
#include "tessera/projection/map/algebra/phases.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// What all moves of a row are multiples of; 0 for a row that does not move.
int64_t CommonFactor(const ProjectionSpec& spec, int r) {
  int64_t g = spec.shape[r] > 1 ? spec.step[r] : 0;
  for (int c = 0; c < spec.matrix.cols(); ++c) g = std::gcd(g, spec.matrix(r, c));
  for (const GroupTerm& term : spec.groups) {
    if (term.row == r) g = std::gcd(g, term.mul);
  }
  return g;
}

// Policies that leave a coordinate where it is, or drop it.
bool MayBeViewed(const ProjectionSpec& spec, int r) {
  const bool local = spec.policy == OutOfBoundsPolicy::kForbid ||
                     spec.policy == OutOfBoundsPolicy::kPad ||
                     spec.policy == OutOfBoundsPolicy::kDrop;
  return local && spec.dilate[r] == 1;
}

void DivideRow(int r, int64_t g, ProjectionSpec* spec) {
  for (int c = 0; c < spec->matrix.cols(); ++c) spec->matrix(r, c) /= g;
  for (GroupTerm& term : spec->groups) {
    if (term.row == r) term.mul /= g;
  }
  if (spec->shape[r] > 1) spec->step[r] /= g;
}

// `total`: the offset of the phase. Roles are given up: a divided part need not be whole.
absl::StatusOr<StridePhase> Viewed(ProjectionSpec spec, ZPoint total, int64_t phase,
                                   const ZRange& index) {
  StridePhase out{phase, index, ZProjection(), {}};
  for (int r = 0; r < spec.matrix.rows(); ++r) {
    const int64_t g = MayBeViewed(spec, r) ? CommonFactor(spec, r) : 1;
    DimensionView view;
    if (g > 1) {
      view = {FloorMod(total[r], g), g};
      total[r] = FloorDiv(total[r], g);
      DivideRow(r, g, &spec);
      if (spec.extent.has_value()) (*spec.extent)[r] = CeilDiv((*spec.extent)[r] - view.phase, g);
    }
    out.views.push_back(view);
  }
  spec.offsets = Offsets();
  spec.offsets.Set(OffsetRole::kView, std::move(total));
  TESSERA_ASSIGN_OR_RETURN(out.projection, ZProjection::Create(std::move(spec)));
  return out;
}

}  // namespace

absl::StatusOr<std::vector<StridePhase>> SplitPhases(const ZProjection& p, const ZRange& index,
                                                     int axis, int64_t stride) {
  if (axis < 0 || axis >= p.index_rank())
    return MakeError(ErrorCode::kBadDim, absl::StrCat("no index axis ", axis));
  if (stride < 1) return MakeError(ErrorCode::kBadChunk, absl::StrCat("a stride of ", stride));
  for (const GroupTerm& term : p.spec().groups) {
    if (term.axis == axis)
      return MakeError(ErrorCode::kNotSupported, absl::StrCat("groups along axis ", axis));
  }
  std::vector<StridePhase> phases;
  const int64_t first = index.start()[axis], last = index.end()[axis];
  for (int64_t phase = 0; phase < stride; ++phase) {
    const int64_t q_first = CeilDiv(first - phase, stride), q_end = CeilDiv(last - phase, stride);
    if (q_first >= q_end) continue;
    ProjectionSpec spec = p.spec();
    ZPoint total = p.offset();
    for (int r = 0; r < p.tensor_rank(); ++r) {
      const Checked offset = Checked(total[r]) + Checked(p.matrix()(r, axis)) * phase;
      const Checked column = Checked(p.matrix()(r, axis)) * stride;
      if (!offset.ok() || !column.ok()) return OverflowError("a phase of a projection");
      total[r] = offset.value();
      spec.matrix(r, axis) = column.value();
    }
    TESSERA_ASSIGN_OR_RETURN(StridePhase one, Viewed(std::move(spec), std::move(total), phase,
                                                     index.WithDim(axis, q_first, q_end)));
    phases.push_back(std::move(one));
  }
  return phases;
}

absl::StatusOr<ZSet> ThroughView(const std::vector<DimensionView>& views, const ZSet& cells,
                                 int64_t limit) {
  ProjectionSpec spec;
  ZPoint strides, starts;
  for (const DimensionView& view : views) {
    strides.push_back(view.stride);
    starts.push_back(view.phase);
  }
  spec.matrix = ZMatrix::Diagonal(strides);
  spec.offsets.Set(OffsetRole::kView, starts);
  TESSERA_ASSIGN_OR_RETURN(const ZProjection view, ZProjection::Create(std::move(spec)));
  ZSet out(cells.rank());
  TESSERA_ASSIGN_OR_RETURN(const std::vector<ZRange> boxes, cells.Slabs(limit));
  for (const ZRange& box : boxes) {
    TESSERA_ASSIGN_OR_RETURN(const ZSet image, view.Image(box, limit));
    TESSERA_ASSIGN_OR_RETURN(out, out.Union(image, limit));
  }
  return out;
}

absl::StatusOr<ZPoint> FusedIndex(const StridePhase& phase, int axis, int64_t stride,
                                  const ZPoint& q) {
  const Checked x = Checked(q[axis]) * stride + phase.phase;
  if (!x.ok()) return OverflowError("an index");
  ZPoint index = q;
  index[axis] = x.value();
  return index;
}

}  // namespace tessera::projection
