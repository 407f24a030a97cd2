#include "tessera/sharding/trim.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;

class TrimTest : public ::testing::Test {
 protected:
  TrimTest() { (void)*meshes_.Add("m", *Mesh::Create({{"x", 4}, {"y", 6}, {"one", 1}})); }
  TensorSharding Read(const std::string& text) { return *ParseSharding(text, meshes_); }
  std::string Print(const TensorSharding& s) { return PrintSharding(s, meshes_); }
  const Mesh& mesh() { return meshes_.mesh(0); }

  MeshTable meshes_;
};

TEST_F(TrimTest, ShardsEvenly) {
  const struct {
    const char* in;
    int64_t size;
    const char* out;
  } cases[] = {
      {"<@m, [{\"x\", \"y\"}p1]>", 48, "<@m, [{\"x\", \"y\"}p1]>"},
      {"<@m, [{\"x\", \"y\", ?}p1]>", 12, "<@m, [{\"x\", \"y\":(1)3, ?}]>"},
      {"<@m, [{\"x\"}]>", 6, "<@m, [{\"x\":(1)2}]>"},
      {"<@m, [{\"x\"}]>", 5, "<@m, [{}]>"},
      {"<@m, [{\"x\":(2)2, \"y\"}]>", 3, "<@m, [{}]>"},
      {"<@m, [{\"y\":(1)3, \"x\"}]>", 6, "<@m, [{\"y\":(1)3, \"x\":(1)2}]>"},
      {"<@m, [{\"x\"}]>", 0, "<@m, [{\"x\"}]>"},
      {"<@m, [{\"x\"}]>", -1, "<@m, [{\"x\"}]>"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Print(EvenlySharded(Read(c.in), mesh(), {c.size})), c.out) << c.in << c.size;
  }
}

TEST_F(TrimTest, CutsOpenDimensionsBeforeSubAxes) {
  EXPECT_EQ(Print(CutSubAxesOfOpenDims(
                Read("<@m, [{\"y\", \"x\":(1)2, ?}, {\"x\":(2)2}], replicated={\"one\"}>"))),
            "<@m, [{\"y\", ?}, {\"x\":(2)2}], replicated={\"one\"}>");
}

TEST_F(TrimTest, RemovesAxes) {
  EXPECT_EQ(Print(RemoveSizeOneAxes(Read("<@m, [{\"one\"}p1, {\"x\", ?}p2], replicated={\"y\"}>"),
                                    mesh())),
            "<@m, [{}, {\"x\", ?}p2], replicated={\"y\"}>");
  EXPECT_EQ(Print(EraseManualAxes(
                Read("<@m, [{\"x\":(1)2, \"y\"}p1, {?}], replicated={\"x\":(2)2, \"one\"}>"), {0})),
            "<@m, [{\"y\"}p1, {?}], replicated={\"one\"}>");
  // An axis before the manual one goes with it.
  EXPECT_EQ(Print(EraseManualAxes(Read("<@m, [{\"y\", \"x\", \"one\"}]>"), {0})),
            "<@m, [{\"one\"}]>");
}

TEST_F(TrimTest, FindsLocalShapes) {
  EXPECT_THAT(LocalShape(Read("<@m, [{\"x\"}, {\"y\"}, {}]>"), mesh(), {10, -1, 3}),
              ElementsAre(3, -1, 3));
  EXPECT_THAT(LocalShape(Read("<@m, [{\"x\"}]>"), mesh(), {0}), ElementsAre(0));
  EXPECT_THAT(LocalShape(Read("<@m, [{\"x\"}]>"), mesh(), {INT64_MAX}),
              ElementsAre(INT64_MAX / 4 + 1));
}

}  // namespace
}  // namespace tessera::sharding
