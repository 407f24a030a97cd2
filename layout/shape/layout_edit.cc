#include "tessera/layout/layout_edit.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace tessera::layout {
namespace {

// Applies `edit` to every array of `shape` that has a layout.
template <typename Edit>
Shape EditArrays(Shape shape, const Edit& edit) {
  if (shape.is_array() && shape.has_layout()) edit(&shape);
  for (int64_t i = 0; i < static_cast<int64_t>(shape.tuple_elements().size()); ++i) {
    Shape* element = shape.mutable_tuple_element(i);
    *element = EditArrays(std::move(*element), edit);
  }
  return shape;
}

template <typename Numbers>
void RemoveAndRenumber(int64_t removed, Numbers* numbers) {
  numbers->erase(std::remove(numbers->begin(), numbers->end(), removed), numbers->end());
  for (int64_t& number : *numbers) number -= number > removed;
}

}  // namespace

Layout DeleteDimension(const Layout& layout, int64_t dim) {
  const int64_t physical = LogicalToPhysical(layout)[dim];
  Layout result = layout;
  RemoveAndRenumber(dim, &result.minor_to_major);
  result.splits.clear();
  for (SplitConfig split : layout.splits) {
    if (split.dimension == physical) continue;
    split.dimension -= split.dimension > physical;
    result.splits.push_back(split);
  }
  return result;
}

Layout MoveToMajor(const Layout& layout, int64_t dim) {
  Layout result = layout;
  auto& order = result.minor_to_major;
  const auto at = std::find(order.begin(), order.end(), dim);
  if (at != order.end()) std::rotate(at, at + 1, order.end());
  return result;
}

Layout MoveToMinor(const Layout& layout, int64_t dim) {
  Layout result = layout;
  auto& order = result.minor_to_major;
  const auto at = std::find(order.begin(), order.end(), dim);
  if (at != order.end()) std::rotate(order.begin(), at, at + 1);
  return result;
}

Shape HostShape(const Shape& shape) {
  return EditArrays(shape, [](Shape* array) {
    const Layout& from = array->layout();
    Layout host(from.minor_to_major);
    host.splits = from.splits;
    host.index_type = from.index_type;
    host.pointer_type = from.pointer_type;
    array->set_layout(std::move(host));
  });
}

Shape PackSubByte(const Shape& shape, bool packed) {
  return EditArrays(shape, [packed](Shape* array) {
    const ElementType type = array->element_type();
    array->mutable_layout().element_bits = packed && IsSubByte(type) ? BitWidth(type) : 0;
  });
}

Shape::Dims LogicalToPhysical(const Layout& layout) {
  Shape::Dims places(layout.rank());
  for (int64_t i = 0; i < layout.rank(); ++i) places[layout.Major(i)] = i;
  return places;
}

bool IsDimZeroMajor(const Layout& layout) {
  const auto& order = layout.minor_to_major;
  return std::is_sorted(order.begin(), order.end(), std::greater<int64_t>());
}

bool IsDimZeroMinor(const Layout& layout) {
  const auto& order = layout.minor_to_major;
  return std::is_sorted(order.begin(), order.end());
}

bool AreConsecutive(const Layout& layout, absl::Span<const int64_t> dims) {
  if (dims.empty()) return true;
  const Shape::Dims physical = LogicalToPhysical(layout);
  std::vector<int64_t> places;
  for (int64_t dim : dims) places.push_back(physical[dim]);
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] != places[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace tessera::layout
