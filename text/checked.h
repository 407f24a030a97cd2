// File: projection/core/checked.h
//
// 64-bit integers that remember an overflow, and the floor divisions of index arithmetic.
//
//   Checked bytes = Checked(rows) * columns * 4;
//   if (!bytes.ok()) return OverflowError("bytes of the block");
//   return bytes.value();
//
// Once an operation leaves the range of int64_t the flag stays set through everything computed from
// it, so that a long formula needs one test at its end. No value is ever wrapped or saturated:
// value() of a number that is not ok() is 0.
#ifndef TESSERA_PROJECTION_CORE_CHECKED_H_
#define TESSERA_PROJECTION_CORE_CHECKED_H_

#include <cstdint>

namespace tessera::projection {

class Checked {
 public:
  Checked(int64_t value)
      : value_(value) {}  // NOLINT: numbers convert freely, as they do in a formula

  bool ok() const { return ok_; }
  int64_t value() const { return ok_ ? value_ : 0; }

  friend Checked operator+(Checked a, Checked b) {
    Checked out(0);
    out.ok_ = !__builtin_add_overflow(a.value_, b.value_, &out.value_) && a.ok_ && b.ok_;
    return out;
  }
  friend Checked operator-(Checked a, Checked b) {
    Checked out(0);
    out.ok_ = !__builtin_sub_overflow(a.value_, b.value_, &out.value_) && a.ok_ && b.ok_;
    return out;
  }
  friend Checked operator*(Checked a, Checked b) {
    Checked out(0);
    out.ok_ = !__builtin_mul_overflow(a.value_, b.value_, &out.value_) && a.ok_ && b.ok_;
    return out;
  }
  Checked operator-() const { return Checked(0) - *this; }
  Checked& operator+=(Checked b) { return *this = *this + b; }
  Checked& operator-=(Checked b) { return *this = *this - b; }
  Checked& operator*=(Checked b) { return *this = *this * b; }

  // The absolute value; overflows for the least int64_t.
  Checked Abs() const { return value_ < 0 ? -*this : *this; }

 private:
  int64_t value_;
  bool ok_ = true;
};

// Quotients rounded down and up, and the remainder with the sign of the divisor. The divisor is not
// 0; the pair (least int64_t, -1) must not be asked for.
//   FloorDiv(-1, 4) == -1    CeilDiv(-1, 4) == 0    FloorMod(-1, 4) == 3
inline int64_t FloorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
inline int64_t CeilDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) == (b < 0))) ? q + 1 : q;
}
inline int64_t FloorMod(int64_t a, int64_t b) {
  int64_t m = a % b;
  return (m != 0 && ((m < 0) != (b < 0))) ? m + b : m;
}

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_CORE_CHECKED_H_
