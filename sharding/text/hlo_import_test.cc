#include "tessera/sharding/hlo_import.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

HloSharding Read(const std::string& text) { return *ParseHloSharding(text); }

TEST(HloImportTest, FindsOneMeshForAll) {
  HloMeshFinder finder;
  EXPECT_FALSE(finder.found());
  for (const char* text : {"{replicated}", "{{devices=[2,6]<=[12]}, {devices=[4,3]<=[12]}}",
                           "{maximal device=7}", "{manual}"}) {
    EXPECT_TRUE(finder.Add(Read(text)).ok()) << text;
  }
  ASSERT_TRUE(finder.found());
  auto importer = *finder.Build();
  EXPECT_EQ(PrintMesh(importer.meshes().mesh(0)),
            "<[\"_axis_0\"=2, \"_axis_1\"=2, \"_axis_2\"=3]>");
  const struct {
    const char* in;
    bool is_open;
    const char* out;
  } cases[] = {
      {"{devices=[2,6]<=[12]}", false, "<@mesh, [{\"_axis_0\"}, {\"_axis_1\", \"_axis_2\"}]>"},
      {"{devices=[2,6]<=[12]}", true, "<@mesh, [{\"_axis_0\", ?}, {\"_axis_1\", \"_axis_2\", ?}]>"},
      {"{devices=[1,3,4]<=[4,3]T(1,0) last_tile_dim_replicate}", false,
       "<@mesh, [{}, {\"_axis_2\"}]>"},
      {"{devices=[2,6]<=[12] last_tile_dims={unreduced}}", false,
       "<@mesh, [{\"_axis_0\"}], unreduced={\"_axis_1\", \"_axis_2\"}>"},
      {"{replicated}", false, "<@mesh, [{}, {}]>"},
      {"{unknown}", false, "<@mesh, [{?}, {?}]>"},
      {"{maximal device=7}", false, "<@maximal_mesh_7, []>"},
  };
  for (const auto& c : cases) {
    const auto s = importer.Import(Read(c.in), 2, c.is_open);
    ASSERT_TRUE(s.ok()) << c.in << s.status();
    EXPECT_EQ(PrintSharding(*s, importer.meshes()), c.out) << c.in;
  }
  EXPECT_FALSE(importer.Import(Read("{maximal device=8}"), 2, false).ok());
  EXPECT_FALSE(importer.Import(Read("{devices=[2,2]<=[4]}"), 2, false).ok());
  EXPECT_FALSE(importer.Import(Read("{devices=[12]<=[3,4]T(1,0)}"), 1, false).ok());
}

// `{mesh[], replicated}` has no dimensions and fits any array.
TEST(HloImportTest, NamedReplicatedHasTheRankOfTheArray) {
  HloMeshFinder finder;
  const HloSharding named = *ParseHloSharding("{mesh['a'=4,'b'=2], [{'a'}, {}]}");
  ASSERT_TRUE(finder.Add(named).ok());
  auto importer = *finder.Build();
  EXPECT_EQ(importer.Import(*ParseHloSharding("{mesh[], replicated}"), 2, false)->rank(), 2);
  EXPECT_EQ(importer.Import(named, 2, false)->rank(), 2);
}

TEST(HloImportTest, RefusesWhatDoesNotFit) {
  HloMeshFinder finder;
  EXPECT_FALSE(finder.Add(Read("{devices=[2]1,0}")).ok());
  EXPECT_TRUE(finder.Add(Read("{devices=[3,4]<=[12]}")).ok());
  EXPECT_FALSE(finder.Add(Read("{devices=[4,3]<=[12]}")).ok());
}

TEST(HloImportTest, SplitsAxesOfAGivenMesh) {
  auto importer = *HloImporter::OnMesh(*Mesh::Create({{"data", 8}, {"model", 2}}));
  const auto s = importer.Import(Read("{devices=[2,8]<=[16]}"), 2, false);
  EXPECT_EQ(PrintSharding(*s, importer.meshes()),
            "<@mesh, [{\"data\":(1)2}, {\"data\":(2)4, \"model\"}]>");
}

TEST(HloImportTest, AGivenMeshTakesThePlaceOfTheOneFound) {
  HloMeshFinder finder;
  ASSERT_TRUE(finder.Add(Read("{devices=[4,4]<=[16]}")).ok());
  auto importer = *finder.Build(*Mesh::Create({{"data", 8}, {"model", 2}}));
  EXPECT_EQ(
      PrintSharding(*importer.Import(Read("{devices=[4,4]<=[16]}"), 2, false), importer.meshes()),
      "<@mesh, [{\"data\":(1)4}, {\"data\":(4)2, \"model\"}]>");
  auto other = *finder.Build(*Mesh::Create({{"data", 8}}));
  EXPECT_EQ(other.Import(Read("{devices=[4,4]<=[16]}"), 2, false).status().message(),
            "{devices=[4,4]<=[16]} does not fit on a mesh of 8 devices");
}

TEST(HloImportTest, ANamedShardingGivesTheMesh) {
  HloMeshFinder finder;
  ASSERT_TRUE(finder.Add(Read("{devices=[4]<=[4]}")).ok());
  ASSERT_TRUE(finder.Add(Read("{mesh['q'=2,'r'=2], [{'q'}]}")).ok());
  auto importer = *finder.Build();
  EXPECT_EQ(
      PrintSharding(*importer.Import(Read("{devices=[4]<=[4]}"), 1, false), importer.meshes()),
      "<@mesh, [{\"q\", \"r\"}]>");
  EXPECT_EQ(PrintSharding(*importer.Import(Read("{mesh['q'=2,'r'=2], [{'r', ?}]}"), 1, false),
                          importer.meshes()),
            "<@mesh, [{\"r\", ?}]>");
}

}  // namespace
}  // namespace tessera::sharding
