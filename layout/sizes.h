// How many bytes a value takes, and where the waste is.
//
//   StatusOr<MemorySizes> s = SizesOf(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
//   s->data_bytes;         // 60
//   s->padded_bytes;       // 96
//   s->waste();            // 0.375
//   s->level_padding[0];   // 9 elements added by the first tile
//
// A bounded dynamic dimension counts with its bound.

#ifndef TESSERA_LAYOUT_SIZES_H_
#define TESSERA_LAYOUT_SIZES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/layout/shape.h"

namespace tessera::layout {

struct MemorySizes {
  // Of arrays and buffers only; 0 and empty for a tuple.
  int64_t elements = 0;           // logical ones
  int64_t expanded_elements = 0;  // after all tiles
  int64_t total_elements = 0;     // and after rounding up to L
  int64_t bits_per_element = 0;
  std::vector<int64_t> level_padding;  // elements that each tile added
  int64_t tail_padding = 0;            // elements that L added

  // Of a tuple: the sums over its leaves.
  int64_t data_bytes = 0;    // of the logical elements alone
  int64_t padded_bytes = 0;  // of all elements
  int64_t alloc_bytes = 0;   // and M in front
  // XLA's own figure, as printed in its dumps and out-of-memory reports: it ignores L and SC
  // without tiles, looks at the first tile only, and counts the largest part of a split dimension.
  // Nothing where its rule means nothing (a star in the first tile).
  std::optional<int64_t> xla_array_size = 0;

  // Share of padded_bytes that is no data, in 0..1.
  double waste() const;
};

struct SizeOptions {
  int64_t pointer_bytes = 8;  // of an opaque
};

// Errors: V_ codes of an invalid shape, kUnbounded, V_PADDED_OVERFLOW if a sum leaves int64.
absl::StatusOr<MemorySizes> SizesOf(const Shape& shape, const SizeOptions& options = {});

// Size of the largest part into which SC cuts logical dimension `dim`; its size if there is no
// split. The shape must be valid.
int64_t MaxSplitSize(const Shape& array, int64_t dim);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SIZES_H_
