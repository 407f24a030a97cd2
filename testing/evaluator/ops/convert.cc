// Changes of the element type.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/number_format.h"
#include "tessera/testing/evaluator/kernel.h"

namespace tessera::testing::evaluator {
namespace {

// Towards zero; NaN is 0, and what does not fit is the nearest number that does.
int64_t Truncated(ElementType type, double x) {
  if (std::isnan(x)) return 0;
  const int width = layout::BitWidth(type);
  const bool is_signed = layout::IsSigned(type);
  const double high = std::ldexp(1.0, is_signed ? width - 1 : width);
  const double low = is_signed ? -high : 0;
  if (x <= low) return is_signed ? static_cast<int64_t>(~uint64_t{0} << (width - 1)) : 0;
  if (x >= high) return static_cast<int64_t>(~uint64_t{0} >> (64 - width + is_signed));
  return x >= 9.3e18 ? static_cast<int64_t>(static_cast<uint64_t>(x)) : static_cast<int64_t>(x);
}

double Real(ElementType type, const Cell& x) {
  if (layout::IsFloat(type) || layout::IsComplex(type)) return x.re;
  return layout::IsSigned(type) ? static_cast<double>(x.i)
                                : static_cast<double>(static_cast<uint64_t>(x.i));
}

bool IsReal(ElementType type) { return layout::IsFloat(type) || layout::IsComplex(type); }

Cell Converted(ElementType from, ElementType to, const Cell& x) {
  if (IsReal(to)) return Fit(to, {0, Real(from, x), x.im});
  if (to == ElementType::kPred) return {x.i != 0 || x.re != 0 || x.im != 0, 0, 0};
  return Fit(to, {IsReal(from) ? Truncated(to, x.re) : x.i, 0, 0});
}

// An array as real numbers: a complex one has two for each cell, as its memory has.
struct Parts {
  explicit Parts(const Array& a)
      : array(a), type(hlo::PartType(a.type)), each(layout::IsComplex(a.type) ? 2 : 1) {}
  uint64_t Bits(int64_t i) const {
    const Cell& cell = array.cells[i / each];
    return BitsOf(type, {cell.i, i % each == 0 ? cell.re : cell.im, 0});
  }

  const Array& array;
  ElementType type;
  int64_t each;
};

// Number `i` of type `to` in the memory of `in`; of several narrow ones the first is the lowest.
Cell Reinterpreted(const Parts& in, ElementType to, int64_t i) {
  const int from_width = layout::BitWidth(in.type), to_width = layout::BitWidth(to);
  if (to_width <= from_width) {
    const int64_t parts = from_width / to_width, shift = i % parts * to_width;
    return CellOfBits(to, (in.Bits(i / parts) >> shift) << (64 - to_width) >> (64 - to_width));
  }
  uint64_t bits = 0;
  for (int64_t parts = to_width / from_width, p = 0; p < parts; ++p)
    bits |= in.Bits(i * parts + p) << (p * from_width);
  return CellOfBits(to, bits);
}

}  // namespace

absl::StatusOr<Value> Convert(const Op& op) {
  Array out = op.Out();
  const Array& in = op.in(0);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims,
                     [&](int64_t i) { cells[i] = Converted(in.type, out.type, in.cells[i]); });
  return out;
}

absl::StatusOr<Value> BitcastConvert(const Op& op) {
  Array out = op.Out();
  if (out.type == op.in(0).type) return *op.operands[0];
  const Parts in(op.in(0));
  const ElementType part = hlo::PartType(out.type);
  const bool complex = layout::IsComplex(out.type);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    cells[i] = Reinterpreted(in, part, complex ? 2 * i : i);
    if (complex) cells[i].im = Reinterpreted(in, part, 2 * i + 1).re;
  });
  return out;
}

// Rounds to a float of the given bits, whatever its exponent range; then cuts the range.
absl::StatusOr<Value> ReducePrecision(const Op& op) {
  const int64_t mantissa = hlo::GetInt(op.module, op.id, AttributeName::kMantissaBits).value_or(52);
  const int64_t exponent = hlo::GetInt(op.module, op.id, AttributeName::kExponentBits).value_or(11);
  const int64_t bias = (int64_t{1} << (exponent - 1)) - 1;
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const double x = op.in(0).cells[i].re;
    int e = 0;
    const double unit = std::ldexp(std::frexp(x, &e), static_cast<int>(mantissa) + 1);
    double y = std::ldexp(std::nearbyint(unit), e - static_cast<int>(mantissa) - 1);
    if (std::fabs(y) >= std::ldexp(1.0, static_cast<int>(bias) + 1)) y = std::copysign(INFINITY, x);
    if (std::fabs(y) < std::ldexp(1.0, 1 - static_cast<int>(bias))) y = std::copysign(0.0, x);
    cells[i].re = std::isfinite(x) ? y : x;
  });
  return out;
}

// Rounds up when the fraction that is lost is more than the random bits as a fraction.
absl::StatusOr<Value> StochasticConvert(const Op& op) {
  Array out = op.Out();
  const Array& noise = op.in(1);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const double x = op.in(0).cells[i].re;
    const double threshold = std::ldexp(static_cast<double>(BitsOf(noise.type, noise.cells[i])),
                                        -layout::BitWidth(noise.type));
    const double whole = std::trunc(x);
    const double up = std::fabs(x - whole) > threshold ? std::copysign(1.0, x) : 0;
    cells[i] = layout::IsFloat(out.type) ? Fit(out.type, {0, x, 0})
                                         : Fit(out.type, {Truncated(out.type, whole + up), 0, 0});
  });
  return out;
}

absl::StatusOr<Value> Complex(const Op& op) {
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    cells[i] = {0, op.in(0).cells[i].re, op.in(1).cells[i].re};
  });
  return out;
}

}  // namespace tessera::testing::evaluator
