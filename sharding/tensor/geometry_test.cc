#include "tessera/sharding/geometry.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;

HloSharding Read(const char* text) { return *ParseHloSharding(text); }

TEST(GeometryTest, CutsTheLastTiles) {
  const HloSharding s = Read("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
  EXPECT_THAT(TileShape(s, {9, 5}), ElementsAre(3, 5));
  EXPECT_THAT(*TileOfDevice(s, {9, 5}, 2), ElementsAre(TileRange{6, 9}, TileRange{0, 5}));
  EXPECT_THAT(*TileOfDevice(s, {9, 5}, 6), ElementsAre(TileRange{6, 9}, TileRange{0, 5}));
  EXPECT_THAT(*TileOfDevice(s, {9, 5}, 3), ElementsAre(TileRange{9, 9}, TileRange{0, 5}));
  EXPECT_THAT(TileShape(s, {0, 5}), ElementsAre(0, 5));
  EXPECT_FALSE(TileOfDevice(s, {9, 5}, 8).ok());
  EXPECT_FALSE(TileOfDevice(s, {9, 5}, -1).ok());
}

TEST(GeometryTest, KnowsWhatIsNotSplit) {
  EXPECT_THAT(*TileOfDevice(Read("{manual}"), {3}, 7), ElementsAre(TileRange{0, 3}));
  EXPECT_THAT(*TileOfDevice(Read("{maximal device=1}"), {3}, 1), ElementsAre(TileRange{0, 3}));
  EXPECT_FALSE(TileOfDevice(Read("{maximal device=1}"), {3}, 0).ok());
  EXPECT_THAT(*TileOfDevice(Read("{mesh['q'=2,'r'=2], [{'r'}]}"), {4}, 1),
              ElementsAre(TileRange{2, 4}));
  EXPECT_THAT(*TileOfDevice(Read("{devices=[2]1,0}"), {4}, 1), ElementsAre(TileRange{0, 2}));
}

TEST(GeometryTest, Validates) {
  const std::vector<int64_t> dims = {8, 8};
  const ShardedLeaf array{true, dims};
  const ShardedLeaf token{false, {}};
  const struct {
    const char* sharding;
    bool is_tuple;
    std::vector<ShardedLeaf> leaves;
    bool ok;
  } cases[] = {
      {"{replicated}", false, {array}, true},
      {"{devices=[2,2]<=[4]}", false, {array}, true},
      {"{devices=[2,2]<=[4]}", false, {token}, true},
      {"{devices=[4]<=[4]}", false, {array}, false},
      {"{devices=[2,1]<=[2]}", false, {array}, false},
      {"{devices=[1,1]<=[1]}", false, {array}, false},
      {"{devices=[4,1]0,1,2,9}", false, {array}, false},
      {"{maximal device=3}", false, {array}, true},
      {"{maximal device=4}", false, {array}, false},
      {"{maximal device=-1}", false, {array}, false},
      {"{mesh['q'=4], [{'q'}, {}]}", false, {array}, true},
      {"{mesh['q'=2], [{'q'}, {}]}", false, {array}, false},
      {"{{replicated}}", false, {array}, false},
      {"{replicated}", true, {array}, false},
      {"{{replicated}, {manual}}", true, {array, token}, true},
      {"{{replicated}}", true, {array, token}, false},
      {"{}", true, {}, true},
      {"{{replicated}}", true, {}, true},
  };
  for (const auto& c : cases) {
    const absl::Status status = ValidateSharding(Read(c.sharding), c.is_tuple, c.leaves, 4);
    EXPECT_EQ(status.ok(), c.ok) << c.sharding << ": " << status;
  }
}

}  // namespace
}  // namespace tessera::sharding
