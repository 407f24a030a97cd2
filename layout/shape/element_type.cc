#include "tessera/layout/element_type.h"

#include <array>
#include <cstddef>

namespace tessera::layout {
namespace {

struct TypeInfo {
  absl::string_view name;
  uint8_t bits = 0;
  NumberClass number_class = NumberClass::kNone;
};

// Indexed by the value of the enumerator.
constexpr std::array<TypeInfo, kNumElementTypes> kTypes = {{
    {"invalid"},
    {"pred", 1, NumberClass::kPred},
    {"s8", 8, NumberClass::kSigned},
    {"s16", 16, NumberClass::kSigned},
    {"s32", 32, NumberClass::kSigned},
    {"s64", 64, NumberClass::kSigned},
    {"u8", 8, NumberClass::kUnsigned},
    {"u16", 16, NumberClass::kUnsigned},
    {"u32", 32, NumberClass::kUnsigned},
    {"u64", 64, NumberClass::kUnsigned},
    {"f16", 16, NumberClass::kFloat},
    {"f32", 32, NumberClass::kFloat},
    {"f64", 64, NumberClass::kFloat},
    {"tuple"},
    {"opaque"},
    {"c64", 64, NumberClass::kComplex},
    {"bf16", 16, NumberClass::kFloat},
    {"token"},
    {"c128", 128, NumberClass::kComplex},
    {"f8e5m2", 8, NumberClass::kFloat},
    {"f8e4m3fn", 8, NumberClass::kFloat},
    {"s4", 4, NumberClass::kSigned},
    {"u4", 4, NumberClass::kUnsigned},
    {"f8e4m3b11fnuz", 8, NumberClass::kFloat},
    {"f8e5m2fnuz", 8, NumberClass::kFloat},
    {"f8e4m3fnuz", 8, NumberClass::kFloat},
    {"s2", 2, NumberClass::kSigned},
    {"u2", 2, NumberClass::kUnsigned},
    {"f8e4m3", 8, NumberClass::kFloat},
    {"f8e3m4", 8, NumberClass::kFloat},
    {"s1", 1, NumberClass::kSigned},
    {"u1", 1, NumberClass::kUnsigned},
    {"f4e2m1fn", 4, NumberClass::kFloat},
    {"f8e8m0fnu", 8, NumberClass::kFloat},
    {"buffer"},
    {"f6e3m2fn", 8, NumberClass::kFloat},
    {"f6e2m3fn", 8, NumberClass::kFloat},
}};

// Names hash into a table four times their number, probed linearly; built by the compiler.
constexpr size_t kSlots = 128;

constexpr size_t SlotOf(absl::string_view name) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(name[i]); };
  return (byte(0) * 7u + byte(name.size() / 2) * 29u + byte(name.size() - 1) * 3u +
          name.size() * 17u) %
         kSlots;
}

constexpr std::array<uint8_t, kSlots> MakeSlots() {
  std::array<uint8_t, kSlots> slots = {};
  for (size_t type = 0; type < kTypes.size(); ++type) {
    if (kTypes[type].number_class == NumberClass::kNone) continue;
    size_t slot = SlotOf(kTypes[type].name);
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<uint8_t>(type);
  }
  return slots;
}

constexpr std::array<uint8_t, kSlots> kSlotToType = MakeSlots();

const TypeInfo& InfoOf(ElementType type) {
  const size_t index = static_cast<size_t>(type);
  return kTypes[index < kTypes.size() ? index : 0];
}

}  // namespace

absl::string_view ElementTypeName(ElementType type) { return InfoOf(type).name; }

std::optional<ElementType> ElementTypeFromName(absl::string_view name) {
  if (name.empty()) return std::nullopt;
  for (size_t slot = SlotOf(name); kSlotToType[slot] != 0; slot = (slot + 1) % kSlots) {
    const uint8_t type = kSlotToType[slot];
    if (kTypes[type].name == name) return static_cast<ElementType>(type);
  }
  return std::nullopt;
}

int BitWidth(ElementType type) { return InfoOf(type).bits; }

int ByteWidth(ElementType type) { return (BitWidth(type) + 7) / 8; }

bool IsSubByte(ElementType type) {
  return BitWidth(type) < 8 && BitWidth(type) > 0 && type != ElementType::kPred;
}

NumberClass NumberClassOf(ElementType type) { return InfoOf(type).number_class; }

}  // namespace tessera::layout
