// From two layouts to loop nests.
//
//   f32[129,300] {1,0} -> {1,0:T(8,128)}: rows are 16 eights and one more, columns two times 128
//   and 44 more, so there are four pieces, such as the first: (16 x 8) x (2 x 128).
//
// Each piece is a part of the index space in which source and destination are sums of strides.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_PIECES_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_PIECES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "tessera/layout/regular_form.h"
#include "tessera/layout/relayout/plan/nest.h"

namespace tessera::layout::relayout {

// A plan with more pieces than this is not made.
inline constexpr int64_t kMaxPieces = 1024;
// Longest period of two tilings of a dimension that do not divide each other.
inline constexpr int64_t kLongestPeriod = 4096;

struct Sides {
  absl::Span<const int64_t> dims;  // of the source
  absl::Span<const int64_t> perm;  // destination dimension i is source dimension perm[i]
  const RegularForm* src = nullptr;
  const RegularForm* dst = nullptr;
};

// Nests whose strides count elements (their bits are left alone), not cleaned up. Nothing if there
// would be too many. No dimension is 0.
std::optional<std::vector<Nest>> PiecesOf(const Sides& sides);

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_PIECES_H_
