// Work on shardings that is done a million times: reading, interning, exporting, comparing.

#include <string>

#include "benchmark/benchmark.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding {
namespace {

constexpr char kText[] = "#sdy.sharding<@mesh, [{\"data\", \"fsdp\"}, {\"model\":(1)2, ?}, {?}]>";

MeshTable Meshes(int64_t data) {
  MeshTable meshes;
  (void)*meshes.Add("mesh", *Mesh::Create({{"data", data}, {"fsdp", 4}, {"model", 4}}));
  return meshes;
}

void BM_ParseSdy(benchmark::State& state) {
  MeshTable meshes = Meshes(8);
  for (auto _ : state) benchmark::DoNotOptimize(ParseSharding(kText, meshes));
}
BENCHMARK(BM_ParseSdy);

void BM_ParseTiled(benchmark::State& state) {
  const std::string text = "{devices=[32,2,1,2]<=[128] last_tile_dim_replicate}";
  for (auto _ : state) benchmark::DoNotOptimize(ParseHloSharding(text));
}
BENCHMARK(BM_ParseTiled);

void BM_Intern(benchmark::State& state) {
  MeshTable meshes = Meshes(8);
  const TensorSharding sharding = *ParseSharding(kText, meshes);
  ShardingTable table;
  for (auto _ : state) benchmark::DoNotOptimize(table.Intern(sharding));
}
BENCHMARK(BM_Intern);

// The cost must not grow with the number of devices.
void BM_ToTiledText(benchmark::State& state) {
  MeshTable meshes = Meshes(state.range(0));
  const TensorSharding sharding = *ParseSharding(kText, meshes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(ToTiledSharding(sharding, meshes.mesh(0)).ToString());
  }
}
BENCHMARK(BM_ToTiledText)->Arg(8)->Arg(8192);

void BM_OperateOnAxes(benchmark::State& state) {
  const AxisRef a = AxisRef::Full(0), b = AxisRef::Sub(0, 2, 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Overlaps(a, b));
    benchmark::DoNotOptimize(PrefixWithoutOverlap(a, b));
  }
}
BENCHMARK(BM_OperateOnAxes);

}  // namespace
}  // namespace tessera::sharding
