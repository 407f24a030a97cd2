// Operations on one number. Real functions are computed in double and rounded once by the caller.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "tessera/hlo/number_format.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"

namespace tessera::testing::evaluator {
namespace {

uint64_t Bits(ElementType type, int64_t x) { return BitsOf(type, {x, 0, 0}); }

double SignOf(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
Number SignOfComplex(Number x) { return x == Number(0) ? x : x / std::abs(x); }
int64_t IntegerSign(ElementType type, int64_t x) {
  if (!layout::IsSigned(type)) return x != 0;
  return (x > 0) - (x < 0);
}
int64_t IntegerAbs(ElementType type, int64_t x) {
  return layout::IsSigned(type) && x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
}
int64_t IntegerNegate(ElementType, int64_t x) {
  return static_cast<int64_t>(-static_cast<uint64_t>(x));
}
int64_t IntegerNot(ElementType type, int64_t x) { return type == ElementType::kPred ? x == 0 : ~x; }
int64_t LeadingZeros(ElementType type, int64_t x) {
  const uint64_t bits = Bits(type, x);
  return bits == 0 ? layout::BitWidth(type) : __builtin_clzll(bits) - (64 - layout::BitWidth(type));
}
int64_t BitCount(ElementType type, int64_t x) { return __builtin_popcountll(Bits(type, x)); }
double RoundAway(double x) { return std::round(x); }
double RoundEven(double x) { return std::nearbyint(x); }
double Rsqrt(double x) { return 1 / std::sqrt(x); }
double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
Number ComplexExpm1(Number x) { return std::exp(x) - 1.0; }
Number ComplexLog1p(Number x) { return std::log(1.0 + x); }
Number ComplexRsqrt(Number x) { return 1.0 / std::sqrt(x); }
Number ComplexLogistic(Number x) { return 1.0 / (1.0 + std::exp(-x)); }

#define REAL(f) [](double x) -> double { return f(x); }
#define COMPLEX(f) [](Number x) -> Number { return f(x); }

const UnaryRow kUnary[] = {
    {Opcode::kAbs, REAL(std::fabs), COMPLEX(std::abs), IntegerAbs},
    {Opcode::kAcos, REAL(std::acos), COMPLEX(std::acos), nullptr},
    {Opcode::kAcosh, REAL(std::acosh), COMPLEX(std::acosh), nullptr},
    {Opcode::kAsin, REAL(std::asin), COMPLEX(std::asin), nullptr},
    {Opcode::kAsinh, REAL(std::asinh), COMPLEX(std::asinh), nullptr},
    {Opcode::kAtanh, REAL(std::atanh), COMPLEX(std::atanh), nullptr},
    {Opcode::kCbrt, REAL(std::cbrt), nullptr, nullptr},
    {Opcode::kCeil, REAL(std::ceil), nullptr, nullptr},
    {Opcode::kCosh, REAL(std::cosh), COMPLEX(std::cosh), nullptr},
    {Opcode::kCosine, REAL(std::cos), COMPLEX(std::cos), nullptr},
    {Opcode::kCountLeadingZeros, nullptr, nullptr, LeadingZeros},
    {Opcode::kErf, REAL(std::erf), nullptr, nullptr},
    {Opcode::kExponential, REAL(std::exp), COMPLEX(std::exp), nullptr},
    {Opcode::kExponentialMinusOne, REAL(std::expm1), ComplexExpm1, nullptr},
    {Opcode::kFloor, REAL(std::floor), nullptr, nullptr},
    {Opcode::kImag, [](double) { return 0.0; }, [](Number x) { return Number(x.imag()); }, nullptr},
    {Opcode::kIsFinite, [](double x) { return std::isfinite(x) ? 1.0 : 0.0; }, nullptr, nullptr},
    {Opcode::kLog, REAL(std::log), COMPLEX(std::log), nullptr},
    {Opcode::kLogPlusOne, REAL(std::log1p), ComplexLog1p, nullptr},
    {Opcode::kLogistic, Logistic, ComplexLogistic, nullptr},
    {Opcode::kNegate, [](double x) { return -x; }, [](Number x) { return -x; }, IntegerNegate},
    {Opcode::kNot, nullptr, nullptr, IntegerNot},
    {Opcode::kPopcnt, nullptr, nullptr, BitCount},
    {Opcode::kReal, [](double x) { return x; }, [](Number x) { return Number(x.real()); }, nullptr},
    {Opcode::kRoundNearestAfz, RoundAway, nullptr, nullptr},
    {Opcode::kRoundNearestEven, RoundEven, nullptr, nullptr},
    {Opcode::kRsqrt, Rsqrt, ComplexRsqrt, nullptr},
    {Opcode::kSign, SignOf, SignOfComplex, IntegerSign},
    {Opcode::kSine, REAL(std::sin), COMPLEX(std::sin), nullptr},
    {Opcode::kSinh, REAL(std::sinh), COMPLEX(std::sinh), nullptr},
    {Opcode::kSqrt, REAL(std::sqrt), COMPLEX(std::sqrt), nullptr},
    {Opcode::kTan, REAL(std::tan), COMPLEX(std::tan), nullptr},
    {Opcode::kTanh, REAL(std::tanh), COMPLEX(std::tanh), nullptr},
};

#undef REAL
#undef COMPLEX

}  // namespace

const UnaryRow* FindUnary(Opcode opcode) {
  const UnaryRow* row = std::find_if(std::begin(kUnary), std::end(kUnary),
                                     [&](const UnaryRow& r) { return r.opcode == opcode; });
  return row == std::end(kUnary) ? nullptr : row;
}

Cell Apply1(const UnaryRow& row, ElementType type, const Cell& x) {
  if (layout::IsFloat(type) && row.real != nullptr) return Fit(type, {0, row.real(x.re), 0});
  if (layout::IsComplex(type) && row.complex != nullptr) {
    const Number y = row.complex(Number(x.re, x.im));
    return Fit(type, {0, y.real(), y.imag()});
  }
  if (!layout::IsFloat(type) && row.integer != nullptr)
    return Fit(type, {row.integer(type, x.i), 0, 0});
  return Cell();
}

// Some results have another type than the operand: the real type of a complex number, or pred.
absl::StatusOr<Value> Unary(const Op& op) {
  const UnaryRow& row = *FindUnary(op.opcode());
  Array out = op.Out();
  const Array& in = op.in(0);
  const bool test = out.type == ElementType::kPred && in.type != out.type;
  Cell* cells = out.cells.Data();
  op.ForEachPosition(out.dims, [&](int64_t i) {
    const Cell y = Apply1(row, in.type, in.cells[i]);
    cells[i] = Fit(out.type, test ? Cell{y.re != 0, 0, 0} : y);
  });
  return out;
}

}  // namespace tessera::testing::evaluator
