// How often a block reads: (index, window cell) pairs, each counted, where a set counts each cell
// once.
//
//   // 4 windows of 3 over 4 cells with one pad cell on each side
//   CountReads(p, zr[0:4])   // {reads 10, pad_reads 2}
#ifndef TESSERA_PROJECTION_MAP_READS_H_
#define TESSERA_PROJECTION_MAP_READS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

struct ReadCount {
  int64_t reads;      // pairs that land on a cell
  int64_t pad_reads;  // pairs that read the padding value; only under OutOfBoundsPolicy::kPad
};

// kOutOfBounds where the policy forbids a read, kTooLarge when axes that move several rows have to
// be enumerated beyond `limit` indices. Rows of one axis are counted in time proportional to the
// window.
absl::StatusOr<ReadCount> CountReads(const ZProjection& p, const ZRange& block,
                                     int64_t limit = 1 << 20);

// Pairs (x, k) with x in [first, end), 0 <= k < count and a x + b + step k a multiple of `dilate`
// inside [0, dilate * extent). These are the taps of one dimension of a convolution that hit a
// cell.
absl::StatusOr<int64_t> CountTaps(int64_t a, int64_t b, int64_t step, int64_t count, int64_t dilate,
                                  int64_t extent, int64_t first, int64_t end);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_READS_H_
