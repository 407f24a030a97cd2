// The parts of an array's memory that a fill must touch: the tiles that reach beyond the data.
//
//   f32[20,300]{1,0:T(8,128)}: 3 x 3 tiles of 1,024 slots; the last column of tiles and the last
//   row hold padding, so slots 2048..3071 and 5120..9215 are filled, all others are left to the
//   copy that follows.

#ifndef TESSERA_LAYOUT_RELAYOUT_PLAN_PADDED_SLOTS_H_
#define TESSERA_LAYOUT_RELAYOUT_PLAN_PADDED_SLOTS_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "tessera/layout/tiling.h"

namespace tessera::layout::relayout {

class PaddedSlots {
 public:
  // All padding of an array with that tiling, `total` slots with the tail, and elements of `bits`
  // bits lies in the ranges. One range of everything if tiles are not contiguous, or pad inside.
  static PaddedSlots Of(const Tiling& tiling, int64_t total, int64_t bits);

  // Calls visit(begin, end) for each range, cut to [begin, end), in order.
  template <typename Visit>
  void ForEach(int64_t begin, int64_t end, const Visit& visit) const {
    const auto cut = [&](int64_t first, int64_t last) {
      first = std::max(first, begin);
      last = std::min(last, end);
      if (first < last) visit(first, last);
    };
    for (int64_t i = 0; i < repeats_; ++i) ForEachFrom(0, i * repeat_slots_, cut);
    cut(tail_, total_);
  }

  int64_t slots() const;  // in all ranges

 private:
  // One direction in which tiles follow each other, the most major one first.
  struct Direction {
    int64_t tiles;
    int64_t slots;      // of one of these tiles with all that is more minor
    bool ragged;        // the last one reaches beyond the data
    bool inner_ragged;  // so does one in a more minor direction
  };

  template <typename Visit>
  void ForEachFrom(size_t place, int64_t base, const Visit& visit) const {
    if (place == directions_.size()) return;
    const Direction& d = directions_[place];
    const int64_t whole = d.tiles - (d.ragged ? 1 : 0);
    for (int64_t i = 0; d.inner_ragged && i < whole; ++i) {
      ForEachFrom(place + 1, base + i * d.slots, visit);
    }
    if (d.ragged) visit(base + whole * d.slots, base + d.tiles * d.slots);
  }

  absl::InlinedVector<Direction, 4> directions_;
  int64_t repeats_ = 0;  // of all directions together
  int64_t repeat_slots_ = 0;
  int64_t tail_ = 0;  // from here on all is padding
  int64_t total_ = 0;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_PLAN_PADDED_SLOTS_H_
