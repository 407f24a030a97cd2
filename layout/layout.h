// How an array lies in memory: the order of its dimensions, its tiles, and the rarer properties.
//
//   Layout row_major = Layout::Descending(2);             // {1,0}
//   Layout tpu{{1, 0}, {Tile{{8, 128}}, Tile{{2, 1}}}};   // {1,0:T(8,128)(2,1)}
//
// A Layout is plain data: nothing here checks that it fits a shape (see validate.h), and text is
// read and written in shape_text.h.

#ifndef TESSERA_LAYOUT_LAYOUT_H_
#define TESSERA_LAYOUT_LAYOUT_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/tile.h"

namespace tessera::layout {

class Shape;

// `SC(1:512)`: the storage of physical dimension 1 (0 is the most major one) is cut at index 512.
struct SplitConfig {
  int64_t dimension = 0;
  absl::InlinedVector<int64_t, 2> points;  // strictly increasing, inside the dimension

  friend bool operator==(const SplitConfig& a, const SplitConfig& b) {
    return a.dimension == b.dimension && a.points == b.points;
  }
  template <typename H>
  friend H AbslHashValue(H h, const SplitConfig& split) {
    return H::combine(std::move(h), split.dimension, split.points);
  }
};

struct Layout {
  Layout() = default;
  explicit Layout(absl::InlinedVector<int64_t, 6> order, absl::InlinedVector<Tile, 2> tiles = {})
      : minor_to_major(std::move(order)), tiles(std::move(tiles)) {}

  // {rank-1, .., 0}: the last dimension varies fastest. The default of array text.
  static Layout Descending(int64_t rank);
  // {0, .., rank-1}: the first dimension varies fastest.
  static Layout Ascending(int64_t rank);

  // A permutation of 0..rank-1; the first entry varies fastest.
  absl::InlinedVector<int64_t, 6> minor_to_major;
  // T: applied one after the other, each to what the one before made.
  absl::InlinedVector<Tile, 2> tiles;
  // L: the number of elements is rounded up to a multiple of this after tiling.
  int64_t tail_alignment = 1;
  // E: bits per element, packed; 0 means the element type's own storage bytes.
  int64_t element_bits = 0;
  // M: bytes of size metadata in front of the data.
  int64_t metadata_prefix_bytes = 0;
  // # and *: only sparse arrays may have them, and no array here is sparse; kInvalid means none.
  ElementType index_type = ElementType::kInvalid;
  ElementType pointer_type = ElementType::kInvalid;
  // S: 0 main memory of the device, 1 its fast memory, 5 host; others are backend-defined.
  int8_t memory_space = 0;
  // SC.
  absl::InlinedVector<SplitConfig, 1> splits;
  // P: sparse only; text cannot give one, a proto can.
  std::shared_ptr<const Shape> physical_shape;

  int64_t rank() const { return static_cast<int64_t>(minor_to_major.size()); }
  // The logical dimension at place `physical` counted from the most major one.
  int64_t Major(int64_t physical) const { return minor_to_major[rank() - 1 - physical]; }

  // Equal in every field, M too. For what XLA calls equal see shape_equal.h.
  friend bool operator==(const Layout& a, const Layout& b);
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const Layout& x) {
    return H::combine(std::move(h), x.minor_to_major, x.tiles, x.tail_alignment, x.element_bits,
                      x.metadata_prefix_bytes, x.index_type, x.pointer_type, x.memory_space,
                      x.splits);
  }
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_LAYOUT_H_
