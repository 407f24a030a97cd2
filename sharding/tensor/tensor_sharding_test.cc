#include "tessera/sharding/tensor_sharding.h"

#include "absl/hash/hash.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding {
namespace {

class TensorShardingTest : public ::testing::Test {
 protected:
  TensorShardingTest() {
    (void)*meshes_.Add("m", *Mesh::Create({{"x", 4}, {"y", 2}, {"z", 2}}));
    (void)*meshes_.Add("n", *Mesh::Create({{"x", 4}}));
  }
  TensorSharding Read(const std::string& text) { return *ParseSharding(text, meshes_); }
  std::string Print(const TensorSharding& s) { return PrintSharding(s, meshes_); }

  MeshTable meshes_;
};

TEST_F(TensorShardingTest, DerivesForms) {
  const TensorSharding s =
      Read("<@m, [{\"x\", ?}p1, {}], replicated={\"y\"}, unreduced=max{\"z\"}>");
  EXPECT_EQ(Print(ClosedLike(s)), "<@m, [{\"x\"}p1, {}], unreduced=max{\"z\"}>");
  EXPECT_EQ(Print(FullyClosedLike(s)), "<@m, [{}, {}]>");
  EXPECT_EQ(Print(FullyOpenLike(s)), "<@m, [{?}, {?}]>");
  EXPECT_EQ(Print(WithOpenDims(s, {1, 5})),
            "<@m, [{\"x\", ?}p1, {?}], replicated={\"y\"}, unreduced=max{\"z\"}>");
}

TEST_F(TensorShardingTest, AnswersPredicates) {
  EXPECT_TRUE(Read("<@m, [{}, {?}], replicated={\"x\"}>").IsFullyReplicated());
  EXPECT_FALSE(Read("<@m, [{\"x\":(1)2}]>").IsFullyReplicated());
  EXPECT_TRUE(Read("<@m, [{?}, {?}]>").IsFullyOpen());
  EXPECT_FALSE(Read("<@m, [{?}, {?}], unreduced={\"x\"}>").IsFullyOpen());
  EXPECT_TRUE(Read("<@m, []>").IsFullyClosed());
  EXPECT_TRUE(Read("<@m, [{}], unreduced={\"y\"}>").UsesAxis(1));
  EXPECT_FALSE(Read("<@m, [{\"x\"}]>").UsesAxis(1));
}

TEST_F(TensorShardingTest, KnowsWhatIsEquivalent) {
  const struct {
    const char *a, *b;
    bool equivalent;
  } cases[] = {
      {"<@m, [{}, {?}], replicated={\"x\"}>", "<@n, []>", true},
      {"<@m, [{\"x\"}p2]>", "<@m, [{\"x\", ?}], replicated={\"y\"}>", true},
      {"<@m, [{\"x\"}]>", "<@n, [{\"x\"}]>", false},
      {"<@m, [{\"x\"}]>", "<@m, [{\"x\":(1)2}]>", false},
      {"<@m, [{}]>", "<@m, [{}], unreduced={\"x\"}>", false},
      {"<@m, [{\"y\"}]>", "<@m, [{\"y\"}, {}]>", false},
  };
  for (const auto& c : cases) {
    const TensorSharding a = Read(c.a), b = Read(c.b);
    EXPECT_EQ(AreEquivalent(&a, &b), c.equivalent) << c.a << " and " << c.b;
    EXPECT_EQ(AreEquivalent(&b, &a), c.equivalent) << c.a << " and " << c.b;
  }
  const TensorSharding none = Read("<@m, [{}]>"), some = Read("<@m, [{\"x\"}]>");
  EXPECT_TRUE(AreEquivalent(nullptr, &none));
  EXPECT_TRUE(AreEquivalent(nullptr, nullptr));
  EXPECT_FALSE(AreEquivalent(&some, nullptr));
}

TEST_F(TensorShardingTest, InternsByValue) {
  ShardingTable table;
  const ShardingId a = table.Intern(Read("<@m, [{\"x\"}, {}]>"));
  EXPECT_NE(table.Intern(Read("<@m, [{\"x\", ?}, {}]>")), a);
  EXPECT_EQ(table.Intern(Read("<@m, [{\"x\"}, {}]>")), a);
  EXPECT_EQ(table.size(), 2u);
  for (const char* text :
       {"<@n, [{\"x\"}, {}]>", "<@m, [{\"x\"}, {}], unreduced={\"y\"}>",
        "<@m, [{\"x\"}, {}], unreduced=max{\"y\"}>", "<@m, [{\"x\"}, {}], replicated={\"y\"}>",
        "<@m, [{\"x\"}p0, {}]>", "<@m, [{}, {\"x\"}]>"}) {
    EXPECT_NE(absl::Hash<TensorSharding>()(Read(text)),
              absl::Hash<TensorSharding>()(Read("<@m, [{\"x\"}, {}]>")))
        << text;
  }
}

}  // namespace
}  // namespace tessera::sharding
