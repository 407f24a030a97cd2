// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/advise.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/draw_svg.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/error.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/layout/slot_place.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/layout/tile_rules_textproto.h"
#include "tessera/layout/validate.h"
#include "tessera/testing/layout/index_facts.h"

namespace tessera::layout {
namespace {

using absl::StatusOr;
using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(HeaderExamples, Shape) {
  Shape a = Shape::Array(ElementType::kF32, {3, 5});
  Shape b = a.WithoutLayout();
  Shape t = Shape::Tuple({a, Shape::Token()});
  EXPECT_EQ(ShapeToString(a), "f32[3,5]{1,0}");
  EXPECT_EQ(ShapeToString(b), "f32[3,5]");
  EXPECT_EQ(t.tuple_elements()[0].dim(1), 5);
  EXPECT_TRUE(Compatible(a, b));
}

TEST(HeaderExamples, ShapeText) {
  StatusOr<Shape> a = ParseShape("bf16[4,8]{1,0:T(8,128)(2,1)S(1)}");
  EXPECT_TRUE(a.ok()) << a.status();
  StatusOr<Shape> t = ParseShape("(f32[2], /*c*/ s32[<=7,?], token[], b(f32[4]))");
  EXPECT_EQ(ShapeToString(*t), "(f32[2]{0}, s32[<=7,?]{1,0}, token[], b(f32[4]{0}))");
  EXPECT_EQ(ShapeToString(*t, kNoLayout), "(f32[2], s32[<=7,?], token[], b(f32[4]))");
}

TEST(HeaderExamples, LayoutAndTile) {
  Layout row_major = Layout::Descending(2);
  Layout tpu{{1, 0}, {Tile{{8, 128}}, Tile{{2, 1}}}};
  Tile tile{{8, 128}};
  Tile combining{{Tile::kCombine, 3}};
  EXPECT_EQ(tile.ToString(), "(8,128)");
  EXPECT_EQ(combining.ToString(), "(*,3)");
  EXPECT_NE(row_major, tpu);
}

TEST(HeaderExamples, ElementTypes) {
  ElementType t = *ElementTypeFromName("bf16");
  EXPECT_EQ(ElementTypeName(t), "bf16");
  EXPECT_THAT((std::vector<int64_t>{BitWidth(t), ByteWidth(t), BitWidth(ElementType::kPred),
                                    ByteWidth(ElementType::kPred)}),
              ElementsAre(16, 2, 1, 1));
  EXPECT_EQ(ElementBytes(*ParseShape("s4[16]{0:E(4)}"), 3), 2);
  EXPECT_EQ(ElementBytes(*ParseShape("s4[16]"), 3), 3);
}

TEST(HeaderExamples, ErrorAndValidate) {
  absl::Status s = Validate(*ParseShape("f32[3,5]{1,1}"));
  EXPECT_EQ(ErrorCode(s), "V_M2M_DUP");
  EXPECT_EQ(s.message(), "the order {1,1} of f32[3,5] names dimension 1 twice");
}

TEST(HeaderExamples, IndexMap) {
  StatusOr<IndexMap> map = IndexMap::Create(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_EQ(*map->Offset({2, 3}), 17);
  EXPECT_EQ(map->total(), 24);
}

TEST(HeaderExamples, IndexFacts) {
  EXPECT_TRUE(
      *SameIndexMap(*ParseShape("f32[8,128]{1,0:T(8,128)}"), *ParseShape("f32[8,128]{1,0}")));
  EXPECT_TRUE(*IsLinear(*ParseShape("f32[24,128]{1,0:T(8,128)}")));
  EXPECT_EQ(*DataSpan(*ParseShape("f32[3,5]{1,0:T(2,2)}")), 21);
}

TEST(HeaderExamples, Sizes) {
  StatusOr<MemorySizes> s = SizesOf(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_EQ(s->data_bytes, 60);
  EXPECT_EQ(s->padded_bytes, 96);
  EXPECT_EQ(s->waste(), 0.375);
  EXPECT_EQ(s->level_padding[0], 9);
}

TEST(HeaderExamples, SlotPlace) {
  StatusOr<SlotPlace> p = PlaceOfSlot(*ParseShape("s4[8]{0:E(4)}"), 3);
  EXPECT_THAT((std::vector<int64_t>{p->byte, p->shift, p->bits}), ElementsAre(1, 4, 4));
}

TEST(HeaderExamples, TileRules) {
  StatusOr<TileRules> rules = NamedTileRules("tpu+large");
  EXPECT_EQ(rules->ChoicesFor(ElementType::kBf16, 3).front().tiles.size(), 2u);
  EXPECT_TRUE(NamedTileRules("tile:32x32").ok() && NamedTileRules("none").ok());
  rules = TileRulesFromTextproto(R"pb(rule { tiles: "T(32,32)" })pb");
  EXPECT_TRUE(rules.ok()) << rules.status();
}

TEST(HeaderExamples, Advise) {
  StatusOr<Advice> a =
      Advise(*ParseShape("s32[8388608,8,4]{2,1,0:T(8,128)}"), *NamedTileRules("tpu"));
  EXPECT_EQ(a->current_bytes, int64_t{32} << 30);
  EXPECT_EQ(ShapeToString(a->best), "s32[8388608,8,4]{0,1,2:T(8,128)}");
  EXPECT_EQ(a->best_bytes, int64_t{1} << 30);
  EXPECT_EQ(a->remarks[0], "dimension 2 (minor) of size 4 is padded to 128: 32x");
}

TEST(HeaderExamples, Draw) {
  EXPECT_THAT(*Draw(*ParseShape("f32[3,5]{1,0:T(2,2)}")),
              StartsWith("f32[3,5]{1,0:T(2,2)}\ndata 60 B, padded 96 B, waste 37.5 %\n"
                         "T(2,2): [3,5] pad [4,6] -> [2,3,2,2]\n"));
  StatusOr<std::string> file = DrawSvg(*ParseShape("f32[3,5]{1,0:T(2,2)}"));
  EXPECT_THAT(*file, StartsWith("<svg "));
}

TEST(HeaderExamples, Relayout) {
  using relayout::Plan;
  StatusOr<Plan> plan =
      Plan::Create(*ParseShape("f32[129,300]"), *ParseShape("f32[129,300]{1,0:T(8,128)}"));
  const std::vector<uint8_t> linear(154800);
  std::vector<uint8_t> tiled(208896);
  absl::Status s = plan->Run(linear, absl::MakeSpan(tiled));
  EXPECT_TRUE(s.ok()) << s;
  EXPECT_THAT(plan->Explain(), StartsWith("relayout f32[129,300]"));
}

}  // namespace
}  // namespace tessera::layout
