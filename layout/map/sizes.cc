#include "tessera/layout/sizes.h"

#include <algorithm>

#include "tessera/layout/error.h"
#include "tessera/layout/tiling.h"
#include "tessera/layout/validate.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

absl::Status SumOverflow() {
  return MakeError("V_PADDED_OVERFLOW", "the sum of sizes does not fit 64 bits");
}

// `size` rounded up to a multiple of `unit`; false if that leaves int64.
bool RoundUp(int64_t size, int64_t unit, int64_t* rounded) {
  return MultiplyFits(CeilDiv(size, unit), unit, rounded);
}

std::optional<int64_t> ElementsToBytes(int64_t elements, int64_t bits) {
  int64_t total = 0;
  if (!MultiplyFits(elements, bits, &total)) return std::nullopt;
  return CeilDiv(total, 8);
}

std::optional<int64_t> XlaArraySizeWithTiles(const Shape& array) {
  const Layout& layout = array.layout();
  const Tile& tile = layout.tiles[0];
  const int64_t tile_rank = static_cast<int64_t>(tile.dims.size());
  int64_t elements = 1;
  for (int64_t i = 0; i < std::max(array.rank(), tile_rank); ++i) {
    int64_t size = i < array.rank() ? MaxSplitSize(array, layout.minor_to_major[i]) : 1;
    if (i < tile_rank && !RoundUp(size, tile.dims[tile_rank - 1 - i], &size)) return std::nullopt;
    if (!MultiplyFits(elements, size, &elements)) return std::nullopt;
  }
  if (!RoundUp(elements, layout.tail_alignment, &elements)) return std::nullopt;
  return ElementsToBytes(elements, StoredBits(array));
}

std::optional<int64_t> XlaArraySize(const Shape& array) {
  const bool tiled = array.has_layout() && !array.layout().tiles.empty();
  if (!tiled) return ElementsToBytes(*array.NumElements(), StoredBits(array));
  if (array.layout().tiles[0].has_combine()) return std::nullopt;
  return XlaArraySizeWithTiles(array);
}

// Sizes of an array without elements: tiles do not revive it.
MemorySizes SizesOfEmpty(const Shape& array) {
  MemorySizes sizes;
  sizes.bits_per_element = StoredBits(array);
  if (array.has_layout()) {
    sizes.level_padding.assign(array.layout().tiles.size(), 0);
    sizes.alloc_bytes = array.layout().metadata_prefix_bytes;
  }
  return sizes;
}

absl::StatusOr<MemorySizes> SizesOfFull(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const Tiling tiling, TilingOf(array));
  MemorySizes sizes;
  sizes.elements = *array.NumElements();
  sizes.expanded_elements = tiling.elements;
  sizes.bits_per_element = StoredBits(array);
  int64_t before = sizes.elements;
  for (const TileLevel& level : tiling.levels) {
    int64_t after = 0;
    ProductFits(level.output, &after);
    sizes.level_padding.push_back(after - before);
    before = after;
  }
  const int64_t tail = array.has_layout() ? array.layout().tail_alignment : 1;
  sizes.total_elements = CeilDiv(tiling.elements, tail) * tail;
  sizes.tail_padding = sizes.total_elements - tiling.elements;
  sizes.data_bytes = CeilDiv(sizes.elements * sizes.bits_per_element, 8);
  sizes.padded_bytes = CeilDiv(sizes.total_elements * sizes.bits_per_element, 8);
  const int64_t prefix = array.has_layout() ? array.layout().metadata_prefix_bytes : 0;
  if (!AddFits(sizes.padded_bytes, prefix, &sizes.alloc_bytes)) return SumOverflow();
  sizes.xla_array_size = XlaArraySize(array);
  return sizes;
}

absl::StatusOr<MemorySizes> SizesOfLeaf(const Shape& leaf, const SizeOptions& options) {
  if (leaf.array().is_array()) {
    const bool bounded = !leaf.array().has_unbounded_dim();
    const bool empty = leaf.NumElements() == 0;
    if (bounded && empty && Validate(leaf).ok()) return SizesOfEmpty(leaf.array());
    return SizesOfFull(leaf.array());
  }
  MemorySizes sizes;
  const int64_t bytes = leaf.is_opaque() ? options.pointer_bytes : 0;
  sizes.data_bytes = sizes.padded_bytes = sizes.alloc_bytes = bytes;
  sizes.xla_array_size = bytes;
  return sizes;
}

bool AddBytes(const MemorySizes& more, MemorySizes* sum) {
  if (!sum->xla_array_size || !more.xla_array_size) {
    sum->xla_array_size.reset();
  } else if (!AddFits(*sum->xla_array_size, *more.xla_array_size, &*sum->xla_array_size)) {
    return false;
  }
  return AddFits(sum->data_bytes, more.data_bytes, &sum->data_bytes) &&
         AddFits(sum->padded_bytes, more.padded_bytes, &sum->padded_bytes) &&
         AddFits(sum->alloc_bytes, more.alloc_bytes, &sum->alloc_bytes);
}

// The points of SC for logical dimension `dim`; none without a split.
absl::Span<const int64_t> SplitPoints(const Shape& array, int64_t dim) {
  if (!array.has_layout()) return {};
  for (const SplitConfig& split : array.layout().splits) {
    if (array.layout().Major(split.dimension) == dim) return split.points;
  }
  return {};
}

}  // namespace

double MemorySizes::waste() const {
  if (padded_bytes == 0) return 0;
  return static_cast<double>(padded_bytes - data_bytes) / static_cast<double>(padded_bytes);
}

absl::StatusOr<MemorySizes> SizesOf(const Shape& shape, const SizeOptions& options) {
  if (!shape.is_tuple()) return SizesOfLeaf(shape, options);
  MemorySizes sum;
  for (const Shape& element : shape.tuple_elements()) {
    TESSERA_ASSIGN_OR_RETURN(const MemorySizes sizes, SizesOf(element, options));
    if (!AddBytes(sizes, &sum)) return SumOverflow();
  }
  return sum;
}

int64_t MaxSplitSize(const Shape& array, int64_t dim) {
  int64_t largest = 0;
  int64_t start = 0;
  for (int64_t point : SplitPoints(array, dim)) {
    largest = std::max(largest, point - start);
    start = point;
  }
  return std::max(largest, array.dim(dim) - start);
}

}  // namespace tessera::layout
