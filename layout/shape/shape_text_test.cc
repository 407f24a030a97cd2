#include "tessera/layout/shape_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/layout/error.h"
#include "tessera/testing/layout/test_shape.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::layout {
namespace {

struct Printed {
  const char* text;
  const char* canonical;
  const char* without_layout;
};

constexpr Printed kPrinted[] = {
    {"f32[7,2]", "f32[7,2]{1,0}", "f32[7,2]"},
    {" u8 [ 2 , 3 ] { 0 , 1 : T ( 4 , 8 ) ( 2 , 1 ) } ", "u8[2,3]{0,1:T(4,8)(2,1)}", "u8[2,3]"},
    {"bf16[]", "bf16[]", "bf16[]"},
    {"bf16[]{:}", "bf16[]", "bf16[]"},
    {"bf16[]{:T(128)S(1)}", "bf16[]{:T(128)S(1)}", "bf16[]"},
    {"s4[6]{0:T(*,3)L(4)E(4)S(-2)SC(0:2,4)M(8)}", "s4[6]{0:T(*,3)L(4)E(4)S(-2)SC(0:2,4)M(8)}",
     "s4[6]"},
    {"f32[6]{0:D(C+~,H)L(1)E(0)S(0)M(0)}", "f32[6]{0}", "f32[6]"},
    {"pred[<=5,?,0]", "pred[<=5,?,0]{2,1,0}", "pred[<=5,?,0]"},
    {"c64[2]{0:#(u32)*(u8)}", "c64[2]{0:#(u32)*(u8)}", "c64[2]"},
    {"()", "()", "()"},
    {"(f32[2]{0}, (token[]), opaque[], b(f32[3]))",
     "(f32[2]{0}, (token[]), opaque[], b(f32[3]{0}))", "(f32[2], (token[]), opaque[], b(f32[3]))"},
    {"(u8[], u8[], u8[], u8[], u8[], u8[], u8[])",
     "(u8[], u8[], u8[], u8[], u8[], /*index=5*/u8[], u8[])",
     "(u8[], u8[], u8[], u8[], u8[], /*index=5*/u8[], u8[])"},
    {"f32/*a*/[// b\n2]", "f32[2]{0}", "f32[2]"},
};

TEST(ShapeTextTest, PrintsTheCanonicalForm) {
  for (const Printed& row : kPrinted) {
    const Shape shape = ShapeFrom(row.text);
    EXPECT_EQ(ShapeToString(shape), row.canonical);
    EXPECT_EQ(ShapeToString(shape, kNoLayout), row.without_layout);
  }
}

TEST(ShapeTextTest, CanonicalTextIsReadBackEqual) {
  for (const Printed& row : kPrinted) {
    const Shape shape = ShapeFrom(row.text);
    EXPECT_EQ(ShapeFrom(row.canonical), shape) << row.text;
    EXPECT_EQ(ShapeFrom(row.without_layout).WithoutLayout(), shape.WithoutLayout()) << row.text;
  }
}

TEST(ShapeTextTest, AnAbsentLayoutPrintsNothing) {
  EXPECT_EQ(ShapeToString(ShapeFrom("(f32[2]{0}, u8[3])").WithoutLayout()), "(f32[2], u8[3])");
}

TEST(ShapeTextTest, IndexCommentsCanBeLeftOut) {
  PrintOptions options;
  options.tuple_index_comments = false;
  EXPECT_EQ(ShapeToString(ShapeFrom("(u8[],u8[],u8[],u8[],u8[],u8[])"), options),
            "(u8[], u8[], u8[], u8[], u8[], u8[])");
}

struct Wrong {
  const char* text;
  const char* code;
  size_t offset;
};

constexpr Wrong kWrong[] = {
    {"", "E_TYPE", 0},
    {"x32[2]", "E_TYPE", 0},
    {"u8 2", "E_LSQUARE", 3},
    {"u8[a]", "E_DIM", 3},
    {"u8[2,<=-4]", "E_DIM_RANGE", 7},
    {"u8[2;3]", "E_RSQUARE", 4},
    {"token[2,<=7]", "E_NONARRAY_DIMS", 8},
    {"opaque[]{:}", "E_NONARRAY_LAYOUT", 8},
    {"token[]{}", "E_TRAILING", 7},
    {"b( () )", "E_BUFFER", 3},
    {"u8[2,3]{0,}", "E_M2M", 10},
    {"u8[2,3]{0} ", "E_M2M_SIZE", 11},
    {"u8[2]{0!}", "E_RBRACE", 7},
    {"u8[2]{0:Q}", "E_SUFFIX", 8},
    {"u8[2]{0:S(1)T(2)}", "E_SUFFIX", 12},
    {"u8[2]{0:T(2)", "E_SUFFIX", 12},
    {"u8[2]{0:T 2}", "E_LPAREN", 10},
    {"u8[2]{0:T(2;)}", "E_RPAREN", 11},
    {"u8[2]{0:SC(0)}", "E_COLON", 12},
    {"u8[2]{0:T(x)}", "E_INT", 10},
    {"u8[2]{0:T(-1)}", "E_TILE_DIM", 10},
    {"u8[2]{0:D(Q)}", "E_DIM_LEVEL", 10},
    {"u8[2]{0:L(0", "E_TAIL", 10},
    {"u8[2]{0:#(s8)}", "E_INDEX_TYPE", 10},
    {"u8[2]{0:S(128)}", "E_SPACE", 10},
    {"u8[2]{0:P!!}", "E_PHYSICAL", 8},
    {"u8[2]{0:M(-1)}", "E_META", 10},
    {"(u8[2]; u8[2])", "E_TUPLE", 6},
    {"u8[2] u8[2]", "E_TRAILING", 6},
    {"u8[2]{99999999999999999999}", "E_TRAILING", 5},
    {"u8[2] /* open", "E_TRAILING", 6},
};

TEST(ShapeTextTest, ErrorsHaveCodeAndPlace) {
  for (const Wrong& row : kWrong) {
    const absl::StatusOr<Shape> shape = ParseShape(row.text);
    EXPECT_EQ(ErrorCode(shape.status()), row.code) << row.text;
    EXPECT_EQ(text::ErrorOffset(shape.status()), row.offset) << row.text;
  }
}

TEST(ShapeTextTest, ErrorsAreShownWithACaret) {
  const auto source = text::Source::FromString("<shape>", "f32[3,5]{1,0:S(1)T(2,2)}");
  const absl::StatusOr<Shape> shape = ParseShape(source->text());
  EXPECT_EQ(text::Located(shape.status(), *source).message(),
            "<shape>:1:18: error: unknown or misplaced layout property; the order is "
            "D T L # * E S SC P M\n"
            "  f32[3,5]{1,0:S(1)T(2,2)}\n"
            "                   ^\n");
  EXPECT_THAT(std::string(ParseShape("f32[3,5]{1,0:T(2,2)").status().message()),
              ::testing::HasSubstr("expected '}' or another property of the layout"));
}

TEST(ShapeTextTest, ABraceBelongsToTheArrayOnlyBeforeANumberOrColon) {
  text::Cursor cursor("f32[3] {\n  ROOT");
  const absl::StatusOr<Shape> shape = ParseShape(cursor);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(cursor.offset(), 6u);
}

TEST(ShapeTextTest, TheCursorMovesOnlyOverTheShape) {
  text::Cursor cursor("  (f32[2]{0}, u8[]) add(");
  ASSERT_TRUE(ParseShape(cursor).ok());
  EXPECT_EQ(cursor.rest(), " add(");
}

std::string Nested(int depth) {
  return absl::StrCat(std::string(depth, '('), std::string(depth, ')'));
}

TEST(ShapeTextTest, NestingHasALimit) {
  EXPECT_TRUE(ParseShape(Nested(kMaxNestedShapes)).ok());
  const absl::Status status = ParseShape(Nested(kMaxNestedShapes + 1)).status();
  EXPECT_EQ(ErrorCode(status), "E_DEPTH");
  EXPECT_EQ(text::ErrorOffset(status), static_cast<size_t>(kMaxNestedShapes));
}

TEST(ShapeTextTest, LayoutsStandAlone) {
  const absl::StatusOr<Layout> layout = ParseLayout(" {0,1:T(2,4)S(5)}");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(LayoutToString(*layout), "{0,1:T(2,4)S(5)}");
  EXPECT_TRUE(ParseLayout("{}").ok());
  EXPECT_EQ(ErrorCode(ParseLayout("1,0").status()), "E_LBRACE");
  EXPECT_EQ(ErrorCode(ParseLayout("{x}").status()), "E_RBRACE");
  EXPECT_EQ(ErrorCode(ParseLayout("{1,0}{").status()), "E_TRAILING");
}

}  // namespace
}  // namespace tessera::layout
