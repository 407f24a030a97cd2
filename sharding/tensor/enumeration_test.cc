// All meshes of up to 8 devices and 3 axes, and all shardings of rank 1 and 2 on them, through
// every pair of engines. They are compared device by device with digits of coordinates.

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_import.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/pspec.h"
#include "tessera/sharding/sdy_resolve.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/testing/sharding/slow_placement.h"
#include "tessera/testing/sharding/small_meshes.h"

namespace tessera::sharding {
namespace {

using testing::PartsByDevice;

// The part of each dimension that a device holds, off the HLO form: a dimension as large as a
// number that all part counts divide makes the first element of a tile name its part.
std::vector<std::vector<int64_t>> PartsOfTiles(const HloSharding& hlo, const TensorSharding& s,
                                               const Mesh& mesh) {
  const std::vector<int64_t> shape(static_cast<size_t>(s.rank()), 840);
  const std::vector<int64_t> tile = TileShape(hlo, shape);
  std::vector<std::vector<int64_t>> parts(static_cast<size_t>(mesh.num_devices()));
  for (size_t device = 0; device < parts.size(); ++device) {
    const auto ranges = TileOfDevice(hlo, shape, static_cast<int64_t>(device));
    EXPECT_TRUE(ranges.ok()) << hlo.ToString();
    for (size_t d = 0; ranges.ok() && d < ranges->size(); ++d) {
      parts[device].push_back((*ranges)[d].first / tile[d]);
    }
  }
  return parts;
}

void ExpectTextRoundTrip(const HloSharding& hlo) {
  const auto again = ParseHloSharding(hlo.ToString());
  ASSERT_TRUE(again.ok()) << hlo.ToString() << ": " << again.status();
  EXPECT_EQ(again->ToString(), hlo.ToString());
  if (!hlo.IsUnreduced()) {  // its text leaves open whether axes of size 1 are in the list
    EXPECT_EQ(*again, hlo);
  }
}

// Grid -> axes of a mesh made up for it -> grid.
void ExpectAxesRoundTrip(const HloSharding& tiled) {
  if (!tiled.IsTiled()) return;
  const auto named = TiledToNamedSharding(tiled);
  ASSERT_TRUE(named.ok()) << tiled.ToString();
  EXPECT_EQ(ToTiledSharding(*named), tiled) << named->ToString();
}

// Grid -> axes of the mesh that it came from; unused and replicated axes look the same.
void ExpectImport(const HloSharding& tiled, const TensorSharding& s, const Mesh& mesh) {
  if (!tiled.IsTiled() || !mesh.device_ids().empty()) return;
  auto importer = HloImporter::OnMesh(mesh);
  const auto imported = importer->Import(tiled, s.rank(), false);
  ASSERT_TRUE(imported.ok()) << tiled.ToString() << ": " << imported.status();
  EXPECT_EQ(PartsByDevice(*imported, mesh), PartsByDevice(s, mesh)) << tiled.ToString();
}

void ExpectSdyRoundTrip(const TensorSharding& s, MeshTable& meshes) {
  const std::string text = PrintSharding(s, meshes);
  EXPECT_TRUE(VerifySharding(s, meshes).ok()) << text;
  const auto again = ParseSharding(text, meshes);
  ASSERT_TRUE(again.ok()) << text << ": " << again.status();
  EXPECT_EQ(*again, s) << text;
  const auto spec = ToPartitionSpec(s, meshes.mesh(0));
  if (!spec) return;
  const auto parsed = ParsePartitionSpec(spec->ToString());
  ASSERT_TRUE(parsed.ok()) << spec->ToString();
  EXPECT_EQ(*parsed->Resolve(0, meshes.mesh(0), s.rank()), s) << spec->ToString();
}

void CheckAll(const Mesh& mesh, int rank, int& count) {
  MeshTable meshes;
  (void)*meshes.Add("mesh", mesh);
  testing::ForEachSharding(mesh, rank, [&](const TensorSharding& s) {
    if (::testing::Test::HasFailure()) return;
    ++count;
    SCOPED_TRACE(PrintSharding(s, meshes) + " on " + PrintMesh(mesh));
    const HloSharding tiled = ToTiledSharding(s, mesh);
    const HloSharding named = ToNamedSharding(s, mesh);
    EXPECT_EQ(PartsOfTiles(tiled, s, mesh), PartsByDevice(s, mesh)) << tiled.ToString();
    if (mesh.num_devices() > 1) {
      EXPECT_EQ(ToTiledSharding(named).ToString(), tiled.ToString());
    }
    ExpectTextRoundTrip(tiled);
    ExpectTextRoundTrip(named);
    ExpectAxesRoundTrip(tiled);
    ExpectImport(tiled, s, mesh);
    ExpectSdyRoundTrip(s, meshes);
  });
}

TEST(EnumerationTest, AllMeshesOfUpToEightDevices) {
  int count = 0;
  for (const Mesh& mesh : testing::SmallMeshes(8, 3)) {
    CheckAll(mesh, 1, count);
    CheckAll(mesh, 2, count);
  }
  EXPECT_GT(count, 10000);
}

TEST(EnumerationTest, AllOrdersOfFourDevices) {
  int count = 0;
  for (const Mesh& plain : testing::SmallMeshes(4, 2)) {
    std::vector<int64_t> order = plain.DeviceOrder();
    do {
      const std::vector<MeshAxis> axes(plain.axes().begin(), plain.axes().end());
      CheckAll(*Mesh::Create(axes, order), 2, count);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(count, 1000);
}

}  // namespace
}  // namespace tessera::sharding
