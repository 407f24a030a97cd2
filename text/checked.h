// Arithmetic on sizes that come from a file: products of dimensions, bytes, groups of devices,
// trip counts. Nothing wraps. It is in namespace tessera itself, as every package calculates.
//
//   Checked bytes = Checked(rows) * columns * 4;
//   if (!bytes.ok()) return OverflowError("bytes of the block");
//   return bytes.value();
//
// Once an operation leaves the range of int64_t, the flag stays set in all results computed from
// it. So a long formula needs one test at its end. No value is ever wrapped or saturated: value()
// of a number that is not ok() is 0.
//
//   for (int64_t size : sizes) {
//     if (!MultiplyFits(product, size, &product)) return std::nullopt;    // one step at a time
//   }
//   bytes = SaturatingProduct(bytes, size);            // where the largest number stands for more
//
// Also here: the floor divisions of index arithmetic.

#ifndef TESSERA_TEXT_CHECKED_H_
#define TESSERA_TEXT_CHECKED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

namespace tessera {

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

// One step: false if the result leaves 64 bits, and *result is then not to be used.
[[nodiscard]] inline bool MultiplyFits(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_mul_overflow(a, b, result);
}
[[nodiscard]] inline bool AddFits(int64_t a, int64_t b, int64_t* result) {
  return !__builtin_add_overflow(a, b, result);
}

// The next decimal digit of a number that is being read: 10 * value + digit. The digits of a
// negative number are given as negative numbers, so that the least int64_t can be read.
[[nodiscard]] inline bool AppendDigit(int digit, int64_t* value) {
  return MultiplyFits(*value, 10, value) && AddFits(*value, digit, value);
}
[[nodiscard]] inline bool AppendDigit(unsigned digit, uint64_t* value) {
  return !__builtin_mul_overflow(*value, uint64_t{10}, value) &&
         !__builtin_add_overflow(*value, uint64_t{digit}, value);
}

// Of sizes whose product is known to fit; 1 of none.
template <typename Sizes>
int64_t Product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
}

// A number that is not negative, as the standard library counts.
inline size_t Index(int64_t i) { return static_cast<size_t>(i); }

// Of numbers that are not negative; the largest int64_t stands for all that are larger.
inline int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return MultiplyFits(a, b, &product) ? product : std::numeric_limits<int64_t>::max();
}
inline int64_t SaturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return AddFits(a, b, &sum) ? sum : std::numeric_limits<int64_t>::max();
}

// Quotients rounded down and up, and the remainder with the sign of the divisor. The divisor is not
// 0; the pair (least int64_t, -1) is not allowed.
//   FloorDiv(-1, 4) == -1    CeilDiv(-1, 4) == 0    FloorMod(-1, 4) == 3    RoundUp(5, 4) == 8
inline int64_t FloorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
inline int64_t CeilDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && ((a < 0) == (b < 0))) ? q + 1 : q;
}
inline int64_t RoundUp(int64_t size, int64_t unit) { return CeilDiv(size, unit) * unit; }
inline int64_t FloorMod(int64_t a, int64_t b) {
  int64_t m = a % b;
  return (m != 0 && ((m < 0) != (b < 0))) ? m + b : m;
}

}  // namespace tessera

#endif  // TESSERA_TEXT_CHECKED_H_
