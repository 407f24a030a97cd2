#include "tessera/testing/layout/small_layouts.h"

#include <algorithm>

namespace tessera::layout {
namespace {

// Puts each of `values` in front of each of `lists`.
std::vector<std::vector<int64_t>> Prepend(const std::vector<int64_t>& values,
                                          const std::vector<std::vector<int64_t>>& lists) {
  std::vector<std::vector<int64_t>> longer;
  for (int64_t value : values) {
    for (const std::vector<int64_t>& list : lists) {
      longer.push_back({value});
      longer.back().insert(longer.back().end(), list.begin(), list.end());
    }
  }
  return longer;
}

std::vector<int64_t> Range(int64_t least, int64_t most) {
  std::vector<int64_t> values;
  for (int64_t value = least; value <= most; ++value) values.push_back(value);
  return values;
}

}  // namespace

std::vector<Tile> SmallTiles(int64_t rank, int64_t size) {
  std::vector<int64_t> entries = Range(1, size);
  std::vector<std::vector<int64_t>> lists = Prepend(entries, {{}});
  entries.push_back(Tile::kCombine);
  std::vector<Tile> tiles;
  for (int64_t r = 1; r <= rank; ++r) {
    for (const auto& list : lists) tiles.push_back(Tile{{list.begin(), list.end()}});
    lists = Prepend(entries, lists);
  }
  return tiles;
}

std::vector<std::vector<int64_t>> SmallDims(int64_t rank, int64_t least, int64_t most) {
  std::vector<std::vector<int64_t>> all;
  std::vector<std::vector<int64_t>> lists = {{}};
  for (int64_t r = 0; r <= rank; ++r) {
    all.insert(all.end(), lists.begin(), lists.end());
    lists = Prepend(Range(least, most), lists);
  }
  return all;
}

std::vector<Layout> AllOrders(int64_t rank) {
  std::vector<Layout> layouts;
  Layout layout = Layout::Ascending(rank);
  do {
    layouts.push_back(layout);
  } while (std::next_permutation(layout.minor_to_major.begin(), layout.minor_to_major.end()));
  return layouts;
}

}  // namespace tessera::layout
