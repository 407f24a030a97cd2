// Copies between any two layouts, run by run: the generic fallback; right for every pair, slow.

#ifndef TESSERA_LAYOUT_RELAYOUT_RUN_WALKER_H_
#define TESSERA_LAYOUT_RELAYOUT_RUN_WALKER_H_

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape.h"

namespace tessera::layout::relayout {

// One side of a copy.
struct WalkedSide {
  IndexMap map;
  Shape::Dims order;  // logical dimensions, most major first
  int64_t bits = 8;   // of an element

  // For how many elements along logical dimension `dim`, from `index` on, the offset grows evenly:
  // the distance to the nearest tile border, at least 1.
  int64_t EvenRun(absl::Span<const int64_t> index, int64_t dim) const;
};

class Walker {
 public:
  // Destination dimension i is source dimension perm[i]; the rank is not 0, no dimension is 0. If
  // the bits of the sides differ, the value is in the low ones and the rest becomes zero.
  Walker(WalkedSide src, WalkedSide dst, absl::Span<const int64_t> perm)
      : src_(std::move(src)), dst_(std::move(dst)), perm_(perm.begin(), perm.end()) {}

  void Run(const uint8_t* src, uint8_t* dst) const;

 private:
  WalkedSide src_;
  WalkedSide dst_;
  Shape::Dims perm_;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_RUN_WALKER_H_
