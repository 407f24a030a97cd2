#include "tessera/layout/tile_rules.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tessera/layout/tile_rules_textproto.h"
#include "tessera/text/diagnostic.h"

namespace tessera::layout {
namespace {

std::string Text(const std::vector<TileChoice>& choices) {
  std::string text;
  for (const TileChoice& choice : choices) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "T");
    for (const Tile& tile : choice.tiles) absl::StrAppend(&text, tile.ToString());
    if (choice.element_bits != 0) absl::StrAppend(&text, "E(", choice.element_bits, ")");
  }
  return text;
}

struct Row {
  const char* rules;
  ElementType type;
  int64_t rank;
  const char* choices;
};

constexpr Row kRows[] = {
    {"tpu", ElementType::kF32, 2, "T(1,128) T(2,128) T(4,128) T(8,128)"},
    {"tpu+min2", ElementType::kF64, 4, "T(2,128) T(4,128) T(8,128)"},
    {"tpu", ElementType::kBf16, 2, "T(2,128)(2,1) T(4,128)(2,1) T(8,128)(2,1)"},
    {"tpu+min2+large", ElementType::kBf16, 2, "T(4,128)(2,1) T(8,128)(2,1) T(16,128)(2,1)"},
    {"tpu", ElementType::kPred, 2, "T(4,128)(4,1) T(8,128)(4,1)"},
    {"tpu", ElementType::kS4, 2, "T(8,128)(8,1)E(4)"},
    {"tpu+large", ElementType::kS4, 2, "T(8,128)(8,1)E(4) T(64,128)(8,1)E(4)"},
    {"tpu", ElementType::kU2, 2, "T(16,128)(16,1)E(2)"},
    {"tpu", ElementType::kU1, 2, "T(32,128)(32,1)E(1)"},
    {"tpu", ElementType::kF32, 1, "T(128) T(256) T(512) T(1024)"},
    {"tpu", ElementType::kF16, 1, "T(256)(128)(2,1) T(512)(128)(2,1) T(1024)(128)(2,1)"},
    {"tpu", ElementType::kS4, 0, "T(1024)E(4)"},
    {"tpu", ElementType::kBf16, 0, "T(256)"},
    {"tpu+min2", ElementType::kF32, 0, "T(256)"},
    {"tile:32x16", ElementType::kS4, 3, "T(32,16)"},
    {"none", ElementType::kF32, 3, "T"},
};

TEST(TileRulesTest, Presets) {
  for (const Row& row : kRows) {
    const absl::StatusOr<TileRules> rules = NamedTileRules(row.rules);
    ASSERT_TRUE(rules.ok()) << row.rules;
    EXPECT_EQ(Text(rules->ChoicesFor(row.type, row.rank)), row.choices);
  }
}

TEST(TileRulesTest, UnknownNames) {
  for (const char* name : {"", "tpux", "tpu+", "tpu+min3", "tile:8", "tile:8x0", "tile:2x2x2"}) {
    EXPECT_FALSE(NamedTileRules(name).ok()) << name;
  }
}

TEST(TileRulesTest, Textproto) {
  const absl::StatusOr<TileRules> rules = TileRulesFromTextproto(R"pb(
    name: "our chip"
    rule { width: 32 width: 16 min_rank: 2 tiles: "T(16,64)" tiles: "" }
    rule { width: 4 tiles: "T(16,64)(8,1)E(4)" }
    rule { max_rank: 1 tiles: "T(1024)" }
  )pb");
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_EQ(rules->name, "our chip");
  EXPECT_EQ(Text(rules->ChoicesFor(ElementType::kF16, 2)), "T(16,64) T");
  EXPECT_EQ(Text(rules->ChoicesFor(ElementType::kS4, 1)), "T(16,64)(8,1)E(4) T(1024)");
  EXPECT_EQ(Text(rules->ChoicesFor(ElementType::kF64, 2)), "T");
}

TEST(TileRulesTest, MistakesInATextproto) {
  const absl::string_view text = "name: \"x\"\nrule { wide: 3 }";
  const absl::Status status = TileRulesFromTextproto(text).status();
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(text.substr(0, text::ErrorOffset(status)), "name: \"x\"\nrule { wide") << status;
  EXPECT_FALSE(TileRulesFromTextproto("rule { tiles: \"T(8\" }").ok());
  EXPECT_FALSE(TileRulesFromTextproto("rule { tiles: \"T(0)\" }").ok());
  EXPECT_FALSE(TileRulesFromTextproto("rule { tiles: \"S(1)\" }").ok());
}

}  // namespace
}  // namespace tessera::layout
