#include "tessera/testing/evaluator/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tessera/hlo/number_format.h"

namespace tessera::testing::evaluator {
namespace {

bool SameDouble(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(a)) == 0;
}

double FitFloat(ElementType type, double x) {
  if (type == ElementType::kF64) return x;
  if (type == ElementType::kF32) return static_cast<float>(x);
  uint64_t bits = 0;
  hlo::EncodeFloat(type, x, &bits);
  return hlo::DecodeFloat(type, bits);
}

int64_t FitInteger(ElementType type, int64_t x) {
  const int unused = 64 - layout::BitWidth(type);
  if (unused == 0) return x;
  const uint64_t high = static_cast<uint64_t>(x) << unused;
  return layout::IsSigned(type) ? static_cast<int64_t>(high) >> unused
                                : static_cast<int64_t>(high >> unused);
}

template <typename V, typename A>
void AppendLeaves(V& value, std::vector<A*>* out) {
  if (value.is_array) out->push_back(&value.array);
  for (auto& element : value.elements) AppendLeaves(element, out);
}

}  // namespace

bool SameCell(const Cell& a, const Cell& b) {
  return a.i == b.i && SameDouble(a.re, b.re) && SameDouble(a.im, b.im);
}

bool Array::Has(const ZPoint& index) const {
  for (int d = 0; d < rank(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return false;
  }
  return true;
}

Array MakeArray(ElementType type, const ZPoint& dims) {
  Array a;
  a.type = type;
  a.dims = dims;
  int64_t size = 1;
  for (int64_t d : dims) size *= d;
  a.cells = CellArray(static_cast<size_t>(size));
  return a;
}

Array MakeArray(const layout::Shape& shape) {
  return MakeArray(shape.array().element_type(), ZPoint(shape.array().dims()));
}

Array MakeScalar(ElementType type, const Cell& cell) {
  Array a = MakeArray(type, ZPoint());
  a.cells[0] = cell;
  return a;
}

Value MakeTuple(std::vector<Value> elements) {
  Value v;
  v.elements = std::move(elements);
  return v;
}

Value MakeValue(const layout::Shape& shape) {
  if (shape.is_array() || shape.is_buffer()) return MakeArray(shape);
  Value v;
  for (const layout::Shape& element : shape.tuple_elements())
    v.elements.push_back(MakeValue(element));
  return v;
}

std::vector<const Array*> Leaves(const Value& value) {
  std::vector<const Array*> out;
  AppendLeaves(value, &out);
  return out;
}

std::vector<Array*> Leaves(Value* value) {
  std::vector<Array*> out;
  AppendLeaves(*value, &out);
  return out;
}

bool SameValue(const Value& a, const Value& b) {
  const std::vector<const Array*> x = Leaves(a), y = Leaves(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Array* p, const Array* q) {
    return p->dims == q->dims &&
           std::equal(p->cells.Raw(), p->cells.Raw() + p->size(), q->cells.Raw(), SameCell);
  });
}

Cell Fit(ElementType type, const Cell& cell) {
  switch (layout::NumberClassOf(type)) {
    case layout::NumberClass::kPred:
      return {cell.i != 0, 0, 0};
    case layout::NumberClass::kFloat:
      return {0, FitFloat(type, cell.re), 0};
    case layout::NumberClass::kComplex:
      return {0, FitFloat(hlo::PartType(type), cell.re), FitFloat(hlo::PartType(type), cell.im)};
    default:
      return {FitInteger(type, cell.i), 0, 0};
  }
}

uint64_t BitsOf(ElementType type, const Cell& cell) {
  if (layout::IsFloat(type) || layout::IsComplex(type)) {
    uint64_t bits = 0;
    hlo::EncodeFloat(hlo::PartType(type), cell.re, &bits);
    return bits;
  }
  const int unused = 64 - layout::BitWidth(type);
  return (static_cast<uint64_t>(cell.i) << unused) >> unused;
}

Cell CellOfBits(ElementType type, uint64_t bits) {
  if (layout::IsFloat(type)) return {0, hlo::DecodeFloat(type, bits), 0};
  return Fit(type, {static_cast<int64_t>(bits), 0, 0});
}

}  // namespace tessera::testing::evaluator
