#include "tessera/layout/shape_equal.h"

namespace tessera::layout {
namespace {

bool SameTypes(ElementType a, ElementType b, uint32_t ignore) {
  if (a == b || (ignore & kIgnoreElementType)) return true;
  return (ignore & kIgnoreFloatPrecision) && IsFloat(a) && IsFloat(b);
}

bool SameSizes(const Shape& a, const Shape& b, uint32_t ignore) {
  if (ignore & kIgnoreSizes) return true;
  const absl::Span<const int64_t> x = a.dims(), y = b.dims();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i]) continue;
    const bool is_open = x[i] == Shape::kUnbounded || y[i] == Shape::kUnbounded;
    if (!is_open || !(ignore & kIgnoreDynamic)) return false;
  }
  return true;
}

bool SameDynamicFlags(const Shape& a, const Shape& b, uint32_t ignore) {
  if ((ignore & kIgnoreDynamic) || !(a.has_dynamic_dim() || b.has_dynamic_dim())) return true;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (a.is_dynamic(i) != b.is_dynamic(i)) return false;
  }
  return true;
}

bool SameLayouts(const Shape& a, const Shape& b, uint32_t ignore) {
  if (ignore & kIgnoreLayout) return true;
  if (a.has_layout() != b.has_layout()) return false;
  return !a.has_layout() || Equal(a.layout(), b.layout(), ignore);
}

bool SameArrays(const Shape& a, const Shape& b, uint32_t ignore) {
  return SameTypes(a.element_type(), b.element_type(), ignore) && a.rank() == b.rank() &&
         SameSizes(a, b, ignore) && SameLayouts(a, b, ignore) && SameDynamicFlags(a, b, ignore);
}

bool SameTuples(const Shape& a, const Shape& b, uint32_t ignore) {
  if (a.tuple_elements().size() != b.tuple_elements().size()) return false;
  for (size_t i = 0; i < a.tuple_elements().size(); ++i) {
    if (!Equal(a.tuple_elements()[i], b.tuple_elements()[i], ignore)) return false;
  }
  return true;
}

bool SamePhysicalShape(const Layout& a, const Layout& b) {
  if (a.physical_shape == nullptr || b.physical_shape == nullptr) {
    return a.physical_shape == b.physical_shape;
  }
  return Equal(*a.physical_shape, *b.physical_shape);
}

}  // namespace

bool Equal(const Layout& a, const Layout& b, uint32_t ignore) {
  const auto either = [&](uint32_t bit, bool same) { return (ignore & bit) != 0 || same; };
  return a.minor_to_major == b.minor_to_major && either(kIgnoreTiles, a.tiles == b.tiles) &&
         either(kIgnoreTail, a.tail_alignment == b.tail_alignment) &&
         either(kIgnoreIndexType, a.index_type == b.index_type) &&
         either(kIgnorePointerType, a.pointer_type == b.pointer_type) &&
         either(kIgnoreElementBits, a.element_bits == b.element_bits) &&
         either(kIgnoreMemorySpace, a.memory_space == b.memory_space) &&
         either(kIgnoreSplits, a.splits == b.splits) &&
         either(kIgnorePhysicalShape, SamePhysicalShape(a, b));
}

bool Equal(const Shape& a, const Shape& b, uint32_t ignore) {
  if (&a == &b) return true;
  if (ignore & kIgnoreBuffer) {
    if (a.is_buffer() || b.is_buffer()) return Equal(a.array(), b.array(), ignore);
  }
  if (a.kind() != b.kind()) return false;
  if (a.is_tuple() || a.is_buffer()) return SameTuples(a, b, ignore);
  return !a.is_array() || SameArrays(a, b, ignore);
}

bool Compatible(const Shape& a, const Shape& b) {
  return Equal(a, b, kIgnoreDynamic | kIgnoreLayout);
}

bool CompatibleIgnoringElementType(const Shape& a, const Shape& b) {
  return Equal(a, b, kIgnoreDynamic | kIgnoreLayout | kIgnoreElementType);
}

bool CompatibleIgnoringFloatPrecision(const Shape& a, const Shape& b) {
  return Equal(a, b, kIgnoreDynamic | kIgnoreLayout | kIgnoreFloatPrecision);
}

bool IsPrefix(const Shape& expected, const Shape& given) {
  if (Equal(expected, given)) return true;
  if (!expected.is_tuple()) return false;
  if (expected.tuple_elements().empty()) return true;
  if (!given.is_tuple()) return false;
  if (expected.tuple_elements().size() > given.tuple_elements().size()) return false;
  for (size_t i = 0; i < expected.tuple_elements().size(); ++i) {
    if (!IsPrefix(expected.tuple_elements()[i], given.tuple_elements()[i])) return false;
  }
  return true;
}

}  // namespace tessera::layout
