// Blocks are high and narrow: many rows, and as few columns as make a line of the source. An
// example, 4-byte elements in memory: 64 rows x 16 columns.
//
//   source       64 lines of 64 bytes, each of another row, each read whole and at once
//   destination  16 rows of 256 bytes, written from front to back
//
// The next block is the one beside it, which reads the next lines in the same 64 pages: their
// translations are at hand, and the prefetchers of the CPU see 64 rows that go on. Squares (64 x
// 64) have as many pages in the source but four times as many in the destination, and took a tenth
// more time. In the caches pages matter less, and higher blocks save turns. For elements of 1 and 2
// bytes two lines were faster in memory than one. A loop of few adjacent elements, such as 3, makes
// a block wider, so that it still ends with a line (axis.h). The shapes were found by trial:
// docs/relayout.md has the figures.

#include "tessera/layout/relayout/blocks.h"

#include <algorithm>

#include "tessera/layout/relayout/kernels.h"
#include "tessera/layout/relayout/staging.h"

namespace tessera::layout::relayout {
namespace {

// Of a block in memory, by the place of the width of its elements: how high it is, and how many
// lines of the source it is wide.
constexpr int64_t kRows[kWidths] = {256, 256, 64, 64, 32};
constexpr int64_t kLines[kWidths] = {2, 2, 1, 1, 1};
constexpr int64_t kSideOfOthers = 16;

}  // namespace

Blocks BlocksFor(int64_t width, bool in_cache) {
  const int place = WidthPlace(width);
  const int64_t line = std::max<int64_t>(kStagedLine / width, 1);
  if (place < 0) return {{kSideOfOthers, line}, {kSideOfOthers, line}};
  if (in_cache) return {{kMostPlaces, line}, {line, line}};
  return {{kRows[place], line}, {kLines[place] * line, line}};
}

}  // namespace tessera::layout::relayout
