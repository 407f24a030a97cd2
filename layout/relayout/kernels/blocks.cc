// Blocks are high and narrow: many rows, and as few columns as make a line of the source. An
// example, 4-byte elements that the second cache does not hold: 64 rows x 16 columns.
//
//   source       64 lines of 64 bytes, each of another row, each read whole and at once
//   destination  16 rows of 256 bytes, written from front to back
//
// The next block is the one beside it, which reads the next lines in the same 64 pages: their
// translations are at hand. Squares (64 x 64) have as many pages in the source but four times as
// many in the destination, and took a tenth more time. In the second cache higher blocks save
// turns. In memory a row is read faster by four lines than by one: there blocks are square again,
// if elements have 4 bytes. For elements of 1 and 2 bytes two lines were faster than one.
//
// A loop of few adjacent elements, such as 3, makes a block wider, so that it still ends with a
// line (axis.h). The shapes were found by trial.

#include "tessera/layout/relayout/kernels/blocks.h"

#include <algorithm>

#include "tessera/layout/relayout/kernels/kernels.h"
#include "tessera/layout/relayout/kernels/staging.h"

namespace tessera::layout::relayout {
namespace {

// Blocks outside of the second cache, by the place of the width of the elements: their rows, and
// their width in lines of the source, in the last cache and in memory.
constexpr int64_t kRows[kWidths] = {256, 256, 64, 64, 32};
constexpr int64_t kLines[kWidths] = {2, 2, 1, 1, 1};
constexpr int64_t kLinesInMemory = 4;
constexpr int64_t kSideOfOthers = 16;

}  // namespace

Blocks BlocksFor(int64_t width, WorkingSetLevel room) {
  const int place = WidthPlace(width);
  const int64_t line = std::max<int64_t>(kStagedLine / width, 1);
  if (place < 0) return {{kSideOfOthers, line}, {kSideOfOthers, line}};
  if (room == WorkingSetLevel::kSecondCache) return {{kMaxPlaces, line}, {line, line}};
  const int64_t lines = room == WorkingSetLevel::kMemory ? kLinesInMemory : kLines[place];
  return {{kRows[place], line}, {lines * line, line}};
}

}  // namespace tessera::layout::relayout
