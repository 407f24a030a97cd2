#include "tessera/target/layouts/array_sizes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tessera/layout/element_type.h"
#include "tessera/text/checked.h"

namespace tessera::target {
namespace {

using layout::Layout;
using layout::Shape;
using layout::Tile;

constexpr int64_t kLanes = 128, kRows = 8, kWordBits = 32, kGranule = 512;
constexpr int64_t kPointer = 8, kTpuPointer = 4;
constexpr int64_t kLongestTile = 1024;  // elements of an array of one dimension

int64_t RoundUp(int64_t n, int64_t unit) {
  return n > std::numeric_limits<int64_t>::max() - unit ? n : (n + unit - 1) / unit * unit;
}

// A pred is a byte.
int64_t BitsOf(const Shape& array) {
  const auto type = array.element_type();
  return type == layout::ElementType::kPred ? 8 : std::max(1, layout::BitWidth(type));
}

// Elements that share a word: 1, 2 of 16 bits, 4 of 8.
int64_t Packed(const Shape& array) { return std::max<int64_t>(1, kWordBits / BitsOf(array)); }

// Words for an element of more than one: 2 for 64 bits.
int64_t Words(const Shape& array) { return std::max<int64_t>(1, BitsOf(array) / kWordBits); }

int64_t TileRows(int64_t size, int64_t packed) {
  int64_t rows = packed;
  while (rows < size && rows < kRows) rows *= 2;
  return std::max(rows, packed);
}

int64_t LengthOf(const Shape& array) { return array.rank() == 0 ? 1 : array.dim(0); }

// Elements in a tile of an array of at most one dimension.
int64_t TileLength(const Shape& array) {
  int64_t length = kLanes * Packed(array);
  while (length < LengthOf(array) && length < kLongestTile) length *= 2;
  return length;
}

struct Choice {
  int64_t minor = 0, second = 0;
  Checked elements = std::numeric_limits<int64_t>::max();
};

bool Has(uint64_t set, int64_t dimension) { return (set >> (dimension & 63) & 1) != 0; }

Choice BestOrder(const Shape& array, MinorChoice allowed) {
  const int64_t packed = Packed(array), rank = array.rank();
  Choice best;
  for (int64_t minor = rank - 1; minor >= 0; --minor) {
    for (int64_t second = rank - 1; second >= 0; --second) {
      if (second == minor || !Has(allowed.minor, minor) || !Has(allowed.second, second)) continue;
      Checked elements = RoundUp(array.dim(minor), kLanes);
      elements *= RoundUp(array.dim(second), TileRows(array.dim(second), packed));
      for (int64_t d = 0; d < rank; ++d) {
        if (d != minor && d != second) elements *= array.dim(d);
      }
      if (elements.ok() && elements.value() < best.elements.value())
        best = {minor, second, elements};
    }
  }
  if (best.minor != best.second) return best;
  const bool is_free = (~allowed.minor | ~allowed.second) == 0;
  return is_free ? Choice{rank - 1, rank - 2, best.elements} : BestOrder(array, {});
}

int64_t TpuBytes(const Shape& array, MinorChoice choice) {
  const int64_t packed = Packed(array);
  Checked words = 0;
  if (array.rank() < 2) {
    words = RoundUp(LengthOf(array), TileLength(array)) / packed;
  } else {
    words = BestOrder(array, choice).elements.value() / packed;
  }
  const Checked bytes = words * Words(array) * (kWordBits / 8);
  return bytes.ok() ? RoundUp(bytes.value(), kGranule) : std::numeric_limits<int64_t>::max();
}

void AddPackedTile(int64_t packed, Layout* layout) {
  if (packed > 1) layout->tiles.push_back(Tile{{packed, 1}});
}

Shape TpuLayout(const Shape& array, MinorChoice choice) {
  Shape laid = array;
  const int64_t packed = Packed(array);
  Layout layout;
  if (array.rank() < 2) {
    if (array.rank() == 1) layout.minor_to_major.push_back(0);
    layout.tiles.push_back(Tile{{TileLength(array)}});
    if (packed > 1) layout.tiles.push_back(Tile{{kLanes}});
  } else {
    const Choice best = BestOrder(array, choice);
    layout.minor_to_major = {best.minor, best.second};
    for (int64_t d = array.rank() - 1; d >= 0; --d) {
      if (d != best.minor && d != best.second) layout.minor_to_major.push_back(d);
    }
    layout.tiles.push_back(Tile{{TileRows(array.dim(best.second), packed), kLanes}});
  }
  AddPackedTile(packed, &layout);
  laid.set_layout(std::move(layout));
  return laid;
}

int64_t PlainBytes(const Shape& array) {
  Checked bytes = layout::ByteWidth(array.element_type());
  for (const int64_t size : array.dims()) bytes *= size;
  return bytes.ok() ? bytes.value() : std::numeric_limits<int64_t>::max();
}

}  // namespace

int64_t ArraySizes::BytesOf(const Shape& array) {
  const auto [at, is_new] = bytes_.emplace(&array, 0);
  if (is_new) at->second = BytesOf(array, MinorChoice());
  return at->second;
}

int64_t ArraySizes::BytesOf(const Shape& array, MinorChoice choice) const {
  if (!array.is_array() || array.has_unbounded_dim()) return 0;
  return chip_.platform == Platform::kTpu ? TpuBytes(array, choice) : PlainBytes(array);
}

Shape ArraySizes::Laid(const Shape& array) const { return Laid(array, MinorChoice()); }

Shape ArraySizes::Laid(const Shape& array, MinorChoice choice) const {
  if (!array.is_array() || array.has_unbounded_dim()) return array;
  if (chip_.platform == Platform::kTpu) return TpuLayout(array, choice);
  Shape laid = array;
  laid.set_layout(Layout::Descending(array.rank()));
  return laid;
}

int64_t ArraySizes::TableBytes(int64_t arrays) const {
  if (chip_.platform != Platform::kTpu) return kPointer * arrays;
  return RoundUp(kTpuPointer * arrays, chip_.table_granule);
}

}  // namespace tessera::target
