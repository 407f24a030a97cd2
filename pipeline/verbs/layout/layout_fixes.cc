#include "tessera/pipeline/verbs/layout/layout_fixes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/tpu_layout.h"
#include "tessera/text/checked.h"

namespace tessera::pipeline {
namespace {

using layout::Shape;

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

int64_t BytesOf(const Shape& array) {
  const auto sizes = layout::SizesOf(array);
  return sizes.ok() ? sizes->alloc_bytes : kNone;
}

std::string OrderText(const Shape& array) {
  std::vector<int64_t> order(array.layout().minor_to_major.begin(),
                             array.layout().minor_to_major.end());
  std::reverse(order.begin(), order.end());
  return absl::StrCat("Layout(major_to_minor=(", absl::StrJoin(order, ", "), "))");
}

// With dimensions k and k + 1 as one.
std::optional<Shape> Merged(const Shape& array, int64_t k) {
  std::vector<int64_t> dims(array.dims().begin(), array.dims().end());
  const auto at = dims.begin() + k;
  if (!MultiplyFits(at[0], at[1], &at[0])) return std::nullopt;
  dims.erase(at + 1);
  return layout::TpuLayoutOf(Shape::Array(array.element_type(), dims));
}

std::string MergeText(const Shape& array, int64_t k) {
  std::vector<std::string> sizes;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (d == k + 1) continue;
    sizes.push_back(d == k ? absl::StrCat("x.shape[", d, "] * x.shape[", d + 1, "]")
                           : absl::StrCat("x.shape[", d, "]"));
  }
  return absl::StrCat("x.reshape(", absl::StrJoin(sizes, ", "), ")");
}

answers::BetterLayout Better(const Shape& array, int64_t bytes, std::string python) {
  answers::BetterLayout better;
  better.set_shape(layout::ShapeToString(array));
  better.set_bytes(bytes);
  better.set_python(std::move(python));
  return better;
}

}  // namespace

std::optional<answers::BetterLayout> FixOf(const Shape& array) {
  if (!array.is_array() || !array.has_layout() || array.layout().tiles.empty()) return std::nullopt;
  const int64_t now = BytesOf(array);
  Shape best = layout::TpuLayoutOf(array);  // in the main memory, wherever the array is
  int64_t bytes = BytesOf(best);
  std::string python = OrderText(best);
  for (int64_t k = 0; k + 1 < array.rank(); ++k) {
    const std::optional<Shape> merged = Merged(array, k);
    if (!merged.has_value() || BytesOf(*merged) >= std::min(bytes, now)) continue;
    bytes = BytesOf(*merged);
    python = MergeText(array, k);
    best = *merged;
  }
  if (bytes >= now) return std::nullopt;
  return Better(best, bytes, std::move(python));
}

std::optional<answers::BetterLayout> FixAs(const Shape& array) {
  if (!array.is_array() || !array.has_layout() || array.rank() < 2) return std::nullopt;
  const int64_t bytes = BytesOf(array);
  if (bytes == kNone) return std::nullopt;
  return Better(array, bytes, OrderText(array));
}

}  // namespace tessera::pipeline
