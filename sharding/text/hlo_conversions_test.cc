#include "tessera/sharding/hlo_conversions.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/sdy_text.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;

struct Case {
  const char *mesh, *sharding;
  std::vector<int> manual;
  const char *tiled, *named;
};

TEST(HloConversionsTest, EmptyShardingsWithoutDeviceIds) {
  MeshTable meshes;
  const MeshId id = *meshes.Add("m", *ParseMesh("<[\"p\"=4], device_ids=[3, 1, 2, 0]>"));
  const TensorSharding s = *ParseSharding("<@m, [{}]>", meshes);
  EXPECT_EQ(ToNamedSharding(s, meshes.mesh(id), {}, false).ToString(), "{mesh[], replicated}");
}

TEST(HloConversionsTest, ExportsAxes) {
  const Case cases[] = {
      {"<[\"p\"=2, \"q\"=3]>",
       "<@m, [{\"q\"}, {}]>",
       {},
       "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}",
       "{mesh['p'=2,'q'=3], [{'q'}, {}]}"},
      {"<[\"p\"=6]>",
       "<@m, [{\"p\":(2)3}, {\"p\":(1)2, ?}p1]>",
       {},
       "{devices=[3,2]<=[2,3]T(1,0)}",
       "{mesh['p'=6], [{'p':(2)3}, {'p':(1)2, ?}]}"},
      {"<[\"p\"=2, \"q\"=3]>", "<@m, [{}, {}]>", {}, "{replicated}", "{mesh[], replicated}"},
      {"<[\"p\"=2, \"q\"=3]>",
       "<@m, [{}], replicated={\"p\"}>",
       {},
       "{replicated}",
       "{mesh[], replicated}"},
      {"<[\"p\"=2, \"q\"=3]>",
       "<@m, [{\"p\"}], unreduced=max{\"q\"}>",
       {},
       "{devices=[2,3]<=[6] last_tile_dims={unreduced}}",
       "{mesh['p'=2,'q'=3], [{'p'}], unreduced=max{'q'}}"},
      {"<[\"p\"=2, \"q\"=3]>",
       "<@m, [{\"q\"}]>",
       {0},
       "{devices=[3,2]<=[2,3]T(1,0) last_tile_dims={manual}}",
       "{mesh['p'=2,'q'=3], [{'q'}], manual={'p'}}"},
      {"<[\"p\"=2, \"q\"=3]>",
       "<@m, [{}, {}]>",
       {1},
       "{devices=[1,1,3,2]<=[2,3]T(1,0) last_tile_dims={manual, replicated}}",
       "{mesh['p'=2,'q'=3], [{}, {}], manual={'q'}}"},
      {"<[\"p\"=2, \"q\"=3]>", "<@m, [{}, {}]>", {0, 1}, "{manual}", "{mesh['p'=2,'q'=3], manual}"},
      {"<[\"p\"=1]>", "<@m, [{\"p\"}]>", {}, "{replicated}", "{mesh['p'=1], [{'p'}]}"},
      {"<[\"p\"=4], device_ids=[3, 1, 2, 0]>",
       "<@m, [{\"p\"}]>",
       {},
       "{devices=[4]3,1,2,0}",
       "{mesh['p'=4], device_ids=(3,1,2,0), [{'p'}]}"},
      {"<[], device_ids=[9]>",
       "<@m, []>",
       {},
       "{maximal device=9}",
       "{single_device[device_id=9]}"},
      {"<[\"p\"=4], device_ids=[3, 1, 2, 0]>",
       "<@m, [{}]>",
       {},
       "{replicated}",
       "{mesh['p'=4], device_ids=(3,1,2,0), [{}]}"},
      {"<[\"p\"=4], device_ids=[3, 1, 2, 0]>",
       "<@m, []>",
       {},
       "{replicated}",
       "{mesh['p'=4], device_ids=(3,1,2,0), replicated}"},
      {"<[]>", "<@m, [{}, {}]>", {}, "{replicated}", "{mesh[], replicated}"},
  };
  for (const Case& c : cases) {
    MeshTable meshes;
    const MeshId id = *meshes.Add("m", *ParseMesh(c.mesh));
    const TensorSharding s = *ParseSharding(c.sharding, meshes);
    EXPECT_EQ(ToTiledSharding(s, meshes.mesh(id), c.manual).ToString(), c.tiled) << c.sharding;
    EXPECT_EQ(ToNamedSharding(s, meshes.mesh(id), c.manual).ToString(), c.named) << c.sharding;
  }
}

TEST(HloConversionsTest, MovesIotaOrdersAsIotas) {
  EXPECT_EQ(ToTiledSharding(*ParseHloSharding("{mesh['p'=2,'q'=4], device_ids=([4,2]T(1,0)), "
                                              "[{'q'}, {'p'}]}"))
                .ToString(),
            "{devices=[4,2]<=[8]}");
}

TEST(HloConversionsTest, AnalyzesGrids) {
  const auto axes = AnalyzeTiling(*ParseHloSharding("{devices=[6,4]<=[4,6]T(1,0)}"));
  EXPECT_THAT(axes->sizes, ElementsAre(4, 6));
  EXPECT_THAT(axes->dims, ElementsAre(ElementsAre(1), ElementsAre(0)));
  const auto split = AnalyzeTiling(*ParseHloSharding("{devices=[12,2]<=[4,6]T(1,0)}"));
  EXPECT_THAT(split->sizes, ElementsAre(2, 2, 6));
  EXPECT_THAT(split->dims, ElementsAre(ElementsAre(2, 0), ElementsAre(1)));
  const auto list = AnalyzeTiling(*ParseHloSharding("{devices=[2,1,3]0,1,2,3,4,5}"));
  EXPECT_THAT(list->sizes, ElementsAre(2, 3));
  EXPECT_FALSE(AnalyzeTiling(*ParseHloSharding("{devices=[3,2]<=[3,2]T(1,0)}")).ok());
  EXPECT_FALSE(AnalyzeTiling(*ParseHloSharding("{devices=[2]1,0}")).ok());
  EXPECT_FALSE(AnalyzeTiling(HloSharding::Manual()).ok());
}

TEST(HloConversionsTest, NamesGrids) {
  const struct {
    const char *tiled, *named;
  } cases[] = {
      {"{devices=[6,4]<=[4,6]T(1,0)}", "{mesh['axis_0'=4,'axis_1'=6], [{'axis_1'}, {'axis_0'}]}"},
      {"{devices=[2,2,3]<=[12] last_tile_dims={manual, replicated}}",
       "{mesh['axis_0'=2,'axis_1'=2,'axis_2'=3], [{'axis_0'}], manual={'axis_1'}}"},
      {"{devices=[2,1]1,0}",
       "{mesh['axis_0'=2,'axis_1'=1], device_ids=(1,0), [{'axis_0'}, {'axis_1'}]}"},
      {"{replicated}", "{mesh[], replicated}"},
      {"{maximal device=2}", "{single_device[device_id=2]}"},
  };
  for (const auto& c : cases) {
    const auto named = TiledToNamedSharding(*ParseHloSharding(c.tiled));
    ASSERT_TRUE(named.ok()) << c.tiled;
    EXPECT_EQ(named->ToString(), c.named);
    EXPECT_EQ(ToTiledSharding(*named).ToString(), c.tiled);
  }
  EXPECT_FALSE(TiledToNamedSharding(HloSharding::Unknown()).ok());
  EXPECT_FALSE(TiledToNamedSharding(*ParseHloSharding("{devices=[2]5,9}")).ok());
}

TEST(HloConversionsTest, ReadsNamedAsTensorShardings) {
  MeshTable meshes;
  const auto s = NamedToTensorSharding(
      *ParseHloSharding("{mesh['p'=2,'q'=3], [{'q', ?}, {}], unreduced=min{'p'}}"), meshes);
  EXPECT_EQ(PrintSharding(*s, meshes),
            "<mesh<[\"p\"=2, \"q\"=3]>, [{\"q\", ?}, {}], unreduced=min{\"p\"}>");
  const auto one = NamedToTensorSharding(HloSharding::Maximal(4), meshes);
  EXPECT_EQ(PrintSharding(*one, meshes), "<mesh<[], device_ids=[4]>, []>");
  EXPECT_FALSE(NamedToTensorSharding(HloSharding::Manual(), meshes).ok());
}

}  // namespace
}  // namespace tessera::sharding
