#include "tessera/hlo/literal.h"

#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/number_format.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

using layout::ElementType;

struct PrintCase {
  const char *shape, *text, *printed;
};

class PrintTest : public ::testing::TestWithParam<PrintCase> {};

TEST_P(PrintTest, AsXlaPrintsIt) {
  const auto shape = layout::ParseShape(GetParam().shape);
  ASSERT_TRUE(shape.ok()) << shape.status();
  const auto literal = ParseLiteral(GetParam().text, *shape);
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(PrintLiteral(*literal), GetParam().printed);
}

constexpr PrintCase kPrints[] = {
    {"pred[]", "1", "true"},
    {"pred[2]", "{true, 0}", "{1, 0}"},
    {"s8[]", "-128", "-128"},
    {"u64[]", "-1", "18446744073709551615"},
    {"s64[]", "18446744073709551615", "-1"},
    {"f32[]", "-0.0", "-0"},
    {"f32[]", "-0", "0"},
    {"f32[]", "0.1", "0.1"},
    {"f32[]", "16777217", "16777216"},
    {"f32[]", "nan(0x1)", "nan(0x1)"},
    {"f64[]", "0.1", "0.1"},
    {"bf16[]", "3.14159", "3.141"},
    {"f16[]", "65504", "65504"},
    {"f8e4m3fn[]", "448", "448"},
    {"f8e8m0fnu[]", "3", "4"},
    {"c64[2]", "{(1, -2), (inf, 0)}", "{(1, -2), (inf, 0)}"},
    {"s32[0]", "{}", "{}"},
    {"s32[2,1]", "{{1},{2}}", "{ {1}, {2} }"},
    {"s32[2,2]", "{{1 2},{3,,4}}", "{ { 1, 2 }, { 3, 4 } }"},
    {"s32[1,1,1,2]", "{{{{1,2}}}}", "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } } } }"},
    {"s32[3]", "7", "{7, 0, 0}"},
    {"s32[3]", "{...}", "{...}"},
    {"(s32[], f32[1])", "(1, {2})", "( 1, {2} )"},
};
INSTANTIATE_TEST_SUITE_P(All, PrintTest, ::testing::ValuesIn(kPrints));

struct TypedCase {
  const char *text, *printed;
};

class TypedTest : public ::testing::TestWithParam<TypedCase> {};

TEST_P(TypedTest, AsXlaPrintsIt) {
  const auto literal = ParseTypedLiteral(GetParam().text);
  EXPECT_EQ(literal.ok() ? PrintTypedLiteral(*literal) : "error", GetParam().printed);
}

constexpr TypedCase kTyped[] = {
    {"s32[2]{0} {4,5}", "s32[2]{0} {4, 5}"},
    {"()", "(  )"},
    {"(pred[] true, (s8[] 3,), ())", "( pred[] true, ( s8[] 3 ), (  ) )"},
    {"(u4[2]{0:E(4)} {1,2})", "( u4[2]{0} {1, 2} )"},
    {"s32[<=2]{0} {4,5}", "s32[2]{0} {4, 5}"},
    {"(s32[], s8[]) (1, 2)", "error"},
    {"(s8[] 3 s8[] 4)", "error"},
    {"(, s8[] 4)", "error"},
};
INSTANTIATE_TEST_SUITE_P(All, TypedTest, ::testing::ValuesIn(kTyped));

struct StoredCase {
  const char *shape, *stored;
};

class StoredTest : public ::testing::TestWithParam<StoredCase> {};

TEST_P(StoredTest, NeitherPackedNorDynamic) {
  const auto shape = layout::ParseShape(GetParam().shape);
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(layout::ShapeToString(StoredShape(*shape)), GetParam().stored);
  EXPECT_EQ(HasStoredShape(*shape), absl::string_view(GetParam().shape) != GetParam().stored);
}

constexpr StoredCase kStored[] = {
    {"u4[5]{0:E(4)}", "u4[5]{0}"},
    {"u4[]{:E(4)}", "u4[]"},
    {"f32[2,<=5]{0,1:T(8)S(1)}", "f32[2,5]{0,1:T(8)S(1)}"},
    {"(s2[4]{0:E(2)}, (f32[<=3]{0}))", "(s2[4]{0}, (f32[3]{0}))"},
    {"f32[3]{0:T(128)L(2)}", "f32[3]{0:T(128)L(2)}"},
};
INSTANTIATE_TEST_SUITE_P(All, StoredTest, ::testing::ValuesIn(kStored));

// The shape written in front of a constant is another than the one that it has.
TEST(StoredTest, OfAModule) {
  const auto module = ParseModule("ENTRY e { c = u4[<=2]{0:E(4)} constant({1,2}) }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(layout::ShapeToString(module->shape(module->FindInstruction("c"))), "u4[2]{0}");
}

struct RefusedCase {
  const char *shape, *text;
};

class RefusedTest : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedTest, Error) {
  const auto shape = layout::ParseShape(GetParam().shape);
  EXPECT_FALSE(ParseLiteral(GetParam().text, *shape).ok());
}

constexpr RefusedCase kRefused[] = {
    {"s8[]", "128"},       {"u8[]", "-1"},         {"f16[]", "65520"},
    {"f8e4m3fn[]", "465"}, {"f8e8m0fnu[]", "0"},   {"f32[]", "1e39"},
    {"f32[]", "true"},     {"s32[]", "1.5"},       {"s32[2]", "{1}"},
    {"s32[2]", "{1,2,3}"}, {"s32[2,2]", "{1,2}"},  {"s32[2]", "{{1,2}}"},
    {"c64[]", "1"},        {"f32[]", "(1, 2)"},    {"f8e4m3fn[]", "nan(0x1)"},
    {"s32[]", ","},        {"s32[2]", "{..., 1}"}, {"(s32[])", "1"},
};
INSTANTIATE_TEST_SUITE_P(All, RefusedTest, ::testing::ValuesIn(kRefused));

// The slow way: the nearest of all values of the type, even on ties.
uint64_t NearestBits(ElementType type, double value) {
  uint64_t best = 0;
  double distance = INFINITY;
  for (uint64_t bits = 0; bits < (uint64_t{1} << FormatOf(type).width()); ++bits) {
    const double v = DecodeFloat(type, bits);
    if (!std::isfinite(v) || std::signbit(v) != std::signbit(value)) continue;
    const double d = std::abs(v - value);
    if (d < distance || (d == distance && bits % 2 == 0)) {
      best = bits;
      distance = d;
    }
  }
  return best;
}

TEST(NumberFormatTest, NarrowTypesRoundToTheNearest) {
  for (ElementType type :
       {ElementType::kF8e5m2, ElementType::kF8e4m3, ElementType::kF8e3m4, ElementType::kF8e4m3fn,
        ElementType::kF4e2m1fn, ElementType::kF6e2m3fn, ElementType::kF6e3m2fn}) {
    for (double value : {0.1, 0.3, 1.0, 1.06, 1.1875, 2.5, 3.7, 5.0, -0.7, -2.25, 0.001}) {
      uint64_t bits = 0;
      EXPECT_TRUE(EncodeFloat(type, value, &bits));
      EXPECT_EQ(bits, NearestBits(type, value)) << layout::ElementTypeName(type) << " " << value;
    }
  }
}

TEST(NumberFormatTest, EveryValueSurvives) {
  for (ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kF8e5m2fnuz,
                           ElementType::kF8e4m3b11fnuz, ElementType::kF8e4m3fnuz}) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << FormatOf(type).width()); ++bits) {
      const double value = DecodeFloat(type, bits);
      if (!std::isfinite(value)) continue;
      uint64_t again = 0;
      EXPECT_TRUE(EncodeFloat(type, value, &again));
      EXPECT_EQ(again, bits);
    }
  }
}

TEST(SplatTest, LooksAtBits) {
  const auto module = ParseModule(
      "ENTRY e {\n"
      "  a = s32[2,2] constant({{7,7},{7,7}})\n"
      "  b = f32[2] constant({0, -0.0})\n"
      "  c = s32[0] constant({})\n"
      "  d = s32[9] constant({...})\n"
      "  f = pred[] constant(true)\n"
      "}");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(IsSplat(*module, module->FindInstruction("a")));
  EXPECT_FALSE(IsSplat(*module, module->FindInstruction("b")));
  EXPECT_FALSE(IsSplat(*module, module->FindInstruction("c")));
  EXPECT_FALSE(IsSplat(*module, module->FindInstruction("d")));
  EXPECT_EQ(SplatInt(*module, module->FindInstruction("a")), 7);
  EXPECT_EQ(SplatInt(*module, module->FindInstruction("f")), 1);
  EXPECT_EQ(SplatInt(*module, module->FindInstruction("b")), std::nullopt);
}

// No literal takes more memory than its text.
TEST(LiteralTest, WhatIsNotWrittenIsNotStored) {
  const auto elided = ParseLiteral("{...}", *layout::ParseShape("u8[4294967296]"));
  ASSERT_TRUE(elided.ok()) << elided.status();
  EXPECT_TRUE(elided->elided);
  EXPECT_TRUE(elided->bits.empty());
  EXPECT_EQ(elided->num_elements(), int64_t{1} << 32);
  const auto bare = ParseLiteral("5", *layout::ParseShape("s32[1000000]"));
  ASSERT_TRUE(bare.ok()) << bare.status();
  EXPECT_EQ(bare->bits.size(), 1u);
  EXPECT_EQ(bare->IntAt(0), 5);
  EXPECT_EQ(bare->IntAt(999999), 0);
  EXPECT_EQ(ParseLiteral("5", *layout::ParseShape("s32[4294967296]")).status().message(),
            "one value stands for at most 16777216 elements; write {...} for a constant without "
            "its values");
}

}  // namespace
}  // namespace tessera::hlo
