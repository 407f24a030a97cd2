#include "tessera/layout/element_type.h"

#include "gtest/gtest.h"

namespace tessera::layout {
namespace {

struct Row {
  const char* name;
  int bits;
  int bytes;
  int proto;
};

constexpr Row kRows[] = {
    {"pred", 1, 1, 1},           {"s1", 1, 1, 30},       {"u4", 4, 1, 22},
    {"s32", 32, 4, 4},           {"u64", 64, 8, 9},      {"bf16", 16, 2, 16},
    {"f8e4m3b11fnuz", 8, 1, 23}, {"f4e2m1fn", 4, 1, 32}, {"f6e3m2fn", 8, 1, 35},
    {"f8e8m0fnu", 8, 1, 33},     {"c128", 128, 16, 18},  {"f16", 16, 2, 10},
};

TEST(ElementTypeTest, TableOfWidths) {
  for (const Row& row : kRows) {
    const auto type = ElementTypeFromName(row.name);
    ASSERT_TRUE(type.has_value()) << row.name;
    EXPECT_EQ(BitWidth(*type), row.bits) << row.name;
    EXPECT_EQ(ByteWidth(*type), row.bytes) << row.name;
    EXPECT_EQ(static_cast<int>(*type), row.proto) << row.name;
  }
}

TEST(ElementTypeTest, EveryArrayTypeIsFoundByItsName) {
  int array_types = 0;
  for (int i = 0; i < kNumElementTypes; ++i) {
    const ElementType type = static_cast<ElementType>(i);
    const auto found = ElementTypeFromName(ElementTypeName(type));
    EXPECT_EQ(found.has_value(), IsArrayType(type)) << ElementTypeName(type);
    if (!found.has_value()) continue;
    EXPECT_EQ(*found, type);
    ++array_types;
  }
  EXPECT_EQ(array_types, 32);
}

TEST(ElementTypeTest, OtherNamesAreNone) {
  for (const char* name : {"", "F32", "f128", "s3", "tuple", "token", "opaque", "invalid", "f"}) {
    EXPECT_FALSE(ElementTypeFromName(name).has_value()) << name;
  }
}

TEST(ElementTypeTest, Classes) {
  EXPECT_TRUE(IsSubByte(ElementType::kF4e2m1fn));
  EXPECT_FALSE(IsSubByte(ElementType::kPred));
  EXPECT_FALSE(IsSubByte(ElementType::kF6e2m3fn));
  EXPECT_FALSE(IsSubByte(ElementType::kToken));
  EXPECT_TRUE(IsInteger(ElementType::kU1));
  EXPECT_FALSE(IsInteger(ElementType::kPred));
  EXPECT_TRUE(IsFloat(ElementType::kBf16));
  EXPECT_TRUE(IsComplex(ElementType::kC64));
  EXPECT_EQ(ElementTypeName(static_cast<ElementType>(200)), "invalid");
}

}  // namespace
}  // namespace tessera::layout
