// Ways to cut a box into parts.
//
//   SplitEven(*ZRange::Create({0}, {9}), 0, 4)       // zr[0:3] zr[3:6] zr[6:9] zr[9:9]
//
// Dimensions may be counted from the end (-1 is the last); errors are kBadDim and kBadChunk.
#ifndef TESSERA_PROJECTION_SET_SPLIT_H_
#define TESSERA_PROJECTION_SET_SPLIT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/range.h"

namespace tessera::projection {

// Exactly `parts` parts by the rule of a mesh: all of ceil(extent / parts) indices until the extent
// is used up, so that late ones may be short or empty.
absl::StatusOr<std::vector<ZRange>> SplitEven(const ZRange& range, int64_t dim, int64_t parts);

// Every combination of SplitEven by parts[i] in dimension i, in row-major order of the part
// numbers.
absl::StatusOr<std::vector<ZRange>> SplitGrid(const ZRange& range, absl::Span<const int64_t> parts);

// Part `index` of SplitEven for the interval [0, extent), as {first, end}.
struct EvenPart {
  int64_t start, end;
};
EvenPart EvenPartOf(int64_t extent, int64_t parts, int64_t index);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SET_SPLIT_H_
