// Idea. Let first read the box y0 + [0, w1) at index x, and second read A2 y + b2 + [0, w2). Over
// the box, row r of second moves by |A2[r][c]| * (w1[c] - 1) along each dimension c, downwards
// where the coefficient is negative:
//
//   A = A2 A1       b[r] = (A2 b1 + b2)[r] + sum_c min(0, A2[r][c] * (w1[c] - 1))
//                   w[r] = w2[r] + sum_c |A2[r][c]| * (w1[c] - 1)
//
// It is a box around the cells that are read. All of its cells are if no window axis moves two
// rows, and each row stays one interval. For that its window axes are added by ascending
// coefficient (the same test as for the image of a block).
//
// Tested by projection_test.cc, point by point against enumeration.
#include "tessera/testing/projection/compose.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/map/image.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// `right` has as many rows as `left` has columns; kOverflow.
absl::StatusOr<ZMatrix> Product(const ZMatrix& left, const ZMatrix& right) {
  ZMatrix out(left.rows(), right.cols());
  for (int c = 0; c < right.cols(); ++c) {
    TESSERA_ASSIGN_OR_RETURN(ZPoint column, left.Apply(right.column(c)));
    for (int r = 0; r < left.rows(); ++r) out(r, c) = column[r];
  }
  return out;
}

absl::Status CheckRanks(const ZProjection& first, const ZProjection& second) {
  if (first.tensor_rank() == second.index_rank()) return absl::OkStatus();
  return MakeError(ErrorCode::kRankMismatch,
                   absl::StrCat("a map into rank ", first.tensor_rank(), " before a map from rank ",
                                second.index_rank()));
}

// role'' = A2 * role1 + role2 for every role. Parts under user names have nowhere to go but their
// own names.
absl::StatusOr<Offsets> ComposeOffsets(const ZProjection& first, const ZProjection& second) {
  Offsets out;
  auto through = [&](const ZPoint& part) -> absl::StatusOr<ZPoint> {
    return part.rank() == 0 ? ZPoint::Filled(second.tensor_rank(), 0) : second.matrix().Apply(part);
  };
  for (int i = 0; i < kNumOffsetRoles; ++i) {
    OffsetRole role = static_cast<OffsetRole>(i);
    TESSERA_ASSIGN_OR_RETURN(ZPoint sum, through(first.spec().offsets.Get(role)));
    const ZPoint& own = second.spec().offsets.Get(role);
    if (own.rank() != 0) {
      TESSERA_ASSIGN_OR_RETURN(sum, sum.Plus(own));
    }
    out.Set(role, std::move(sum));
  }
  for (const auto& [name, part] : first.spec().offsets.user()) {
    TESSERA_ASSIGN_OR_RETURN(ZPoint moved, through(part));
    out.AddUser(name, std::move(moved));
  }
  for (const auto& [name, part] : second.spec().offsets.user()) out.AddUser(name, part);
  return out;
}

// Adds the windows of `first` to the shape, and their downward reach to the relative offset.
absl::Status WidenByWindows(const ZProjection& first, const ZProjection& second,
                            ProjectionSpec* spec) {
  ZPoint relative = spec->offsets.Get(OffsetRole::kRelative);
  spec->shape = second.shape();
  for (int r = 0; r < second.tensor_rank(); ++r) {
    Checked width = second.shape()[r], start = relative[r];
    for (int c = 0; c < second.index_rank(); ++c) {
      Checked reach = Checked(second.matrix()(r, c)) * (first.shape()[c] - 1);
      width += reach.Abs();
      if (reach.value() < 0) start += reach;
    }
    if (!width.ok() || !start.ok()) return OverflowError("a composed window");
    spec->shape[r] = width.value();
    relative[r] = start.value();
  }
  spec->offsets.Set(OffsetRole::kRelative, std::move(relative));
  return absl::OkStatus();
}

// The one dimension of `first` that is wider than a cell and moves row r of `second`; -1 for none,
// -2 for several.
int WindowAxis(const ZProjection& first, const ZProjection& second, int r) {
  int found = -1;
  for (int c = 0; c < second.index_rank(); ++c) {
    if (first.shape()[c] > 1 && second.matrix()(r, c) != 0) found = found == -1 ? c : -2;
  }
  return found;
}

// Every row of `second` reads one cell and follows at most one window of `first`, no window feeds
// two rows.
bool StridedClosed(const ZProjection& first, const ZProjection& second) {
  std::vector<int> uses(second.index_rank(), 0);
  for (int r = 0; r < second.tensor_rank(); ++r) {
    int c = WindowAxis(first, second, r);
    if (c == -2 || (c >= 0 && (second.shape()[r] != 1 || ++uses[c] > 1))) return false;
  }
  return true;
}

absl::StatusOr<ZProjection> ComposeStrided(const ZProjection& first, const ZProjection& second) {
  ProjectionSpec spec;
  TESSERA_ASSIGN_OR_RETURN(spec.matrix, Product(second.matrix(), first.matrix()));
  TESSERA_ASSIGN_OR_RETURN(spec.offsets, ComposeOffsets(first, second));
  spec.shape = second.shape();
  spec.step = second.step();
  ZPoint relative = spec.offsets.Get(OffsetRole::kRelative);
  for (int r = 0; r < second.tensor_rank(); ++r) {
    int c = WindowAxis(first, second, r);
    if (c < 0) continue;
    Checked step = Checked(second.matrix()(r, c)) * first.step()[c];
    Checked reach = step * (first.shape()[c] - 1);
    Checked start = Checked(relative[r]) + (reach.value() < 0 ? reach : Checked(0));
    if (!start.ok() || !reach.ok() || !step.Abs().ok()) return OverflowError("a composed step");
    spec.shape[r] = first.shape()[c];
    spec.step[r] = step.Abs().value();
    relative[r] = start.value();
  }
  spec.offsets.Set(OffsetRole::kRelative, std::move(relative));
  spec.policy = second.spec().policy;
  spec.extent = second.spec().extent;
  return ZProjection::Create(std::move(spec));
}

bool WithoutBorders(const ZProjection& p) {
  return !p.spec().extent.has_value() && p.dilate() == ZPoint::Filled(p.tensor_rank(), 1) &&
         p.spec().groups.empty();
}

}  // namespace

absl::StatusOr<ZProjection> Compose(const ZProjection& first, const ZProjection& second) {
  TESSERA_RETURN_IF_ERROR(CheckRanks(first, second));
  if (!first.IsPlain() || !second.IsPlain()) {
    return MakeError(ErrorCode::kNotSupported,
                     absl::StrCat("composition of ", first.ToString(), " and ", second.ToString(),
                                  ": both must be plain"));
  }
  ProjectionSpec spec;
  TESSERA_ASSIGN_OR_RETURN(spec.matrix, Product(second.matrix(), first.matrix()));
  TESSERA_ASSIGN_OR_RETURN(spec.offsets, ComposeOffsets(first, second));
  TESSERA_RETURN_IF_ERROR(WidenByWindows(first, second, &spec));
  spec.policy = second.spec().policy;
  spec.extent = second.spec().extent;
  return ZProjection::Create(std::move(spec));
}

bool CompositionIsExact(const ZProjection& first, const ZProjection& second) {
  ZRange window = ZRange::FromShape(first.shape());
  if (!SharedAxes(second, window).empty()) return false;
  for (int r = 0; r < second.tensor_rank(); ++r) {
    absl::StatusOr<AxisSet> row = RowPositions(second, r, window);
    if (!row.ok() || !row->IsInterval()) return false;
  }
  return true;
}

absl::StatusOr<Chain> ComposeExactly(const ZProjection& first, const ZProjection& second) {
  TESSERA_RETURN_IF_ERROR(CheckRanks(first, second));
  Chain both = {first, second};
  if (!WithoutBorders(first)) return both;
  if (first.IsPlain() && second.IsPlain() && CompositionIsExact(first, second)) {
    TESSERA_ASSIGN_OR_RETURN(ZProjection one, Compose(first, second));
    return Chain{std::move(one)};
  }
  bool simple =
      second.spec().groups.empty() && second.dilate() == ZPoint::Filled(second.tensor_rank(), 1);
  if (!simple || !StridedClosed(first, second)) return both;
  TESSERA_ASSIGN_OR_RETURN(ZProjection one, ComposeStrided(first, second));
  return Chain{std::move(one)};
}

absl::StatusOr<ZSet> ImageOfChain(const Chain& chain, const ZRange& block, int64_t limit) {
  ZSet cells = ZSet::OfBox(block);
  for (const ZProjection& p : chain) {
    TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> boxes, cells.Slabs(limit));
    cells = ZSet(p.tensor_rank());
    for (const ZRange& box : boxes) {
      TESSERA_ASSIGN_OR_RETURN(ZSet image, p.Image(box, limit));
      TESSERA_ASSIGN_OR_RETURN(cells, cells.Union(image, limit));
    }
  }
  return cells;
}

}  // namespace tessera::projection
