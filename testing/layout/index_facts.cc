#include "tessera/testing/layout/index_facts.h"

#include <algorithm>
#include <optional>

#include "tessera/layout/index_map.h"
#include "tessera/layout/regular_form.h"
#include "tessera/text/status_macros.h"

namespace tessera::layout {
namespace {

// The answer from the closed forms; nothing if they cannot tell.
std::optional<bool> SameByDigits(const Shape& array, const RegularForm& a, const RegularForm& b) {
  bool same = true;
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    if (array.dim(dim) < 2) continue;
    const std::optional<Sizes64> radices = CommonRadices(array.dim(dim), a, dim, b, dim);
    if (!radices.has_value()) return std::nullopt;
    for (int64_t radix : *radices) {
      same = same && DigitStride(a, dim, radix) == DigitStride(b, dim, radix);
    }
  }
  return same;
}

constexpr int64_t kMaxWalk = int64_t{1} << 30;  // elements; seconds

absl::Status CheckWalk(const Shape& array) {
  if (array.NumElements().value_or(kMaxWalk + 1) <= kMaxWalk) return absl::OkStatus();
  return absl::OutOfRangeError(
      "the layout is not regular, and more than 2^30 elements are not walked");
}

absl::StatusOr<bool> SameByWalk(const Shape& array, const IndexMap& a, const IndexMap& b) {
  TESSERA_RETURN_IF_ERROR(CheckWalk(array));
  Sizes64 index(a.dims().size(), 0);
  do {
    if (a.OffsetOf(index) != b.OffsetOf(index)) return false;
  } while (NextIndex(a.dims(), absl::MakeSpan(index)));
  return true;
}

// Largest offset that dimension `dim` alone contributes; nothing if its cuts do not nest.
std::optional<int64_t> LargestOffset(int64_t size, const RegularForm& form, int64_t dim) {
  const std::optional<Sizes64> radices = CommonRadices(size, form, dim, form, dim);
  if (!radices.has_value()) return std::nullopt;
  int64_t largest = 0;
  for (const DigitBox& box : DigitBoxes(size, *radices)) {
    int64_t offset = 0;
    int64_t base = box.base;
    for (size_t j = radices->size(); j-- > 0;) {
      const int64_t stride = DigitStride(form, dim, (*radices)[j]);
      offset += stride * (base / (*radices)[j] + box.extents[j] - 1);
      base %= (*radices)[j];
    }
    largest = std::max(largest, offset);
  }
  return largest;
}

std::optional<int64_t> LargestOffsetByDigits(const Shape& array, const RegularForm& form) {
  int64_t sum = 0;
  for (int64_t dim = 0; dim < array.rank(); ++dim) {
    const std::optional<int64_t> largest = LargestOffset(array.dim(dim), form, dim);
    if (!largest.has_value()) return std::nullopt;
    sum += *largest;
  }
  return sum;
}

absl::StatusOr<int64_t> LargestOffsetByWalk(const Shape& array, const IndexMap& map) {
  TESSERA_RETURN_IF_ERROR(CheckWalk(array));
  int64_t largest = 0;
  Sizes64 index(map.dims().size(), 0);
  do {
    largest = std::max(largest, map.OffsetOf(index));
  } while (NextIndex(map.dims(), absl::MakeSpan(index)));
  return largest;
}

}  // namespace

absl::StatusOr<bool> SameIndexMap(const Shape& a, const Shape& b) {
  TESSERA_ASSIGN_OR_RETURN(const IndexMap map_a, IndexMap::Create(a));
  TESSERA_ASSIGN_OR_RETURN(const IndexMap map_b, IndexMap::Create(b));
  if (map_a.dims() != map_b.dims() || map_a.total() != map_b.total()) return false;
  if (a.NumElements() == 0) return true;
  const auto form_a = RegularFormOf(a, map_a.tiling());
  const auto form_b = RegularFormOf(b, map_b.tiling());
  if (form_a.has_value() && form_b.has_value()) {
    const std::optional<bool> same = SameByDigits(a.array(), *form_a, *form_b);
    if (same.has_value()) return *same;
  }
  return SameByWalk(a.array(), map_a, map_b);
}

absl::StatusOr<bool> IsLinear(const Shape& array) {
  Shape untiled = array.array();
  if (untiled.is_array() && untiled.has_layout()) {
    untiled.mutable_layout().tiles.clear();
    untiled.mutable_layout().tail_alignment = 1;
  }
  return SameIndexMap(array, untiled);
}

absl::StatusOr<int64_t> DataSpan(const Shape& array) {
  TESSERA_ASSIGN_OR_RETURN(const IndexMap map, IndexMap::Create(array));
  if (array.NumElements() == 0) return 0;
  if (const auto form = RegularFormOf(array, map.tiling())) {
    const auto largest = LargestOffsetByDigits(array.array(), *form);
    if (largest.has_value()) return *largest + 1;
  }
  TESSERA_ASSIGN_OR_RETURN(const int64_t largest, LargestOffsetByWalk(array.array(), map));
  return largest + 1;
}

}  // namespace tessera::layout
