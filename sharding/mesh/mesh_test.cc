#include "tessera/sharding/mesh.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MeshTest, RejectsInAFixedOrder) {
  struct Case {
    std::vector<MeshAxis> axes;
    std::vector<int64_t> ids;
    std::string message;
  };
  const Case cases[] = {
      {{{"x", 0}}, {}, "at least 1, it is 0"},
      {{{"x", 2}, {"y", -4}}, {-1}, "\"y\""},
      {{}, {-7}, "must not be negative: -7"},
      {{}, {0, 1}, "one device id only"},
      {{{"x", 2}, {"x", 3}}, {0}, "two axes of the mesh have the name \"x\""},
      {{{"x", 2}, {"y", 2}}, {1, 0}, "4 devices, but 2 device ids"},
      {{{"x", 3}}, {0, 2, 2}, "2 comes twice"},
      {{{"x", 3}}, {0, 1, 3}, "3 is too large"},
      {{{"x", int64_t{1} << 40}}, {}, "more than"},
      {{{"x", int64_t{1} << 40}, {"y", int64_t{1} << 40}}, {}, "more than"},
  };
  for (const Case& c : cases) {
    const auto mesh = Mesh::Create(c.axes, c.ids);
    ASSERT_FALSE(mesh.ok()) << c.message;
    EXPECT_THAT(std::string(mesh.status().message()), HasSubstr(c.message));
  }
}

TEST(MeshTest, KnowsItsKind) {
  const Mesh empty;
  const Mesh maximal = Mesh::Maximal(5);
  const Mesh one = *Mesh::Create({{"x", 1}});
  EXPECT_TRUE(empty.is_empty());
  EXPECT_FALSE(empty.is_maximal());
  EXPECT_TRUE(maximal.is_maximal());
  EXPECT_EQ(maximal.maximal_device_id(), 5);
  EXPECT_FALSE(one.is_empty());
  EXPECT_FALSE(one.is_maximal());
  EXPECT_TRUE(one.has_size_one_axis());
  EXPECT_EQ(*Mesh::Create({}, {5}), maximal);
}

TEST(MeshTest, DropsThePlainOrder) {
  EXPECT_EQ(*Mesh::Create({{"x", 2}}, {0, 1}), *Mesh::Create({{"x", 2}}));
  EXPECT_NE(*Mesh::Create({{"x", 2}}, {1, 0}), *Mesh::Create({{"x", 2}}));
  EXPECT_TRUE(Mesh::Create({{"x", 2}}, {1, 0})->SameAxes(*Mesh::Create({{"x", 2}})));
}

TEST(MeshTest, FindsDevices) {
  const Mesh plain = *Mesh::Create({{"x", 2}, {"y", 3}});
  EXPECT_EQ(plain.num_devices(), 6);
  EXPECT_EQ(plain.DeviceAt({1, 2}), 5);
  EXPECT_THAT(plain.DeviceOrder(), ElementsAre(0, 1, 2, 3, 4, 5));
  const Mesh ordered = *Mesh::Create({{"x", 2}, {"y", 2}}, {3, 1, 2, 0});
  EXPECT_EQ(ordered.DeviceAt({0, 1}), 1);
  EXPECT_THAT(ordered.DeviceOrder(), ElementsAre(3, 1, 2, 0));
}

TEST(MeshTest, RanksAxesByName) {
  const Mesh mesh = *Mesh::Create({{"tp", 2}, {"data", 2}, {"fsdp", 2}});
  EXPECT_EQ(mesh.name_rank(0), 2);
  EXPECT_EQ(mesh.name_rank(1), 0);
  EXPECT_EQ(mesh.name_rank(2), 1);
  EXPECT_EQ(mesh.FindAxis("fsdp"), 2);
  EXPECT_EQ(mesh.FindAxis("pp"), std::nullopt);
}

TEST(MeshTableTest, TellsSymbolsFromInlinedMeshes) {
  MeshTable meshes;
  const Mesh mesh = *Mesh::Create({{"x", 2}});
  const MeshId named = *meshes.Add("m", mesh);
  EXPECT_FALSE(meshes.Add("m", Mesh()).ok());
  const MeshId inlined = meshes.AddInlined(mesh);
  EXPECT_NE(named, inlined);
  EXPECT_EQ(meshes.AddInlined(mesh), inlined);
  EXPECT_EQ(meshes.Find("m"), named);
  EXPECT_EQ(meshes.Find("n"), std::nullopt);
  EXPECT_EQ(meshes.FindEqual(mesh), named);
  EXPECT_TRUE(meshes.is_inlined(inlined));
  EXPECT_EQ(meshes.name(named), "m");
}

}  // namespace
}  // namespace tessera::sharding
