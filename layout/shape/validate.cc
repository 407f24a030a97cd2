#include "tessera/layout/validate.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/error.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

std::string Text(const Shape& array) { return ShapeToString(array, kNoLayout); }

absl::Status CheckSizes(const Shape& array) {
  int64_t product = 1;
  for (int64_t size : array.dims()) {
    if (size == Shape::kUnbounded) continue;
    if (!MultiplyFits(product, size, &product)) {
      return MakeError("V_DIM_OVERFLOW", absl::StrCat("the number of elements of ", Text(array),
                                                      " does not fit 64 bits"));
    }
  }
  if (!(Checked(product) * ByteWidth(array.element_type())).ok()) {
    return MakeError("V_SIZE_OVERFLOW",
                     absl::StrCat("the number of bytes of ", Text(array), " does not fit 64 bits"));
  }
  return absl::OkStatus();
}

absl::Status CheckOrder(const Shape& array) {
  const Layout& layout = array.layout();
  const auto order = [&] {
    return absl::StrCat("the order {", absl::StrJoin(layout.minor_to_major, ","), "} of ",
                        Text(array));
  };
  if (layout.rank() != array.rank()) {
    return MakeError("V_M2M_SIZE", absl::StrCat(order(), " lists ", layout.rank(),
                                                " dimensions instead of ", array.rank()));
  }
  absl::InlinedVector<bool, 8> seen(array.rank(), false);
  for (int64_t dimension : layout.minor_to_major) {
    if (dimension < 0 || dimension >= array.rank()) {
      return MakeError("V_M2M_RANGE", absl::StrCat(order(), " names dimension ", dimension,
                                                   "; they run from 0 to ", array.rank() - 1));
    }
    if (seen[dimension]) {
      return MakeError("V_M2M_DUP",
                       absl::StrCat(order(), " names dimension ", dimension, " twice"));
    }
    seen[dimension] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckSparseProperties(const Shape& array) {
  const Layout& layout = array.layout();
  if (layout.tail_alignment <= 0) {
    return MakeError("V_TAIL", absl::StrCat("the tail alignment L(", layout.tail_alignment,
                                            ") must be at least 1"));
  }
  const auto sparse_only = [&](absl::string_view code, absl::string_view what) {
    return MakeError(code,
                     absl::StrCat(what, " belongs to sparse arrays; ", Text(array), " is dense"));
  };
  if (layout.index_type != ElementType::kInvalid) return sparse_only("V_INDEX_TYPE", "#(..)");
  if (layout.pointer_type != ElementType::kInvalid) return sparse_only("V_POINTER_TYPE", "*(..)");
  if (layout.physical_shape != nullptr) return sparse_only("V_PHYSICAL", "P(..)");
  return absl::OkStatus();
}

absl::Status CheckTiles(const Shape& array) {
  for (const Tile& tile : array.layout().tiles) {
    if (tile.dims.empty()) {
      return MakeError("V_TILE_EMPTY", absl::StrCat("a tile of ", Text(array), " has no entry"));
    }
    for (int64_t entry : tile.dims) {
      if (entry > 0 || entry == Tile::kCombine) continue;
      return MakeError("V_TILE_DIM", absl::StrCat("the entry ", entry, " of tile T",
                                                  tile.ToString(), " must be positive or *"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSplitPoints(const SplitConfig& split, int64_t size) {
  int64_t before = 0;
  for (int64_t point : split.points) {
    if (point <= before) {
      return MakeError("V_SPLIT_ORDER",
                       absl::StrCat("split points {", absl::StrJoin(split.points, ","),
                                    "} must be positive and increase"));
    }
    if (point >= size) {
      return MakeError("V_SPLIT_RANGE",
                       absl::StrCat("split point ", point, " lies outside a dimension of ", size));
    }
    before = point;
  }
  return absl::OkStatus();
}

absl::Status CheckSplits(const Shape& array) {
  absl::InlinedVector<bool, 8> seen(array.rank(), false);
  for (const SplitConfig& split : array.layout().splits) {
    if (split.dimension < 0 || split.dimension >= array.rank()) {
      return MakeError("V_SPLIT_DIM", absl::StrCat("SC splits physical dimension ", split.dimension,
                                                   " of ", Text(array)));
    }
    if (seen[split.dimension]) {
      return MakeError("V_SPLIT_DUP",
                       absl::StrCat("SC splits physical dimension ", split.dimension, " twice"));
    }
    seen[split.dimension] = true;
    const int64_t size = array.dim(array.layout().Major(split.dimension));
    TESSERA_RETURN_IF_ERROR(CheckSplitPoints(split, size));
  }
  return absl::OkStatus();
}

absl::Status CheckElementBits(const Shape& array) {
  if (array.layout().element_bits >= 0) return absl::OkStatus();
  return MakeError("V_ELEMENT_BITS",
                   absl::StrCat("E(", array.layout().element_bits, ") must not be negative"));
}

absl::Status CheckLastEntries(const Shape& array) {
  for (const Tile& tile : array.layout().tiles) {
    if (tile.dims.back() != Tile::kCombine) continue;
    return MakeError("V_TILE_COMBINE_LAST",
                     absl::StrCat("the last entry of T", tile.ToString(),
                                  " has no more minor dimension to combine with"));
  }
  return absl::OkStatus();
}

Sizes64 PhysicalSizes(const Shape& array) {
  Sizes64 sizes(array.dims().begin(), array.dims().end());
  if (!array.has_layout()) return sizes;
  for (int64_t i = 0; i < array.rank(); ++i) sizes[i] = array.dim(array.layout().Major(i));
  return sizes;
}

// The tiling of an array that is valid so far.
absl::StatusOr<Tiling> MakeTiling(const Shape& array) {
  return ApplyTiles(PhysicalSizes(array),
                    array.has_layout() ? array.layout().tiles : absl::Span<const Tile>());
}

absl::Status CheckPaddedSize(const Shape& array) {
  if (array.has_unbounded_dim()) return absl::OkStatus();
  int64_t elements = array.NumElements().value_or(0);
  if (elements == 0) return absl::OkStatus();
  if (!array.layout().tiles.empty()) {
    TESSERA_ASSIGN_OR_RETURN(const Tiling tiling, MakeTiling(array));
    elements = tiling.elements;
  }
  const int64_t tail = array.layout().tail_alignment;
  if (!(Checked(CeilDiv(elements, tail)) * tail * StoredBits(array)).ok()) {
    return MakeError("V_PADDED_OVERFLOW", absl::StrCat("the padded size of ", ShapeToString(array),
                                                       " does not fit 64 bits"));
  }
  return absl::OkStatus();
}

absl::Status CheckLayout(const Shape& array) {
  if (!array.has_layout()) return absl::OkStatus();
  constexpr absl::Status (*kChecks[])(const Shape&) = {
      CheckOrder,  CheckSparseProperties, CheckTiles,      CheckElementBits,
      CheckSplits, CheckLastEntries,      CheckPaddedSize,
  };
  for (const auto check : kChecks) TESSERA_RETURN_IF_ERROR(check(array));
  return absl::OkStatus();
}

// `order` is a permutation of 0 .. rank - 1.
bool IsPermutation(absl::Span<const int64_t> order, int64_t rank) {
  uint64_t seen = 0;
  for (const int64_t dimension : order) {
    if (dimension < 0 || dimension >= rank) return false;
    seen |= uint64_t{1} << dimension;
  }
  return static_cast<int64_t>(order.size()) == rank && seen == (uint64_t{1} << rank) - 1;
}

bool HasOnlyAnOrder(const Layout& layout) {
  return layout.tiles.empty() && layout.splits.empty() && layout.element_bits == 0 &&
         layout.tail_alignment == 1 && layout.index_type == ElementType::kInvalid &&
         layout.pointer_type == ElementType::kInvalid && layout.physical_shape == nullptr;
}

// Most arrays are so: of few bounded dimensions, with no more of a layout than an order. True for
// valid ones only; the checks below find the mistakes of others.
bool IsPlainAndValid(const Shape& array) {
  constexpr int64_t kMostDims = 63;
  if (array.rank() > kMostDims) return false;
  int64_t bits = int64_t{8} * ByteWidth(array.element_type());
  int64_t elements = 1;
  for (const int64_t size : array.dims()) {
    if (size == Shape::kUnbounded || !MultiplyFits(elements, size, &elements)) return false;
  }
  if (!MultiplyFits(bits, elements, &bits)) return false;
  return !array.has_layout() || (HasOnlyAnOrder(array.layout()) &&
                                 IsPermutation(array.layout().minor_to_major, array.rank()));
}

bool AreAllPlainAndValid(const Shape& shape) {
  bool are = true;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    are = are && (!leaf.array().is_array() || IsPlainAndValid(leaf.array()));
  });
  return are;
}

absl::Status CheckArrays(const Shape& shape, absl::Status (*check)(const Shape&)) {
  absl::Status status;
  ForEachLeaf(shape, [&](const Shape& leaf) {
    if (status.ok() && leaf.array().is_array()) status = check(leaf.array());
  });
  return status;
}

}  // namespace

absl::Status Validate(const Shape& shape) {
  if (AreAllPlainAndValid(shape)) return absl::OkStatus();
  TESSERA_RETURN_IF_ERROR(CheckArrays(shape, CheckSizes));
  return CheckArrays(shape, CheckLayout);
}

absl::StatusOr<Tiling> TilingOf(const Shape& shape) {
  const Shape& array = shape.array();
  if (!array.is_array()) {
    return MakeError("kNotArray", absl::StrCat(ShapeToString(shape), " is not an array"));
  }
  TESSERA_RETURN_IF_ERROR(Validate(array));
  if (array.has_unbounded_dim()) {
    return MakeError("kUnbounded", absl::StrCat(Text(array), " has an unbounded dimension"));
  }
  return MakeTiling(array);
}

int64_t StoredBits(const Shape& array) {
  const int64_t bits = array.has_layout() ? array.layout().element_bits : 0;
  return bits != 0 ? bits : int64_t{8} * ByteWidth(array.element_type());
}

}  // namespace tessera::layout
