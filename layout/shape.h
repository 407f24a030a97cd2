// The type of an HLO value: an array, a tuple, a token, an opaque handle or a buffer.
//
//   Shape a = Shape::Array(ElementType::kF32, {3, 5});           // f32[3,5]{1,0}
//   Shape b = a.WithoutLayout();                                 // f32[3,5]
//   Shape t = Shape::Tuple({a, Shape::Token()});                 // (f32[3,5]{1,0}, token[])
//   t.tuple_elements()[0].dim(1);                                // 5
//
// A Shape is a value: copy, compare and hash it freely. Copies share their layout, and an array of
// rank 6 or less without one lives without heap memory. `==` compares every byte of meaning, so it
// may serve as the key of an interner; what XLA calls "equal" and "compatible" are looser and in
// shape_equal.h.

#ifndef TESSERA_LAYOUT_SHAPE_H_
#define TESSERA_LAYOUT_SHAPE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/layout.h"

namespace tessera::layout {

enum class ShapeKind : uint8_t { kArray, kTuple, kToken, kOpaque, kBuffer };

class Shape {
 public:
  using Dims = absl::InlinedVector<int64_t, 6>;

  // The size that stands for an unbounded dimension, `?`. It never takes part in arithmetic.
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();

  // The empty tuple.
  Shape() = default;

  // Makes an array with the default layout (last dimension minor), or with the given one, or
  // with none. Sizes are >= 0 or kUnbounded; unbounded dimensions are marked dynamic.
  static Shape Array(ElementType type, absl::Span<const int64_t> dims);
  static Shape Array(ElementType type, absl::Span<const int64_t> dims,
                     std::optional<Layout> layout);
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  // `array` must be an array.
  static Shape Buffer(Shape array);

  ShapeKind kind() const { return kind_; }
  bool is_array() const { return kind_ == ShapeKind::kArray; }
  bool is_tuple() const { return kind_ == ShapeKind::kTuple; }
  bool is_token() const { return kind_ == ShapeKind::kToken; }
  bool is_opaque() const { return kind_ == ShapeKind::kOpaque; }
  bool is_buffer() const { return kind_ == ShapeKind::kBuffer; }

  // Of an array: its element type. Of another kind: the number that kind has in protos.
  ElementType element_type() const { return element_type_; }
  // Changes an array's type; E of its layout goes back to 0 unless the new type is sub-byte.
  void set_element_type(ElementType type);

  // Arrays. Other kinds have rank 0.
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  absl::Span<const int64_t> dims() const { return dims_; }
  int64_t dim(int64_t i) const { return dims_[i]; }
  // Keeps the dynamic flag, save that kUnbounded sets it.
  void set_dim(int64_t i, int64_t size);
  bool is_dynamic(int64_t i) const { return !dynamic_.empty() && dynamic_[i]; }
  bool is_unbounded(int64_t i) const { return dims_[i] == kUnbounded; }
  bool has_dynamic_dim() const { return !dynamic_.empty(); }
  bool has_unbounded_dim() const;
  // Has no effect on an unbounded dimension, which is always dynamic.
  void set_dynamic(int64_t i, bool dynamic);

  // Arrays. Others have no layout.
  bool has_layout() const { return layout_ != nullptr; }
  const Layout& layout() const { return *layout_; }
  // Good until the next call, or until the shape is copied.
  Layout& mutable_layout() { return Own(*layout_); }
  void set_layout(Layout layout) { Own(std::move(layout)); }
  // A new layout without dimensions, to be filled in.
  Layout& emplace_layout() { return Own(); }
  void clear_layout() { layout_.reset(); }

  // Tuples: the elements. Buffers: the one array. Others: empty.
  absl::Span<const Shape> tuple_elements() const { return children_; }
  Shape* mutable_tuple_element(int64_t i) { return &children_[i]; }
  // The array in a buffer; of any other shape, the shape itself.
  const Shape& array() const { return is_buffer() ? children_[0] : *this; }

  // A copy in which no array, at any depth, has a layout.
  Shape WithoutLayout() const;

  // Product of the sizes of an array (1 for a scalar); nothing if it leaves int64, if a
  // dimension is unbounded, or if this is not an array or buffer.
  std::optional<int64_t> NumElements() const;

  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const Shape& x) {
    h = H::combine(std::move(h), x.kind_, x.element_type_, x.dims_, x.dynamic_, x.has_layout(),
                   x.children_);
    return x.has_layout() ? H::combine(std::move(h), *x.layout_) : std::move(h);
  }

 private:
  void DropFlagsIfAllStatic();
  // A layout that no other shape has.
  template <typename... From>
  Layout& Own(From&&... from) {
    const auto own = std::make_shared<Layout>(std::forward<From>(from)...);
    layout_ = own;
    return *own;
  }

  ShapeKind kind_ = ShapeKind::kTuple;
  ElementType element_type_ = ElementType::kTuple;
  Dims dims_;
  absl::InlinedVector<bool, 8> dynamic_;  // empty when every dimension is static
  std::shared_ptr<const Layout> layout_;  // null: none
  std::vector<Shape> children_;
};

// Calls `visit(leaf)` for every shape under `shape` that is no tuple, in order of the text; the
// array in a buffer is no leaf of its own. A shape that is no tuple is its own only leaf.
template <typename Visit>
void ForEachLeaf(const Shape& shape, Visit&& visit) {
  if (!shape.is_tuple()) return visit(shape);
  for (const Shape& element : shape.tuple_elements()) ForEachLeaf(element, visit);
}

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_SHAPE_H_
