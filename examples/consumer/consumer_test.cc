// What a compiler without MLIR or XLA does with tessera: reads a module, asks what a layout costs, and turns a sharding in the
// user's axis names into tiles of devices.

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/sdy_text.h"

namespace {

TEST(Consumer, ReadsHlo) {
  const auto module = tessera::hlo::ParseModule(R"(HloModule twice
ENTRY main {
  x = f32[8,4] parameter(0)
  ROOT y = f32[8,4] add(x, x)
})");
  ASSERT_TRUE(module.ok()) << module.status();
}

TEST(Consumer, CountsPadding) {
  const auto shape = tessera::layout::ParseShape("f32[1000,2]{1,0:T(8,128)}");
  ASSERT_TRUE(shape.ok()) << shape.status();
  const auto sizes = tessera::layout::SizesOf(*shape);
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  EXPECT_EQ(sizes->data_bytes, 8000);
  EXPECT_EQ(sizes->padded_bytes, 1000 * 128 * 4);
}

TEST(Consumer, TurnsAxesIntoDevices) {
  tessera::sharding::MeshTable meshes;
  const auto mesh = tessera::sharding::Mesh::Create({{"data", 4}, {"model", 2}});
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  ASSERT_TRUE(meshes.Add("mesh", *mesh).ok());
  const auto sharding =
      tessera::sharding::ParseSharding("<@mesh, [{\"model\"}, {\"data\"}]>", meshes);
  ASSERT_TRUE(sharding.ok()) << sharding.status();
  EXPECT_EQ(tessera::sharding::ToTiledSharding(*sharding, *mesh).ToString(),
            "{devices=[2,4]<=[4,2]T(1,0)}");
}

}  // namespace
