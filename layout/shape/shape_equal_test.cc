#include "tessera/layout/shape_equal.h"

#include "absl/hash/hash.h"
#include "gtest/gtest.h"
#include "tessera/testing/layout/test_shape.h"

namespace tessera::layout {
namespace {

struct Pair {
  const char* a;
  const char* b;
  uint32_t ignore;
  bool equal;
};

constexpr Pair kPairs[] = {
    {"u8[4]{0:M(8)}", "u8[4]{0}", kIgnoreNothing, true},
    {"u8[4]{0:T(2)}", "u8[4]{0:T(2)(1)}", kIgnoreNothing, false},
    {"u8[4]{0:T(2)}", "u8[4]", kIgnoreTiles, true},
    {"u8[4]{0:L(2)}", "u8[4]", kIgnoreTail, true},
    {"u8[4]{0:E(4)S(1)SC(0:2)}", "u8[4]", kIgnoreElementBits | kIgnoreMemorySpace, false},
    {"u8[4]{0:E(4)S(1)SC(0:2)}", "u8[4]", kMinorToMajorOnly, true},
    {"u8[4]{0:#(u8)}", "u8[4]", kMinorToMajorOnly, false},
    {"u8[4]{0:#(u8)*(u16)}", "u8[4]", kMinorToMajorOnlyInLayout, true},
    {"u8[4,1]{0,1}", "u8[4,1]{1,0}", kMinorToMajorOnly, false},
    {"u8[4,1]{0,1}", "u8[4,1]{1,0}", kIgnoreLayout, true},
    {"f32[2]", "bf16[2]", kIgnoreFloatPrecision, true},
    {"f32[2]", "s32[2]", kIgnoreFloatPrecision, false},
    {"f32[2]", "s32[2]", kIgnoreElementType, true},
    {"u8[<=2]", "u8[2]", kIgnoreDynamic, true},
    {"u8[?]", "u8[2]", kIgnoreDynamic, true},
    {"u8[?]", "u8[2]", kIgnoreNothing, false},
    {"u8[3]", "u8[2]", kIgnoreSizes, true},
    {"u8[3,1]", "u8[2]", kIgnoreSizes, false},
    {"b(u8[3])", "u8[3]", kIgnoreBuffer, true},
    {"b(u8[3])", "u8[3]", kIgnoreNothing, false},
    {"(u8[2]{0:T(2)})", "(u8[2])", kIgnoreTiles, true},
    {"(u8[2], u8[2])", "(u8[2])", kIgnoreNothing, false},
    {"token[]", "opaque[]", kIgnoreLayout, false},
};

TEST(ShapeEqualTest, Table) {
  for (const Pair& pair : kPairs) {
    const Shape a = ShapeFrom(pair.a);
    const Shape b = ShapeFrom(pair.b);
    EXPECT_EQ(Equal(a, b, pair.ignore), pair.equal) << pair.a << " " << pair.b;
    EXPECT_EQ(Equal(b, a, pair.ignore), pair.equal) << pair.b << " " << pair.a;
  }
}

TEST(ShapeEqualTest, NamedRelations) {
  const Shape tiled = ShapeFrom("f32[<=4]{0:T(2)}");
  EXPECT_TRUE(Compatible(tiled, ShapeFrom("f32[4]")));
  EXPECT_FALSE(Compatible(tiled, ShapeFrom("f16[4]")));
  EXPECT_TRUE(CompatibleIgnoringFloatPrecision(tiled, ShapeFrom("f16[4]")));
  EXPECT_TRUE(CompatibleIgnoringElementType(tiled, ShapeFrom("s8[4]")));
}

TEST(ShapeEqualTest, Prefixes) {
  const Shape given = ShapeFrom("(f32[2], (s8[1], u8[1]))");
  EXPECT_TRUE(IsPrefix(given, given));
  EXPECT_TRUE(IsPrefix(ShapeFrom("()"), ShapeFrom("f32[2]")));
  EXPECT_TRUE(IsPrefix(ShapeFrom("(f32[2])"), given));
  EXPECT_TRUE(IsPrefix(ShapeFrom("(f32[2], (s8[1]))"), given));
  EXPECT_FALSE(IsPrefix(ShapeFrom("(f32[2], (u8[1]))"), given));
  EXPECT_FALSE(IsPrefix(given, ShapeFrom("(f32[2])")));
  EXPECT_FALSE(IsPrefix(ShapeFrom("f32[2]"), given));
}

TEST(ShapeEqualTest, OperatorAlsoComparesMetadata) {
  EXPECT_NE(ShapeFrom("u8[4]{0:M(8)}"), ShapeFrom("u8[4]{0}"));
}

TEST(ShapeEqualTest, ACopyHasALayoutOfItsOwn) {
  const Shape shape = ShapeFrom("f32[2,3]{0,1}");
  Shape copy = shape;
  EXPECT_EQ(copy, shape);
  copy.mutable_layout().minor_to_major = {1, 0};
  EXPECT_EQ(copy, ShapeFrom("f32[2,3]{1,0}"));
  EXPECT_EQ(shape, ShapeFrom("f32[2,3]{0,1}"));
}

TEST(ShapeEqualTest, HashesAgreeWithTheOperator) {
  const Shape shape = ShapeFrom("(f32[<=2,3]{0,1:T(2)SC(0:1)M(4)}, b(s8[2]), token[])");
  const Shape same = ShapeFrom(ShapeToString(shape));
  EXPECT_EQ(absl::Hash<Shape>()(shape), absl::Hash<Shape>()(same));
  EXPECT_NE(absl::Hash<Shape>()(shape), absl::Hash<Shape>()(shape.WithoutLayout()));
}

}  // namespace
}  // namespace tessera::layout
