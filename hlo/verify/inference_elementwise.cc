// Results of element-wise opcodes.

#include "tessera/hlo/number_format.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using layout::ElementType;
using layout::Shape;

Shape WithType(const Shape& dims_of, ElementType type) {
  Shape shape = Shape::Array(type, dims_of.dims());
  if (!dims_of.has_dynamic_dim()) return shape;
  for (int64_t i = 0; i < dims_of.rank(); ++i) shape.set_dynamic(i, dims_of.is_dynamic(i));
  return shape;
}

namespace {

enum Accepts : unsigned { kFloats = 1, kComplexes = 2, kSigneds = 4, kUnsigneds = 8, kPreds = 16 };

unsigned ClassOf(ElementType type) {
  if (layout::IsFloat(type)) return kFloats;
  if (layout::IsComplex(type)) return kComplexes;
  if (layout::IsSigned(type)) return kSigneds;
  return layout::IsUnsigned(type) ? kUnsigneds : kPreds;
}

unsigned UnaryAccepts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kCbrt:
    case Opcode::kErf:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return kFloats;
    case Opcode::kCountLeadingZeros:
    case Opcode::kPopcnt:
      return kSigneds | kUnsigneds;
    case Opcode::kNegate:
      return kFloats | kComplexes | kSigneds | kUnsigneds;
    case Opcode::kSign:
      return kFloats | kComplexes | kSigneds;
    case Opcode::kNot:
      return kPreds | kSigneds | kUnsigneds;
    default:
      return kFloats | kComplexes;
  }
}

unsigned BinaryAccepts(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSubtract:
    case Opcode::kPower:
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kAtan2:
      return kFloats | kComplexes | kSigneds | kUnsigneds;
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kMulhi:
      return kSigneds | kUnsigneds;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return kPreds | kSigneds | kUnsigneds;
    default:
      return ~0u;
  }
}

ElementType HigherPrecision(ElementType a, ElementType b) {
  if (!layout::IsFloat(a) || !layout::IsFloat(b)) return a;
  const FloatFormat& fa = FormatOf(a);
  const FloatFormat& fb = FormatOf(b);
  if (fa.exponent_bits != fb.exponent_bits) return fa.exponent_bits > fb.exponent_bits ? a : b;
  return fa.mantissa_bits >= fb.mantissa_bits ? a : b;
}

// One dimension of two operands: equal sizes, or one of them 1.
bool MergeDim(const Shape& a, const Shape& b, int64_t i, Shape* out) {
  const bool a_open = a.is_unbounded(i), b_open = b.is_unbounded(i);
  if (a.dim(i) == b.dim(i)) {
    out->set_dynamic(i, a.is_dynamic(i) && b.is_dynamic(i));
    if (a_open) out->set_dim(i, Shape::kUnbounded);
    return true;
  }
  if (a_open || b_open) {
    const Shape& known = a_open ? b : a;
    if (known.dim(i) == 1) return true;  // stays unbounded as in the other
    out->set_dim(i, known.dim(i));
    out->set_dynamic(i, known.is_dynamic(i));
    return true;
  }
  if (a.dim(i) != 1 && b.dim(i) != 1) return false;
  const Shape& wide = a.dim(i) == 1 ? b : a;
  out->set_dim(i, wide.dim(i));
  out->set_dynamic(i, wide.is_dynamic(i));
  return true;
}

// Itself, if it is of this type; Shape::set_element_type may change the layout even then.
InferredShape OfType(const Shape& shape, ElementType type) {
  const bool is_it =
      shape.element_type() == type && (!shape.has_layout() || shape.layout().element_bits == 0);
  if (is_it) return &shape;
  Shape changed = shape;
  changed.set_element_type(type);
  return changed;
}

// The common dimensions of two operands, with the layout of the first when they are the same.
ShapeOr MergeDims(const Shape& a, const Shape& b, ElementType type) {
  if (!a.is_array() || !b.is_array()) return Mismatch("operands are arrays");
  if (layout::CompatibleIgnoringElementType(a, b)) return OfType(a, type);
  if (a.rank() == 0) return WithType(b, type);
  if (b.rank() == 0) return WithType(a, type);
  if (a.rank() != b.rank()) return Mismatch(ShapeText(a), " and ", ShapeText(b), " differ in rank");
  Shape out = WithType(a, type);
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (!MergeDim(a, b, i, &out))
      return Mismatch(ShapeText(a), " and ", ShapeText(b), " differ in sizes");
  }
  return out;
}

// A value that is no array counts as a scalar.
bool HaveSameSizes(const Shape& a, const Shape& b) {
  if (a.is_array() && b.is_array()) return layout::CompatibleIgnoringElementType(a, b);
  return a.rank() == 0 && b.rank() == 0;
}

absl::Status CheckSameTypes(const Shape& a, const Shape& b) {
  const ElementType x = a.element_type(), y = b.element_type();
  if (x == y || (layout::IsFloat(x) && layout::IsFloat(y))) return absl::OkStatus();
  return Mismatch("element types differ: ", ShapeText(a), " and ", ShapeText(b));
}

}  // namespace

ShapeOr InferSame(const InferenceContext& c) {
  if (c.count() == 0) return Mismatch("an operand is missing");
  return &c.operand(0);
}

ShapeOr InferUnary(const InferenceContext& c) {
  const Shape& s = c.operand(0);
  if (!s.is_array()) return Mismatch("the operand is an array, not ", ShapeText(s));
  const Opcode opcode = c.module.instruction(c.id).opcode;
  if ((ClassOf(s.element_type()) & UnaryAccepts(opcode)) == 0) {
    return Mismatch(OpcodeName(opcode), " does not take ", ShapeText(s));
  }
  return &s;
}

ShapeOr InferAbs(const InferenceContext& c) {
  Shape s = c.operand(0);
  if (!s.is_array()) return Mismatch("the operand is an array, not ", ShapeText(s));
  const unsigned kind = ClassOf(s.element_type());
  const bool is_abs = c.module.instruction(c.id).opcode == Opcode::kAbs;
  if ((kind & (kFloats | kComplexes | (is_abs ? kSigneds : 0u))) == 0) {
    return Mismatch(OpcodeName(c.module.instruction(c.id).opcode), " does not take ", ShapeText(s));
  }
  s.set_element_type(PartType(s.element_type()));
  return s;
}

ShapeOr InferIsFinite(const InferenceContext& c) {
  Shape s = c.operand(0);
  if (!s.is_array() || !layout::IsFloat(s.element_type())) {
    return Mismatch("is-finite takes floating point, not ", ShapeText(s));
  }
  s.set_element_type(ElementType::kPred);
  return s;
}

ShapeOr InferBinary(const InferenceContext& c) {
  const Shape &a = c.operand(0), &b = c.operand(1);
  const Opcode opcode = c.module.instruction(c.id).opcode;
  if (auto same = CheckSameTypes(a, b); !same.ok()) return same;
  if ((ClassOf(a.element_type()) & BinaryAccepts(opcode)) == 0) {
    return Mismatch(OpcodeName(opcode), " does not take ", ShapeText(a));
  }
  return MergeDims(a, b, HigherPrecision(a.element_type(), b.element_type()));
}

ShapeOr InferCompare(const InferenceContext& c) {
  const Shape &a = c.operand(0), &b = c.operand(1);
  if (auto same = CheckSameTypes(a, b); !same.ok()) return same;
  return MergeDims(a, b, ElementType::kPred);
}

ShapeOr InferComplex(const InferenceContext& c) {
  const Shape &a = c.operand(0), &b = c.operand(1);
  if (a.element_type() != b.element_type() ||
      (a.element_type() != ElementType::kF32 && a.element_type() != ElementType::kF64)) {
    return Mismatch("complex takes two f32 or two f64, not ", ShapeText(a), " and ", ShapeText(b));
  }
  return MergeDims(a, b,
                   a.element_type() == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

ShapeOr InferClamp(const InferenceContext& c) {
  const Shape& s = c.operand(1);
  for (size_t i : {0, 2}) {
    if (auto same = CheckSameTypes(c.operand(i), s); !same.ok()) return same;
    if (c.operand(i).rank() != 0 && !layout::Compatible(c.operand(i), s)) {
      return Mismatch("the bound ", ShapeText(c.operand(i)), " is neither a scalar nor like ",
                      ShapeText(s));
    }
  }
  return &s;
}

ShapeOr InferSelect(const InferenceContext& c) {
  const Shape &p = c.operand(0), &a = c.operand(1), &b = c.operand(2);
  if (p.element_type() != ElementType::kPred) return Mismatch("the first operand is pred");
  if (auto same = CheckSameTypes(a, b); !same.ok()) return same;
  const ElementType type = HigherPrecision(a.element_type(), b.element_type());
  if (!HaveSameSizes(a, b)) {
    return Mismatch("the operands ", ShapeText(a), " and ", ShapeText(b), " differ");
  }
  if (p.rank() != 0 && !HaveSameSizes(p, a)) {
    return Mismatch("the condition ", ShapeText(p), " does not fit ", ShapeText(a));
  }
  return OfType(p.rank() == 0 ? a : p, type);
}

ShapeOr InferMap(const InferenceContext& c) {
  if (c.count() == 0 || c.callees() == 0) return Mismatch("map needs operands and to_apply");
  return WithType(c.operand(0), c.callee_result().element_type());
}

ShapeOr InferBatchNormTraining(const InferenceContext& c) {
  const int64_t f = GetInt(c.module, c.id, AttributeName::kFeatureIndex).value_or(-1);
  const Shape& s = c.operand(0);
  if (f < 0 || f >= s.rank()) return Mismatch("feature_index is not a dimension of ", ShapeText(s));
  const Shape feature = Shape::Array(s.element_type(), {s.dim(f)});
  return Shape::Tuple({s, feature, feature});
}

}  // namespace tessera::hlo
