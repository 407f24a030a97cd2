// One level of tiling, as written in a layout: `T(8,128)` is one Tile, `T(8,128)(2,1)` two.
//
//   Tile tile{{8, 128}};
//   Tile combining{{Tile::kCombine, 3}};   // T(*,3): merge a dimension into the next minor one
//   tile.ToString();                       // "(8,128)"

#ifndef TESSERA_LAYOUT_TILE_H_
#define TESSERA_LAYOUT_TILE_H_

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace tessera::layout {

struct Tile {
  // In place of a size: the dimension is combined with the next more minor one before tiling.
  static constexpr int64_t kCombine = std::numeric_limits<int64_t>::min();

  // Most major entry first; covers the last dims.size() dimensions of what it is applied to.
  absl::InlinedVector<int64_t, 3> dims;

  bool has_combine() const;
  // "(2,*,128)".
  std::string ToString() const;

  friend bool operator==(const Tile& a, const Tile& b) { return a.dims == b.dims; }
  friend bool operator!=(const Tile& a, const Tile& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const Tile& tile) {
    return H::combine(std::move(h), tile.dims);
  }
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_TILE_H_
