// The bits of array elements: from numbers, to numbers, to text.
//
//   EncodeFloat(ElementType::kBf16, 1.5, &bits);      // bits = 0x3fc0
//   DecodeFloat(ElementType::kBf16, 0x3fc0);          // 1.5
//   PrintElement(ElementType::kBf16, 0x3fc0);         // "1.5"

#ifndef TESSERA_HLO_NUMBER_FORMAT_H_
#define TESSERA_HLO_NUMBER_FORMAT_H_

#include <cstdint>
#include <string>

#include "tessera/layout/element_type.h"

namespace tessera::hlo {

// How a float type spends its bits.
struct FloatFormat {
  enum class Special : uint8_t {
    kIeee,       // infinities, and NaNs with payload
    kOneNan,     // no infinity; all ones but the sign is NaN
    kNoNegZero,  // no infinity, no -0: its pattern is the NaN
    kFinite,     // neither infinity nor NaN: saturates
    kExponent,   // powers of two above 0 only; all ones is NaN
  };
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  Special special = Special::kIeee;
  int print_digits = 0;

  int width() const { return 1 + exponent_bits + mantissa_bits; }
};

// Of a float type; for c64 and c128 that of a part.
const FloatFormat& FormatOf(layout::ElementType type);
// Of complex types the type of a part, of others the type itself.
layout::ElementType PartType(layout::ElementType type);

// Round to nearest even. False if a finite value has no finite counterpart (the bits are then an
// infinity or a NaN).
bool EncodeFloat(layout::ElementType type, double value, uint64_t* bits);
double DecodeFloat(layout::ElementType type, uint64_t bits);

// The quiet NaN, and the NaN with this payload.
uint64_t QuietNan(layout::ElementType type, bool negative);
uint64_t NanWithPayload(layout::ElementType type, bool negative, uint64_t payload);
// Number of payload bits, 0 for types whose NaN has none.
int PayloadBits(layout::ElementType type);

// True if the 64-bit pattern is a value of the integer type: s64 and u64 take all, other signed
// types compare as signed, other unsigned types as unsigned; pred takes all.
bool IntegerFits(layout::ElementType type, int64_t value);

// One element or one part of a complex one, as XLA prints it inside an array (pred: 0 and 1).
std::string PrintElement(layout::ElementType type, uint64_t bits);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_NUMBER_FORMAT_H_
