#include "tessera/layout/tpu_layout.h"

#include <algorithm>
#include <utility>

#include "tessera/layout/element_type.h"
#include "tessera/layout/layout.h"
#include "tessera/layout/tile.h"
#include "tessera/text/checked.h"

namespace tessera::layout {
namespace {

constexpr int64_t kLanes = 128, kRows = 8, kWordBits = 32;
constexpr int64_t kLongestTile = 1024;  // elements of an array of one dimension
constexpr int64_t kPackedWhole = 4;     // from so many elements a word on, tiles may be taller

Checked RoundUp(int64_t n, int64_t unit) { return (Checked(n / unit) + (n % unit != 0)) * unit; }

// Elements that share a word: 2 of 16 bits, 4 of 8.
int64_t PackedOf(const Shape& array) {
  const int bits = array.element_type() == ElementType::kPred ? 8 : BitWidth(array.element_type());
  return std::max<int64_t>(1, kWordBits / std::max(1, bits));
}

// Rows of the tile over a second minor dimension of that size, as far as padding goes.
int64_t FewestRows(int64_t size, int64_t packed) {
  int64_t rows = packed;
  while (rows < size && rows < kRows) rows *= 2;
  return rows;
}

int64_t TileRows(int64_t size, int64_t packed) {
  const int64_t whole = kRows * packed;
  const bool is_whole = packed >= kPackedWhole && size > 0 && size % whole == 0;
  return is_whole ? whole : FewestRows(size, packed);
}

// Elements, padding included, with these two as the most minor dimensions.
Checked ElementsWith(const Shape& array, int64_t minor, int64_t second, int64_t packed) {
  const int64_t rows = FewestRows(array.dim(second), packed);
  Checked elements = RoundUp(array.dim(minor), kLanes) * RoundUp(array.dim(second), rows);
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (d != minor && d != second) elements *= array.dim(d);
  }
  return elements;
}

// The most minor dimension and the next one.
std::pair<int64_t, int64_t> BestPair(const Shape& array, int64_t packed) {
  const int64_t last = array.rank() - 1;
  std::pair<int64_t, int64_t> best = {last, last - 1};
  Checked least = ElementsWith(array, last, last - 1, packed);
  for (int64_t minor = last; minor >= 0; --minor) {
    for (int64_t second = last; second >= 0; --second) {
      if (second == minor) continue;
      const Checked elements = ElementsWith(array, minor, second, packed);
      if (!elements.ok() || (least.ok() && elements.value() >= least.value())) continue;
      best = {minor, second};
      least = elements;
    }
  }
  return best;
}

Layout OfMatrix(const Shape& array, int64_t packed) {
  const auto [minor, second] = BestPair(array, packed);
  Layout layout;
  layout.minor_to_major = {minor, second};
  for (int64_t d = array.rank() - 1; d >= 0; --d) {
    if (d != minor && d != second) layout.minor_to_major.push_back(d);
  }
  layout.tiles.push_back(Tile{{TileRows(array.dim(second), packed), kLanes}});
  return layout;
}

Layout OfVector(const Shape& array, int64_t packed) {
  Layout layout;
  int64_t length = kLanes * packed;
  while (length < array.dim(0) && length < kLongestTile) length *= 2;
  layout.minor_to_major = {0};
  layout.tiles.push_back(Tile{{length}});
  if (packed > 1) layout.tiles.push_back(Tile{{kLanes}});
  return layout;
}

Layout OfScalar() {
  Layout layout;
  layout.tiles.push_back(Tile{{kLanes}});
  return layout;
}

}  // namespace

Shape TpuLayoutOf(const Shape& array) {
  if (!array.is_array() || array.has_unbounded_dim()) return array;
  const int64_t packed = PackedOf(array);
  Layout layout = array.rank() == 0   ? OfScalar()
                  : array.rank() == 1 ? OfVector(array, packed)
                                      : OfMatrix(array, packed);
  if (packed > 1 && array.rank() > 0) layout.tiles.push_back(Tile{{packed, 1}});
  const int bits = BitWidth(array.element_type());
  if (bits < 8 && array.element_type() != ElementType::kPred) layout.element_bits = bits;
  Shape laid = array;
  laid.set_layout(std::move(layout));
  return laid;
}

}  // namespace tessera::layout
