// Operations on two numbers of one type.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"

namespace tessera::testing::evaluator {
namespace {

uint64_t U(int64_t x) { return static_cast<uint64_t>(x); }
int64_t S(uint64_t x) { return static_cast<int64_t>(x); }

int64_t IntegerAdd(ElementType, int64_t x, int64_t y) { return S(U(x) + U(y)); }
int64_t IntegerSubtract(ElementType, int64_t x, int64_t y) { return S(U(x) - U(y)); }
int64_t IntegerMultiply(ElementType, int64_t x, int64_t y) { return S(U(x) * U(y)); }

// Division by 0 gives all ones; the one signed quotient that does not fit wraps.
int64_t IntegerDivide(ElementType type, int64_t x, int64_t y) {
  if (y == 0) return -1;
  if (!layout::IsSigned(type)) return S(U(x) / U(y));
  return y == -1 ? S(-U(x)) : x / y;
}
int64_t IntegerRemainder(ElementType type, int64_t x, int64_t y) {
  if (y == 0) return x;
  if (!layout::IsSigned(type)) return S(U(x) % U(y));
  return y == -1 ? 0 : x % y;
}
bool IntegerLess(ElementType type, int64_t x, int64_t y) {
  return layout::IsSigned(type) ? x < y : U(x) < U(y);
}
int64_t IntegerMaximum(ElementType type, int64_t x, int64_t y) {
  return IntegerLess(type, x, y) ? y : x;
}
int64_t IntegerMinimum(ElementType type, int64_t x, int64_t y) {
  return IntegerLess(type, y, x) ? y : x;
}
int64_t IntegerPower(ElementType type, int64_t x, int64_t y) {
  if (layout::IsSigned(type) && y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t power = 1, base = U(x);
  for (uint64_t n = U(y); n != 0; n >>= 1, base *= base) power *= n & 1 ? base : 1;
  return S(power);
}
int64_t MultiplyHigh(ElementType type, int64_t x, int64_t y) {
  const int width = layout::BitWidth(type);
  if (layout::IsSigned(type))
    return S(static_cast<uint64_t>((static_cast<__int128>(x) * y) >> width));
  return S(static_cast<uint64_t>((static_cast<unsigned __int128>(U(x)) * U(y)) >> width));
}
// Shifts by the width or more shift everything out.
bool IsLong(ElementType type, int64_t by) { return U(by) >= U(layout::BitWidth(type)); }
int64_t ShiftLeft(ElementType type, int64_t x, int64_t by) {
  return IsLong(type, by) ? 0 : S(U(x) << by);
}
int64_t ShiftRightLogical(ElementType type, int64_t x, int64_t by) {
  return IsLong(type, by) ? 0 : S(BitsOf(type, {x, 0, 0}) >> by);
}
int64_t ShiftRightArithmetic(ElementType type, int64_t x, int64_t by) {
  const int unused = 64 - layout::BitWidth(type);
  const int64_t extended = S(U(x) << unused) >> unused;
  return extended >> (IsLong(type, by) ? 63 : by);
}
int64_t And(ElementType, int64_t x, int64_t y) { return x & y; }
int64_t Or(ElementType, int64_t x, int64_t y) { return x | y; }
int64_t Xor(ElementType, int64_t x, int64_t y) { return x ^ y; }

double Maximum(double x, double y) {
  return std::isnan(x) ? x : std::isnan(y) ? y : std::max(x, y);
}
double Minimum(double x, double y) {
  return std::isnan(x) ? x : std::isnan(y) ? y : std::min(x, y);
}

const BinaryRow kBinary[] = {
    {Opcode::kAdd, [](double x, double y) { return x + y; },
     [](Number x, Number y) { return x + y; }, IntegerAdd},
    {Opcode::kAnd, nullptr, nullptr, And},
    {Opcode::kAtan2, [](double x, double y) { return std::atan2(x, y); }, nullptr, nullptr},
    {Opcode::kDivide, [](double x, double y) { return x / y; },
     [](Number x, Number y) { return x / y; }, IntegerDivide},
    {Opcode::kMaximum, Maximum, nullptr, IntegerMaximum},
    {Opcode::kMinimum, Minimum, nullptr, IntegerMinimum},
    {Opcode::kMulhi, nullptr, nullptr, MultiplyHigh},
    {Opcode::kMultiply, [](double x, double y) { return x * y; },
     [](Number x, Number y) { return x * y; }, IntegerMultiply},
    {Opcode::kOr, nullptr, nullptr, Or},
    {Opcode::kPower, [](double x, double y) { return std::pow(x, y); },
     [](Number x, Number y) { return std::pow(x, y); }, IntegerPower},
    {Opcode::kRemainder, [](double x, double y) { return std::fmod(x, y); }, nullptr,
     IntegerRemainder},
    {Opcode::kShiftLeft, nullptr, nullptr, ShiftLeft},
    {Opcode::kShiftRightArithmetic, nullptr, nullptr, ShiftRightArithmetic},
    {Opcode::kShiftRightLogical, nullptr, nullptr, ShiftRightLogical},
    {Opcode::kSubtract, [](double x, double y) { return x - y; },
     [](Number x, Number y) { return x - y; }, IntegerSubtract},
    {Opcode::kXor, nullptr, nullptr, Xor},
};

}  // namespace

const BinaryRow* FindBinary(Opcode opcode) {
  const BinaryRow* row = std::find_if(std::begin(kBinary), std::end(kBinary),
                                      [&](const BinaryRow& r) { return r.opcode == opcode; });
  return row == std::end(kBinary) ? nullptr : row;
}

// On pred, add is or and multiply is and.
Cell Apply2(const BinaryRow& row, ElementType type, const Cell& x, const Cell& y) {
  if (layout::IsFloat(type) && row.real != nullptr) return Fit(type, {0, row.real(x.re, y.re), 0});
  if (layout::IsComplex(type) && row.complex != nullptr) {
    const Number z = row.complex(Number(x.re, x.im), Number(y.re, y.im));
    return Fit(type, {0, z.real(), z.imag()});
  }
  if (!layout::IsFloat(type) && row.integer != nullptr)
    return Fit(type, {row.integer(type, x.i, y.i), 0, 0});
  return Cell();
}

bool Less(ElementType type, const Cell& x, const Cell& y) {
  return layout::IsFloat(type) ? x.re < y.re : IntegerLess(type, x.i, y.i);
}

absl::StatusOr<Value> Binary(const Op& op) {
  const BinaryRow& row = *FindBinary(op.opcode());
  Array out = op.Out();
  const Array &x = op.in(0), &y = op.in(1);
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims,
                     [&](int64_t i) { cells[i] = Apply2(row, out.type, x.cells[i], y.cells[i]); });
  return out;
}

}  // namespace tessera::testing::evaluator
