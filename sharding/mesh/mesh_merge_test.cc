#include "tessera/sharding/mesh_merge.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/sharding/slow_placement.h"
#include "tessera/testing/sharding/small_meshes.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;

using Named = std::vector<std::pair<std::string, std::string>>;

MeshTable Make(const Named& meshes) {
  MeshTable table;
  for (const auto& [name, text] : meshes) (void)*table.Add(name, *ParseMesh(text));
  return table;
}

std::vector<std::string> Names(const MeshTable& meshes) {
  std::vector<std::string> names;
  for (MeshId id = 0; id < meshes.size(); ++id) names.push_back(meshes.name(id));
  return names;
}

TEST(MeshMergeTest, ChoosesTheMainMesh) {
  const struct {
    Named meshes;
    std::vector<std::string> left;
  } cases[] = {
      // More axes above one win, then the earlier mesh.
      {{{"a", "<[\"x\"=12]>"}, {"b", "<[\"p\"=3, \"one\"=1, \"q\"=4]>"}}, {"b"}},
      {{{"a", "<[\"x\"=12]>"}, {"b", "<[\"y\"=12]>"}}, {"a"}},
      // Made-up names lose.
      {{{"a", "<[\"_x\"=3, \"y\"=4]>"}, {"b", "<[\"p\"=12]>"}}, {"b"}},
      // Cuts that cross, other devices, another order.
      {{{"a", "<[\"x\"=3, \"y\"=4]>"}, {"b", "<[\"p\"=4, \"q\"=3]>"}}, {"a", "b"}},
      {{{"a", "<[\"x\"=3]>"}, {"b", "<[\"p\"=4]>"}}, {"a", "b"}},
      {{{"a", "<[\"x\"=2]>"}, {"b", "<[\"p\"=2], device_ids=[1, 0]>"}}, {"a", "b"}},
      {{{"a", "<[]>"}, {"b", "<[], device_ids=[0]>"}, {"c", "<[], device_ids=[0]>"}}, {"a", "b"}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Names(MeshMerge(Make(c.meshes), {}).meshes()), c.left) << c.meshes[0].second;
  }
}

TEST(MeshMergeTest, NamesInlinedMeshes) {
  MeshTable meshes = Make({{"mesh", "<[\"x\"=2]>"}});
  const MeshId big = meshes.AddInlined(*ParseMesh("<[\"y\"=5]>"));
  const MeshId bigger = meshes.AddInlined(*ParseMesh("<[\"z\"=7]>"));
  const MeshId same = meshes.AddInlined(*ParseMesh("<[\"x\"=2]>"));
  const MeshId one = meshes.AddInlined(Mesh::Maximal(4));
  const MeshId none = meshes.AddInlined(Mesh());
  const MeshMerge merge(meshes, {bigger, one, big, none});
  EXPECT_THAT(Names(merge.meshes()),
              ElementsAre("mesh", "mesh_0", "maximal_mesh_4", "mesh_1", "empty_mesh"));
  EXPECT_EQ(merge.MapMesh(bigger), 1u);
  EXPECT_EQ(merge.MapMesh(big), 3u);
  EXPECT_EQ(merge.MapMesh(same), 0u);
}

TEST(MeshMergeTest, RewritesShardings) {
  MeshTable meshes = Make({{"main", "<[\"x\"=2, \"y\"=6]>"}, {"other", "<[\"a\"=12]>"}});
  const struct {
    const char *in, *out;
  } cases[] = {
      {"<@other, [{\"a\", ?}p2]>", "<@main, [{\"x\", \"y\", ?}p2]>"},
      {"<@other, [{\"a\":(2)6}]>", "<@main, [{\"y\"}]>"},
      {"<@other, [{\"a\":(1)4}]>", "<@main, [{\"x\", \"y\":(1)2}]>"},
      {"<@other, [{\"a\":(4)3}], unreduced=max{\"a\":(1)2}>",
       "<@main, [{\"y\":(2)3}], unreduced={\"x\"}>"},
      {"<@other, [{\"a\":(1)6}]>", "<@main, [{\"x\", \"y\":(1)3}]>"},
      {"<@main, [{\"x\"}], unreduced=max{\"y\"}>", "<@main, [{\"x\"}], unreduced=max{\"y\"}>"},
  };
  const MeshMerge merge(meshes, {});
  for (const auto& c : cases) {
    const auto moved = merge.Rewrite(*ParseSharding(c.in, meshes));
    ASSERT_TRUE(moved.ok()) << c.in;
    EXPECT_EQ(PrintSharding(*moved, merge.meshes()), c.out);
  }
  EXPECT_FALSE(merge.Rewrite(*ParseSharding("<@other, [{\"a\":(1)3}]>", meshes)).ok());
}

TEST(MeshMergeTest, RewritesManualAxes) {
  const MeshTable meshes = Make(
      {{"main", "<[\"x\"=2, \"y\"=6]>"}, {"a", "<[\"a\"=12]>"}, {"b", "<[\"p\"=6, \"q\"=2]>"}});
  const MeshMerge merge(meshes, {});
  EXPECT_THAT(*merge.RewriteManualAxes(1, {0}), ElementsAre(0, 1));
  EXPECT_THAT(*merge.RewriteManualAxes(0, {1}), ElementsAre(1));
  EXPECT_FALSE(merge.RewriteManualAxes(2, {0}).ok());  // p is x and a part of y
}

// Wherever two small meshes merge, every device keeps its part.
TEST(MeshMergeTest, KeepsThePlacement) {
  int moved = 0;
  for (const Mesh& a : testing::SmallMeshes(8, 3)) {
    for (const Mesh& b : testing::SmallMeshes(8, 2)) {
      if (a.num_devices() != b.num_devices()) continue;
      MeshTable meshes;
      (void)*meshes.Add("a", a);
      (void)*meshes.Add("b", b);
      const MeshMerge merge(meshes, {});
      testing::ForEachSharding(b, 1, [&](const TensorSharding& s) {
        TensorSharding on_b = s;
        on_b.set_mesh_id(1);
        const auto rewritten = merge.Rewrite(on_b);
        if (!rewritten.ok()) return;
        ++moved;
        const Mesh& after = merge.meshes().mesh(rewritten->mesh_id());
        EXPECT_EQ(testing::PartsByDevice(*rewritten, after), testing::PartsByDevice(s, b))
            << PrintSharding(on_b, meshes);
      });
    }
  }
  EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace tessera::sharding
