// File: projection/map/algebra/phases.h
//
// A strided operation as several dense ones: an index axis x becomes (q, p) with x = stride * q +
// p, and for each phase p the tensors are looked at through strided views in which nothing is
// skipped.
//
//   // x -> 2x, window of 2 cells two apart (stride 2, window dilation 2)
//   absl::StatusOr<std::vector<StridePhase>> phases = SplitPhases(p, index, 0, 1);
//   (*phases)[0].views[0]          // every second cell, from cell 0
//   (*phases)[0].projection        // q -> q, window of 2 neighbours
//
// Law: the cells that a block of a phase reads through its views are those that the indices it
// stands for read in the tensor. Where a window dilation equals the stride, shards of one phase
// share data and phases share nothing, so that cutting by phase needs no halo.
#ifndef TESSERA_PROJECTION_MAP_ALGEBRA_PHASES_H_
#define TESSERA_PROJECTION_MAP_ALGEBRA_PHASES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

// Cells phase, phase + stride, .. of a dimension; stride 1 and phase 0 is all of it.
struct DimensionView {
  int64_t phase = 0, stride = 1;
};

struct StridePhase {
  int64_t phase;
  ZRange index;                      // the axis counts q
  ZProjection projection;            // onto the view
  std::vector<DimensionView> views;  // of each tensor dimension
};

// One for each phase that has indices. `stride` >= 1. kBadDim, kBadChunk, kOverflow; kNotSupported
// for groups on the axis.
absl::StatusOr<std::vector<StridePhase>> SplitPhases(const ZProjection& p, const ZRange& index,
                                                     int axis, int64_t stride);

// Cells of a view as cells of the tensor.
absl::StatusOr<ZSet> ThroughView(const std::vector<DimensionView>& views, const ZSet& cells,
                                 int64_t limit = kDefaultLimit);

// The index that (q, phase) stands for: q with stride * q + phase in place of the axis.
absl::StatusOr<ZPoint> FusedIndex(const StridePhase& phase, int axis, int64_t stride,
                                  const ZPoint& q);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_ALGEBRA_PHASES_H_
