// A box cut into parts of given sizes.
//
//   SplitByChunk(*ZRange::Create({0}, {10}), 0, 4)   // zr[0:4] zr[4:8] zr[8:10]
//
// Dimensions may be counted from the end (-1 is the last); errors are kBadDim and kBadChunk.
#ifndef TESSERA_TESTING_PROJECTION_UNEVEN_SPLIT_H_
#define TESSERA_TESTING_PROJECTION_UNEVEN_SPLIT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/core/range.h"

namespace tessera::projection {

// Parts of `chunk` indices, the last one shorter when it must be; the box itself when `chunk`
// covers it.
absl::StatusOr<std::vector<ZRange>> SplitByChunk(const ZRange& range, int64_t dim, int64_t chunk);

// Parts with the listed sizes, which must be positive and sum to the extent.
absl::StatusOr<std::vector<ZRange>> SplitBySizes(const ZRange& range, int64_t dim,
                                                 absl::Span<const int64_t> sizes);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_UNEVEN_SPLIT_H_
