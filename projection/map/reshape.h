// Which cells of the operand of a reshape a block of its result needs.
//
//   // f32[4,8] reshaped to f32[32], block [5, 20):
//   ReshapeImage({4, 8}, {32}, zr[5:20])   // zr[0:1, 5:8] zr[1:2, 0:8] zr[2:3, 0:4]
#ifndef TESSERA_PROJECTION_MAP_RESHAPE_H_
#define TESSERA_PROJECTION_MAP_RESHAPE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/set/set.h"

namespace tessera::projection {

// Consecutive dimensions of operand and result that hold the same cells in the same order.
struct ReshapeGroup {
  int operand_begin, operand_end;  // dimensions, half open
  int result_begin, result_end;
};

// The finest groups, left to right; a dimension of 1 joins the group being built. Both shapes have
// equal products and no extent of 0.
std::vector<ReshapeGroup> ReshapeGroups(const ZPoint& operand, const ZPoint& result);

// The factors of a group's cells, major to minor, of which both sides are made; none when there is
// no such list, as between [4,6] and [3,8].
std::optional<ZPoint> CommonDigits(const ZPoint& operand, const ZPoint& result);

// The operand cells of a block of the result. Exact; by digits where they exist, else by runs.
// kTooLarge, kOverflow, kBadShape when the shapes do not hold equally many cells.
absl::StatusOr<ZSet> ReshapeImage(const ZPoint& operand, const ZPoint& result, const ZRange& block,
                                  int64_t limit = kDefaultLimit);

// The same through runs alone: the second opinion of the tests.
absl::StatusOr<ZSet> ReshapeImageByRuns(const ZPoint& operand, const ZPoint& result,
                                        const ZRange& block, int64_t limit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_MAP_RESHAPE_H_
