#include "tessera/layout/shape.h"

#include <algorithm>
#include <numeric>

#include "tessera/text/checked.h"

namespace tessera::layout {

Shape Shape::Array(ElementType type, absl::Span<const int64_t> dims) {
  Shape shape = Array(type, dims, std::nullopt);
  auto& order = shape.emplace_layout().minor_to_major;
  order.resize(dims.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return shape;
}

Shape Shape::Array(ElementType type, absl::Span<const int64_t> dims, std::optional<Layout> layout) {
  Shape shape;
  shape.kind_ = ShapeKind::kArray;
  shape.element_type_ = type;
  shape.dims_.assign(dims.begin(), dims.end());
  if (layout.has_value()) shape.Own(*std::move(layout));
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_unbounded(i)) shape.set_dynamic(i, true);
  }
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.children_ = std::move(elements);
  return shape;
}

Shape Shape::Token() {
  Shape shape;
  shape.kind_ = ShapeKind::kToken;
  shape.element_type_ = ElementType::kToken;
  return shape;
}

Shape Shape::Opaque() {
  Shape shape;
  shape.kind_ = ShapeKind::kOpaque;
  shape.element_type_ = ElementType::kOpaque;
  return shape;
}

Shape Shape::Buffer(Shape array) {
  Shape shape;
  shape.kind_ = ShapeKind::kBuffer;
  shape.element_type_ = ElementType::kBuffer;
  shape.children_.push_back(std::move(array));
  return shape;
}

void Shape::set_element_type(ElementType type) {
  element_type_ = type;
  if (has_layout() && layout_->element_bits != 0 && !IsSubByte(type)) {
    mutable_layout().element_bits = 0;
  }
}

void Shape::set_dim(int64_t i, int64_t size) {
  dims_[i] = size;
  if (size == kUnbounded) set_dynamic(i, true);
}

bool Shape::has_unbounded_dim() const {
  return std::find(dims_.begin(), dims_.end(), kUnbounded) != dims_.end();
}

void Shape::set_dynamic(int64_t i, bool dynamic) {
  dynamic = dynamic || is_unbounded(i);
  if (dynamic_.empty()) {
    if (!dynamic) return;
    dynamic_.resize(dims_.size(), false);
  }
  dynamic_[i] = dynamic;
  DropFlagsIfAllStatic();
}

void Shape::DropFlagsIfAllStatic() {
  if (std::find(dynamic_.begin(), dynamic_.end(), true) == dynamic_.end()) dynamic_.clear();
}

Shape Shape::WithoutLayout() const {
  Shape shape = *this;
  shape.clear_layout();
  for (Shape& child : shape.children_) child = child.WithoutLayout();
  return shape;
}

std::optional<int64_t> Shape::NumElements() const {
  if (is_buffer()) return array().NumElements();
  if (!is_array()) return std::nullopt;
  int64_t product = 1;
  for (int64_t size : dims_) {
    if (size == kUnbounded || !MultiplyFits(product, size, &product)) return std::nullopt;
  }
  return product;
}

bool operator==(const Shape& a, const Shape& b) {
  const auto layouts_are_equal = [&] {
    return a.layout_ == b.layout_ || (a.has_layout() && b.has_layout() && *a.layout_ == *b.layout_);
  };
  const bool are_static = a.dynamic_.empty() && b.dynamic_.empty();
  return a.kind_ == b.kind_ && a.element_type_ == b.element_type_ && a.dims() == b.dims() &&
         (are_static || a.dynamic_ == b.dynamic_) && layouts_are_equal() &&
         a.children_ == b.children_;
}

}  // namespace tessera::layout
