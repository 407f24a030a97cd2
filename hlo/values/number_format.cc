// All float types but f64 are handled by one pair of functions over a table of their fields.
//
// A positive finite value a has an exponent e: 2^e <= a < 2^(e+1), and e is at least that of the
// smallest normal number. It is r quanta of 2^(e - mantissa_bits), r rounded to nearest even. Its
// bits are ((e - e_min) << mantissa_bits) + r. The hidden bit of r adds one to the exponent field
// of normal numbers, and a carry out of the mantissa goes where it should. Tested by
// literal_test.cc.

#include "tessera/hlo/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;
using Special = FloatFormat::Special;

struct FormatTable {
  FloatFormat of[layout::kNumElementTypes];

  constexpr void Set(ElementType type, FloatFormat format) { of[static_cast<int>(type)] = format; }
  constexpr FormatTable() : of{} {
    Set(ElementType::kF64, {11, 52, 1023, Special::kIeee, 15});
    Set(ElementType::kC128, {11, 52, 1023, Special::kIeee, 15});
    Set(ElementType::kF32, {8, 23, 127, Special::kIeee, 6});
    Set(ElementType::kC64, {8, 23, 127, Special::kIeee, 6});
    Set(ElementType::kF16, {5, 10, 15, Special::kIeee, 5});
    Set(ElementType::kBf16, {8, 7, 127, Special::kIeee, 4});
    Set(ElementType::kF8e5m2, {5, 2, 15, Special::kIeee, 2});
    Set(ElementType::kF8e4m3, {4, 3, 7, Special::kIeee, 3});
    Set(ElementType::kF8e3m4, {3, 4, 3, Special::kIeee, 3});
    Set(ElementType::kF8e4m3fn, {4, 3, 7, Special::kOneNan, 3});
    Set(ElementType::kF8e4m3b11fnuz, {4, 3, 11, Special::kNoNegZero, 3});
    Set(ElementType::kF8e4m3fnuz, {4, 3, 8, Special::kNoNegZero, 3});
    Set(ElementType::kF8e5m2fnuz, {5, 2, 16, Special::kNoNegZero, 2});
    Set(ElementType::kF4e2m1fn, {2, 1, 1, Special::kFinite, 2});
    Set(ElementType::kF6e2m3fn, {2, 3, 1, Special::kFinite, 3});
    Set(ElementType::kF6e3m2fn, {3, 2, 3, Special::kFinite, 2});
    Set(ElementType::kF8e8m0fnu, {8, 0, 127, Special::kExponent, 2});
  }
};
constexpr FormatTable kFormats;

uint64_t SignBit(const FloatFormat& f) { return uint64_t{1} << (f.width() - 1); }
// All ones below the sign.
uint64_t Magnitude(const FloatFormat& f) { return SignBit(f) - 1; }
uint64_t Infinity(const FloatFormat& f) {
  return ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
}

uint64_t LargestFinite(const FloatFormat& f) {
  if (f.special == Special::kIeee) return Infinity(f) - 1;
  return f.special == Special::kOneNan ? Magnitude(f) - 1 : Magnitude(f);
}

// f8e8m0fnu: the exponent alone; halfway goes up, and what is too small becomes the smallest.
bool EncodePower(double value, uint64_t* bits) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // [0.5, 1)
  const int64_t field = std::max<int64_t>(exponent - 1 + 127 + (fraction >= 0.75 ? 1 : 0), 0);
  const bool good = value > 0 && std::isfinite(value) && field < 255;
  *bits = good ? static_cast<uint64_t>(field) : 255;
  return good || !std::isfinite(value);
}

uint64_t RoundMagnitude(const FloatFormat& f, double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int smallest = 1 - f.bias;
  const int e = std::max(exponent - 1, smallest);
  const double quanta = std::nearbyint(std::ldexp(value, f.mantissa_bits - e));
  return (static_cast<uint64_t>(e - smallest) << f.mantissa_bits) + static_cast<uint64_t>(quanta);
}

// The bits of an infinite or too large value.
uint64_t Overflow(ElementType type, const FloatFormat& f, bool negative) {
  if (f.special == Special::kIeee) return Infinity(f) | (negative ? SignBit(f) : 0);
  if (f.special == Special::kFinite) return LargestFinite(f) | (negative ? SignBit(f) : 0);
  return QuietNan(type, negative);
}

}  // namespace

const FloatFormat& FormatOf(ElementType type) { return kFormats.of[static_cast<int>(type)]; }

ElementType PartType(ElementType type) {
  if (type == ElementType::kC64) return ElementType::kF32;
  return type == ElementType::kC128 ? ElementType::kF64 : type;
}

uint64_t QuietNan(ElementType type, bool negative) {
  const FloatFormat& f = FormatOf(type);
  const uint64_t sign = negative ? SignBit(f) : 0;
  switch (f.special) {
    case Special::kIeee:
      return sign | Infinity(f) | (uint64_t{1} << (f.mantissa_bits - 1));
    case Special::kOneNan:
      return sign | Magnitude(f);
    case Special::kNoNegZero:
      return SignBit(f);
    case Special::kFinite:
      return SignBit(f);
    case Special::kExponent:
      return 255;
  }
  return 0;
}

int PayloadBits(ElementType type) {
  const FloatFormat& f = FormatOf(type);
  return f.special == Special::kIeee ? f.mantissa_bits : 0;
}

uint64_t NanWithPayload(ElementType type, bool negative, uint64_t payload) {
  const FloatFormat& f = FormatOf(type);
  return (negative ? SignBit(f) : 0) | Infinity(f) | payload;
}

bool EncodeFloat(ElementType type, double value, uint64_t* bits) {
  type = PartType(type);
  const FloatFormat& f = FormatOf(type);
  if (type == ElementType::kF64) {
    std::memcpy(bits, &value, sizeof(value));
    return true;
  }
  const bool negative = std::signbit(value);
  if (std::isnan(value)) {
    *bits = QuietNan(type, negative);
    return true;
  }
  if (f.special == Special::kExponent) return EncodePower(value, bits);
  const bool finite = std::isfinite(value);
  // These two go through f32 in XLA, which rounds twice.
  if (finite && (type == ElementType::kF16 || type == ElementType::kBf16)) {
    value = std::abs(value) > std::numeric_limits<float>::max() ? value : static_cast<float>(value);
  }
  const double size = std::abs(value);
  const uint64_t magnitude = !finite ? ~uint64_t{0} : size == 0 ? 0 : RoundMagnitude(f, size);
  if (magnitude > LargestFinite(f)) {
    *bits = Overflow(type, f, negative);
    return !finite || f.special == Special::kFinite;
  }
  const bool keeps_sign = magnitude != 0 || f.special != Special::kNoNegZero;
  *bits = magnitude | (negative && keeps_sign ? SignBit(f) : 0);
  return true;
}

double DecodeFloat(ElementType type, uint64_t bits) {
  type = PartType(type);
  const FloatFormat& f = FormatOf(type);
  if (type == ElementType::kF64) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (f.special == Special::kExponent) {
    return bits == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  const bool negative = (bits & SignBit(f)) != 0;
  if (f.special == Special::kNoNegZero && bits == SignBit(f)) return -std::nan("");
  const uint64_t magnitude = bits & Magnitude(f);
  const double sign = negative ? -1 : 1;
  if (magnitude > LargestFinite(f)) {
    const bool infinite = f.special == Special::kIeee && magnitude == Infinity(f);
    return std::copysign(infinite ? std::numeric_limits<double>::infinity() : std::nan(""), sign);
  }
  const int field = static_cast<int>(magnitude >> f.mantissa_bits);
  const uint64_t fraction = magnitude & ((uint64_t{1} << f.mantissa_bits) - 1);
  const uint64_t quanta = field == 0 ? fraction : fraction | (uint64_t{1} << f.mantissa_bits);
  return sign *
         std::ldexp(static_cast<double>(quanta), std::max(field, 1) - f.bias - f.mantissa_bits);
}

bool IntegerFits(ElementType type, int64_t value) {
  const int width = layout::BitWidth(type);
  if (type == ElementType::kPred || width >= 64) return true;
  if (layout::IsUnsigned(type)) return static_cast<uint64_t>(value) >> width == 0;
  const int64_t limit = int64_t{1} << (width - 1);
  return value >= -limit && value < limit;
}

namespace {

std::string PrintNan(ElementType type, uint64_t bits, bool negative) {
  std::string text = negative ? "-nan" : "nan";
  const int width = PayloadBits(type);
  if (width == 0 || bits == QuietNan(type, negative)) return text;
  const uint64_t payload = bits & ((uint64_t{1} << width) - 1);
  absl::StrAppendFormat(&text, "(0x%x)", payload);
  return text;
}

std::string PrintFloat(ElementType type, uint64_t bits) {
  const double value = DecodeFloat(type, bits);
  if (std::isnan(value)) return PrintNan(type, bits, (bits & SignBit(FormatOf(type))) != 0);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const int digits = FormatOf(type).print_digits;
  std::string text = absl::StrFormat("%.*g", digits, value);
  if (type == ElementType::kF32 &&
      std::strtof(text.c_str(), nullptr) != static_cast<float>(value)) {
    return absl::StrFormat("%.9g", value);
  }
  if (type == ElementType::kF64 && std::strtod(text.c_str(), nullptr) != value) {
    return absl::StrFormat("%.17g", value);
  }
  return text;
}

int64_t SignExtend(ElementType type, uint64_t bits) {
  const int unused = 64 - layout::BitWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

}  // namespace

std::string PrintElement(ElementType type, uint64_t bits) {
  type = PartType(type);
  if (layout::IsFloat(type)) return PrintFloat(type, bits);
  if (layout::IsSigned(type)) return absl::StrCat(SignExtend(type, bits));
  return absl::StrCat(bits);
}

}  // namespace tessera::hlo
