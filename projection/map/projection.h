// ZProjection: which cells of a tensor one index of an operation reads or writes.
//
//   region(x) = { A x + b + groups(x) + step .* k : 0 <= k < shape }
//
// after which, in each dimension, only multiples of `dilate` remain and are divided by it, and the
// policy decides about cells outside the tensor. A 3x3 window centred on its cell, in a tensor of
// 8x8 with zeros around it:
//
//   ProjectionSpec spec;
//   spec.matrix = ZMatrix::Identity(2);
//   spec.offsets.Set(OffsetRole::kRelative, {-1, -1});
//   spec.shape = {3, 3};
//   spec.policy = OutOfBoundsPolicy::kPad;
//   spec.extent = ZPoint{8, 8};
//   absl::StatusOr<ZProjection> window = ZProjection::Create(spec);
//   *window->Region({0, 0})                           // zr[-1:2, -1:2], as the map says
//   *window->Image(*ZRange::Create({0, 0}, {4, 4}))   // zr[0:5, 0:5], cells only
//
// With step = dilate = 1 and no groups a projection is *plain*: the triple (matrix, offset, shape).
// Every region of a projection has the same shape, and is not empty before the policy.
#ifndef TESSERA_PROJECTION_MAP_PROJECTION_H_
#define TESSERA_PROJECTION_MAP_PROJECTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/core/affine_map.h"
#include "tessera/projection/core/range.h"
#include "tessera/projection/map/offsets.h"
#include "tessera/projection/map/policy.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

// Adds mul * floor(x[axis] / div) to a row: which group of features an output feature belongs to.
struct GroupTerm {
  int row, axis;
  int64_t div, mul;
  friend bool operator==(const GroupTerm& a, const GroupTerm& b) {
    return a.row == b.row && a.axis == b.axis && a.div == b.div && a.mul == b.mul;
  }
};

// The parts of a projection. `shape`, `step` and `dilate` of rank 0 mean ones.
struct ProjectionSpec {
  ZMatrix matrix;
  Offsets offsets;
  ZPoint shape, step, dilate;
  std::vector<GroupTerm> groups;
  OutOfBoundsPolicy policy = OutOfBoundsPolicy::kForbid;
  std::optional<ZPoint>
      extent;  // of the tensor; none: the tensor has no borders and the policy is not asked
};

class ZProjection {
 public:
  ZProjection() = default;  // from the one index of rank 0 to the one cell of a scalar
  // kRankMismatch, kBadShape, kBadStep, kBadDim (a group), kOverflow.
  static absl::StatusOr<ZProjection> Create(ProjectionSpec spec);
  // A plain one without borders, the offset wholly in role `bounds`.
  static absl::StatusOr<ZProjection> Plain(ZMatrix matrix, ZPoint offset, ZPoint shape);

  int index_rank() const { return map_.input_rank(); }
  int tensor_rank() const { return map_.output_rank(); }
  const ZAffineMap& map() const { return map_; }  // with the total offset
  const ZMatrix& matrix() const { return map_.matrix(); }
  const ZPoint& offset() const { return map_.offset(); }
  const ZPoint& shape() const { return spec_.shape; }
  const ZPoint& step() const { return spec_.step; }
  const ZPoint& dilate() const { return spec_.dilate; }
  const ProjectionSpec& spec() const { return spec_; }
  bool IsPlain() const;
  // Axis c or a group on it moves row r.
  bool Depends(int r, int c) const;

  // The place of the first cell, and the box from it to the last one, before dilation and policy.
  absl::StatusOr<ZPoint> Start(const ZPoint& index) const;
  absl::StatusOr<ZRange> Region(const ZPoint& index) const;
  // The tight box around the regions of a block, before dilation and policy; for an empty block the
  // empty box at the map of its start. Each row takes its own corner of the block, by the signs of
  // its coefficients.
  absl::StatusOr<ZRange> UnclippedBounding(const ZRange& block) const;

  // The cells that a block reads, exactly: dilation and policy applied. kTooLarge, kOutOfBounds.
  absl::StatusOr<ZSet> Image(const ZRange& block, int64_t limit = kDefaultLimit) const;
  // The box around Image(block); none when the block reads no cell.
  absl::StatusOr<std::optional<ZRange>> Bounding(const ZRange& block) const;

  // "ipf(affineMap=λx.[[1,0],[0,2]]⋅x + [-1,0], shape=[1, 2])", with step and dilate when they are
  // not all ones.
  std::string ToString() const;

  // Equal totals, anchors, windows and borders; how an anchor is split into parts does not count.
  friend bool operator==(const ZProjection& a, const ZProjection& b);
  friend bool operator!=(const ZProjection& a, const ZProjection& b) { return !(a == b); }

 private:
  ProjectionSpec spec_;
  ZAffineMap map_;
  ZPoint anchor_;  // the total offset without the relative part
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_PROJECTION_H_
