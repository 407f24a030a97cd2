// The element types of HLO arrays: name, width, storage.
//
//   ElementType t = *ElementTypeFromName("bf16");
//   ElementTypeName(t);                    // "bf16"
//   BitWidth(t), ByteWidth(t);             // 16, 2
//   BitWidth(ElementType::kPred);          // 1 bit of information ...
//   ByteWidth(ElementType::kPred);         // ... in 1 byte of storage
//
// An enumerator's value is the number the type has in HLO protos, so no table is needed to
// read or write one.

#ifndef TESSERA_LAYOUT_ELEMENT_TYPE_H_
#define TESSERA_LAYOUT_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tessera::layout {

// The kinds of shapes that are no arrays (tuple, opaque, token, buffer) keep their numbers here for
// readers of protos; no array has one of them as its element type.
enum class ElementType : uint8_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kTuple = 13,
  kOpaque = 14,
  kC64 = 15,
  kBf16 = 16,
  kToken = 17,
  kC128 = 18,
  kF8e5m2 = 19,
  kF8e4m3fn = 20,
  kS4 = 21,
  kU4 = 22,
  kF8e4m3b11fnuz = 23,
  kF8e5m2fnuz = 24,
  kF8e4m3fnuz = 25,
  kS2 = 26,
  kU2 = 27,
  kF8e4m3 = 28,
  kF8e3m4 = 29,
  kS1 = 30,
  kU1 = 31,
  kF4e2m1fn = 32,
  kF8e8m0fnu = 33,
  kBuffer = 34,
  kF6e3m2fn = 35,
  kF6e2m3fn = 36,
};

inline constexpr int kNumElementTypes = 37;

// The meaning of the bits of an element.
enum class NumberClass : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex };

// Text name, always lower case; "invalid" for kInvalid and for a value that is no enumerator.
absl::string_view ElementTypeName(ElementType type);

// The array element type of that name, in constant time. Nothing for names of non-array kinds
// ("token", "tuple", ...), for upper case, and for anything else.
std::optional<ElementType> ElementTypeFromName(absl::string_view name);

// Bits of one element; the 6-bit floats count as 8 wide, as in XLA. 0 for a non-array kind.
int BitWidth(ElementType type);

// Bytes of one element as stored when a layout says nothing else: BitWidth rounded up.
int ByteWidth(ElementType type);

// True if packing several elements into one byte is meaningful: s1 s2 s4 u1 u2 u4 f4e2m1fn.
bool IsSubByte(ElementType type);

NumberClass NumberClassOf(ElementType type);

// True if `type` may be the element type of an array.
inline bool IsArrayType(ElementType type) { return NumberClassOf(type) != NumberClass::kNone; }
inline bool IsFloat(ElementType type) { return NumberClassOf(type) == NumberClass::kFloat; }
inline bool IsComplex(ElementType type) { return NumberClassOf(type) == NumberClass::kComplex; }
inline bool IsSigned(ElementType type) { return NumberClassOf(type) == NumberClass::kSigned; }
inline bool IsUnsigned(ElementType type) { return NumberClassOf(type) == NumberClass::kUnsigned; }
inline bool IsInteger(ElementType type) { return IsSigned(type) || IsUnsigned(type); }

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_ELEMENT_TYPE_H_
