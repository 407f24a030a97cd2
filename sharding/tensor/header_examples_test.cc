// The examples at the head of the public headers, as they stand there: each compiles, and gives
// what its comment says.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/device_tiles.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/mesh_merge.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/sharding/tile_assignment.h"
#include "tessera/sharding/trim.h"

namespace tessera::sharding {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HeaderExamples, Mesh) {
  absl::StatusOr<Mesh> mesh = Mesh::Create({{"data", 4}, {"model", 2}});
  EXPECT_EQ(mesh->num_devices(), 8);
  EXPECT_EQ(mesh->FindAxis("model"), 1);
  EXPECT_EQ(mesh->DeviceAt({3, 0}), 6);
  MeshTable meshes;
  absl::StatusOr<MeshId> id = meshes.Add("mesh", *mesh);
  EXPECT_EQ(meshes.mesh(*id).axis(0).name, "data");
  EXPECT_EQ(PrintMeshSizes(*ParseMeshSizes("data=4,model=2")), "data=4,model=2");
}

TEST(HeaderExamples, Axes) {
  const Mesh mesh = *Mesh::Create({{"a", 8}});
  AxisRef a = AxisRef::Full(0);
  AxisRef mid = AxisRef::Sub(0, 2, 2);
  EXPECT_TRUE(Contains(a, mid));
  EXPECT_EQ(PrefixWithoutOverlap(a, mid), AxisRef::Sub(0, 1, 2));
  EXPECT_EQ(SuffixWithoutOverlap(a, mid, mesh), AxisRef::Sub(0, 4, 2));
}

TEST(HeaderExamples, AxisLists) {
  const Mesh mesh = *Mesh::Create({{"a", 8}, {"b", 2}});
  AxisList axes = {AxisRef::Sub(0, 1, 2)};
  AddOrMerge(axes, AxisRef::Sub(0, 2, 4), mesh);
  EXPECT_THAT(axes, ElementsAre(AxisRef::Full(0)));
  EXPECT_EQ(ShardedSize(axes, mesh), 8);
}

TEST(HeaderExamples, AxisText) {
  const Mesh mesh = *Mesh::Create({{"x", 2}, {"y", 4}});
  EXPECT_EQ(ShortAxisText(AxisRef::Sub(1, 2, 2), mesh), "y:(2)2");
  EXPECT_EQ(QuotedAxisText(AxisRef::Sub(1, 2, 2), mesh), "'y':(2)2");
  EXPECT_EQ(*ParseAxisText("y:(2)2", mesh), AxisRef::Sub(1, 2, 2));
}

TEST(HeaderExamples, DeviceTiles) {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 4}, {"y", 2}}));
  const TensorSharding sharding = *ParseSharding("<@m, [{\"x\"}, {\"y\"}]>", meshes);
  DeviceGrid grid(meshes.mesh(0));
  EXPECT_THAT(*grid.Tile({16, 8}, sharding, 3), ElementsAre(TileRange{4, 8}, TileRange{4, 8}));
}

TEST(HeaderExamples, Geometry) {
  const HloSharding sharding = *ParseHloSharding("{devices=[2,2]<=[4]}");
  EXPECT_THAT(TileShape(sharding, {5, 7}), ElementsAre(3, 4));
  EXPECT_THAT(*TileOfDevice(sharding, {5, 7}, 3), ElementsAre(TileRange{3, 5}, TileRange{4, 7}));
}

TEST(HeaderExamples, HloSharding) {
  absl::StatusOr<HloSharding> s = ParseHloSharding("{devices=[2,2]<=[4]}");
  EXPECT_EQ(s->kind(), HloSharding::Kind::kTiled);
  EXPECT_EQ(s->ToString(), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(ParseHloSharding("{devices=[8]<=[2,1,4]T(2,0,1)}")->ToString(),
            "{devices=[8]<=[2,4]T(1,0)}");
  EXPECT_EQ(ParseHloSharding("{{replicated}, {maximal device=1}}")->elements().size(), 2u);
}

TEST(HeaderExamples, TileAssignment) {
  TileAssignment a = *TileAssignment::Iota({4, 2}, {2, 4}, {1, 0});
  EXPECT_EQ(a.DeviceAt({1, 0}), 1);
  EXPECT_EQ(a.ToString(), "[4,2]<=[2,4]T(1,0)");
}

TEST(HeaderExamples, HloConversions) {
  MeshTable meshes;
  (void)*meshes.Add("mesh", *Mesh::Create({{"x", 8}, {"y", 4}}));
  const Mesh& mesh = meshes.mesh(0);
  const TensorSharding sharding = *ParseSharding("<@mesh, [{\"y\"}, {\"x\":(2)2}]>", meshes);
  EXPECT_EQ(ToTiledSharding(sharding, mesh, {}).ToString(),
            "{devices=[4,2,4]<=[2,2,2,4]T(3,1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(ToNamedSharding(sharding, mesh, {}).ToString(),
            "{mesh['x'=8,'y'=4], [{'y'}, {'x':(2)2}]}");
  EXPECT_TRUE(AnalyzeTiling(*ParseHloSharding("{devices=[4]<=[2,2]T(1,0)}")).ok());
}

TEST(HeaderExamples, HloImport) {
  HloMeshFinder finder;
  EXPECT_TRUE(finder.Add(*ParseHloSharding("{devices=[2,4]<=[8]}")).ok());
  EXPECT_TRUE(finder.Add(*ParseHloSharding("{devices=[4,2]<=[8]}")).ok());
  absl::StatusOr<HloImporter> importer = finder.Build();
  const TensorSharding s =
      *importer->Import(*ParseHloSharding("{devices=[4,2]<=[8]}"), 2, /*is_open=*/false);
  EXPECT_EQ(PrintSharding(s, importer->meshes()),
            "<@mesh, [{\"_axis_0\", \"_axis_1\"}, {\"_axis_2\"}]>");
}

TEST(HeaderExamples, MeshMerge) {
  MeshTable meshes;
  (void)*meshes.Add("mesh", *Mesh::Create({{"a", 4}, {"b", 2}}));
  (void)*meshes.Add("mesh_1", *Mesh::Create({{"x", 2}, {"y", 2}, {"z", 2}}));
  (void)*meshes.Add("mesh_2", *Mesh::Create({{"w", 8}}));
  const TensorSharding sharding = *ParseSharding("<@mesh_2, [{\"w\":(2)4}]>", meshes);
  MeshMerge merge(meshes, {});
  EXPECT_EQ(merge.meshes().size(), 1);
  EXPECT_EQ(PrintSharding(*merge.Rewrite(sharding), merge.meshes()), "<@mesh_1, [{\"y\", \"z\"}]>");
}

TEST(HeaderExamples, PartitionSpec) {
  absl::StatusOr<PartitionSpec> spec = ParsePartitionSpec("P('data', UNCONSTRAINED)");
  EXPECT_EQ(spec->ToString(), "P('data', UNCONSTRAINED)");
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("mesh", *Mesh::Create({{"data", 4}}));
  EXPECT_EQ(PrintSharding(*spec->Resolve(mesh_id, meshes.mesh(mesh_id), /*rank=*/3), meshes),
            "<@mesh, [{\"data\"}, {?}, {}]>");
}

TEST(HeaderExamples, SdyText) {
  MeshTable meshes;
  (void)*meshes.Add("mesh", *Mesh::Create({{"a", 4}, {"b", 2}}));
  absl::StatusOr<ShardingText> text = ParseShardingText("<@mesh, [{\"z\"}, {}]>");
  EXPECT_THAT(std::string(ResolveSharding(*text, meshes).status().message()),
              HasSubstr("the mesh has no axis \"z\"; it has"));
  absl::StatusOr<TensorSharding> s = ParseSharding("<@mesh, [{\"a\"}]>", meshes);
  EXPECT_EQ(PrintSharding(*s, meshes), "<@mesh, [{\"a\"}]>");
  EXPECT_EQ((*ParseShardingAttribute(R"(#sdy.sharding<@mesh, [{\"a\"}, {}]>)", meshes))->rank(), 2);
  EXPECT_EQ(ParseMeshesAttribute(R"({mesh = #sdy.mesh<["a"=4, "b"=2]>})")->size(), 1);
}

TEST(HeaderExamples, TensorSharding) {
  MeshTable meshes;
  const MeshId mesh_id = *meshes.Add("mesh", *Mesh::Create({{"data", 4}, {"model", 2}}));
  TensorSharding s(mesh_id, 2);
  s.dim(0).axes = {AxisRef::Full(0)};
  s.dim(1) = {{AxisRef::Full(1)}, /*is_closed=*/false, /*priority=*/1};
  EXPECT_EQ(PrintSharding(s, meshes), "<@mesh, [{\"data\"}, {\"model\", ?}p1]>");
  ShardingTable table;
  ShardingId id = table.Intern(s);
  EXPECT_EQ(table[id].dim(0), s.dim(0));
  EXPECT_EQ(table.Intern(s), id);
}

TEST(HeaderExamples, Trim) {
  MeshTable meshes;
  (void)*meshes.Add("m", *Mesh::Create({{"x", 4}, {"y", 2}}));
  const auto even = [&](const char* text, int64_t size) {
    return PrintSharding(EvenlySharded(*ParseSharding(text, meshes), meshes.mesh(0), {size}),
                         meshes);
  };
  EXPECT_EQ(even("<@m, [{\"x\", \"y\"}]>", 4), "<@m, [{\"x\"}]>");
  EXPECT_EQ(even("<@m, [{\"x\"}]>", 2), "<@m, [{\"x\":(1)2}]>");
  const TensorSharding inner = *ParseSharding("<@m, [{}, {?}]>", meshes);
  const TensorSharding outer = *ParseSharding("<@m, [{\"x\"}, {\"y\"}]>", meshes);
  EXPECT_EQ(PrintSharding(WithManualAxes(inner, outer, {0}), meshes), "<@m, [{\"x\"}, {?}]>");
  EXPECT_EQ(PrintSharding(EraseManualAxes(outer, {0}), meshes), "<@m, [{}, {\"y\"}]>");
}

}  // namespace
}  // namespace tessera::sharding
