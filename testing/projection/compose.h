// One projection after another: what an index reads through an operation in between.
//
//   absl::StatusOr<ZProjection> both = Compose(first, second);    // the box around it
//   CompositionIsExact(first, second)                             // whether the box is the set
//   absl::StatusOr<Chain> chain = ComposeExactly(first, second);  // one projection, or two
//   absl::StatusOr<ZSet> cells = ImageOfChain(*chain, block);
//
// Policies do not compose: in a chain the inner policy is applied first.
#ifndef TESSERA_TESTING_PROJECTION_COMPOSE_H_
#define TESSERA_TESTING_PROJECTION_COMPOSE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

// The region of `second` over the whole region of `first`, as its tight bounding box at every
// index. Both plain, first without borders. Parts of the offset add up role by role; the correction
// for negative coefficients goes to `relative`. kRankMismatch, kOverflow, kNotSupported for what is
// not plain.
absl::StatusOr<ZProjection> Compose(const ZProjection& first, const ZProjection& second);

// The composed box has no cell that is not read, at any index.
bool CompositionIsExact(const ZProjection& first, const ZProjection& second);

using Chain = std::vector<ZProjection>;

// A chain with the same image as `second` after `first`: of length 1 where the composition is again
// a projection (exactly plain, or strided when each row of `second` has at most one window axis and
// reads one cell), else both.
absl::StatusOr<Chain> ComposeExactly(const ZProjection& first, const ZProjection& second);

// The image of a block through a chain, factor by factor.
absl::StatusOr<ZSet> ImageOfChain(const Chain& chain, const ZRange& block,
                                  int64_t limit = kDefaultLimit);

}  // namespace tessera::projection

#endif  // TESSERA_TESTING_PROJECTION_COMPOSE_H_
