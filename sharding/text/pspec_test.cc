#include "tessera/sharding/pspec.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/text/diagnostic.h"

namespace tessera::sharding {
namespace {

using ::testing::HasSubstr;

Mesh TestMesh() { return *Mesh::Create({{"dp", 2}, {"tp", 3}, {"pp", 5}}); }

TEST(PartitionSpecTest, ReadsAndPrints) {
  const struct {
    const char *in, *out, *dims;  // for rank 2
  } cases[] = {
      {"P()", "P()", "[{}, {}]"},
      {"P(None)", "P(None,)", "[{}, {}]"},
      {"P(\"dp\", ('tp', 'pp'),)", "P('dp', ('tp', 'pp'))", "[{\"dp\"}, {\"tp\", \"pp\"}]"},
      {"PartitionSpec(('dp',))", "P('dp',)", "[{\"dp\"}, {}]"},
      {"P((), UNCONSTRAINED)", "P(None, UNCONSTRAINED)", "[{}, {?}]"},
      {"P(dp?, (tp, pp)?)", "P('dp'?, ('tp', 'pp')?)", "[{\"dp\", ?}, {\"tp\", \"pp\", ?}]"},
      {"P(?, dp)", "P(UNCONSTRAINED, 'dp')", "[{?}, {\"dp\"}]"},
      {"P('dp', unreduced={'pp', 'tp'})", "P('dp', unreduced={'pp', 'tp'})", "[{\"dp\"}, {}]"},
      {"P(unreduced={'pp'}, reduced={'dp'})", "P(unreduced={'pp'}, reduced={'dp'})", "[{}, {}]"},
  };
  for (const auto& c : cases) {
    const auto spec = ParsePartitionSpec(c.in);
    ASSERT_TRUE(spec.ok()) << c.in << spec.status();
    EXPECT_EQ(spec->ToString(), c.out);
    EXPECT_EQ(ParsePartitionSpec(c.out)->ToString(), c.out);
    const auto resolved = spec->Resolve(0, TestMesh(), 2);
    ASSERT_TRUE(resolved.ok()) << c.in << resolved.status();
    EXPECT_EQ(PrintDims(*resolved, TestMesh()), c.dims);
  }
}

TEST(PartitionSpecTest, SortsUnreducedAxes) {
  const auto s = ParsePartitionSpec("P(unreduced={pp, tp})")->Resolve(0, TestMesh(), 0);
  EXPECT_EQ(PrintAxes(s->unreduced_axes(), TestMesh()), "\"tp\", \"pp\"");
}

TEST(PartitionSpecTest, PointsAtMistakes) {
  const struct {
    const char* in;
    size_t offset;
  } cases[] = {{"", 0},
               {"Q('dp')", 0},
               {"P('dp'", 6},
               {"P('dp' 'tp')", 7},
               {"P(3)", 2},
               {"P('dp') x", 8},
               {"P(('dp', None, 3))", 15},
               {"P(unreduced='dp')", 12}};
  for (const auto& c : cases) {
    const auto spec = ParsePartitionSpec(c.in);
    ASSERT_FALSE(spec.ok()) << c.in;
    EXPECT_EQ(text::ErrorOffset(spec.status()), c.offset) << c.in << spec.status();
  }
}

TEST(PartitionSpecTest, RefusesWhatTheMeshDoesNotHave) {
  const struct {
    const char *in, *message;
  } cases[] = {
      {"P('dp', 'tp', 'pp')", "3 entries for a value of rank 2"},
      {"P('xx')", "no axis 'xx'; it has 'dp', 'tp', 'pp'"},
      {"P('dp', 'dp')", "'dp' is used twice"},
      {"P('dp', unreduced={'dp'})", "'dp' is used twice"},
  };
  for (const auto& c : cases) {
    const auto s = ParsePartitionSpec(c.in)->Resolve(0, TestMesh(), 2);
    ASSERT_FALSE(s.ok()) << c.in;
    EXPECT_THAT(std::string(s.status().message()), HasSubstr(c.message));
  }
}

TEST(PartitionSpecTest, SaysWhatItCannotSay) {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"it's", 4}, {"b", 2}}));
  const struct {
    const char *sharding, *spec;
  } cases[] = {
      {"<@m, [{\"it's\"}, {\"b\", ?}]>", "P(\"it's\", 'b'?)"},
      {"<@m, [{}], unreduced={\"b\"}>", "P(None, unreduced={'b'})"},
      {"<@m, [{\"it's\":(1)2}]>", "none"},
      {"<@m, [{\"b\"}p1]>", "none"},
      {"<@m, [{}], replicated={\"b\"}>", "none"},
      {"<mesh<[], device_ids=[1]>, []>", "none"},
  };
  for (const auto& c : cases) {
    const TensorSharding s = *ParseSharding(c.sharding, meshes);
    const auto spec = ToPartitionSpec(s, meshes.mesh(s.mesh_id()));
    EXPECT_EQ(spec ? spec->ToString() : "none", c.spec);
  }
}

}  // namespace
}  // namespace tessera::sharding
