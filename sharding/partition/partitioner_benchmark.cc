// The collectives of a deep network in training form: layers of two dots with weights cut in both
// dimensions, on a mesh of 8 x 4 devices. Linear in the layers; the last counter says how many
// instructions a second are partitioned.

#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::sharding::partition {
namespace {

constexpr char kRows[] = "sharding={devices=[8,1,4]<=[32] last_tile_dim_replicate}";
constexpr char kWide[] = "sharding={devices=[8,4]<=[32]}";

std::string Network(int64_t layers) {
  std::string out = absl::StrCat(
      "HloModule m, num_partitions=32\nENTRY e {\n  x0 = f32[256,512] "
      "parameter(0), ",
      kRows, "\n");
  for (int64_t i = 0; i < layers; ++i) {
    const int64_t first = 2 * i + 1;
    absl::StrAppend(&out, "  up", i, " = f32[512,1024] parameter(", first, "), ", kWide, "\n");
    absl::StrAppend(&out, "  down", i, " = f32[1024,512] parameter(", first + 1,
                    "), sharding={devices=[4,8]<=[8,4]T(1,0)}\n");
    absl::StrAppend(&out, "  h", i, " = f32[256,1024] dot(x", i, ", up", i,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}, ", kWide, "\n");
    absl::StrAppend(&out, "  t", i, " = f32[256,1024] tanh(h", i, "), ", kWide, "\n");
    absl::StrAppend(&out, "  x", i + 1, " = f32[256,512] dot(t", i, ", down", i,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}, ", kRows, "\n");
  }
  return absl::StrCat(out, "  ROOT y = f32[256,512] negate(x", layers, "), ", kRows, "\n}\n");
}

void Layers(benchmark::State& state) {
  const auto module = hlo::ParseModule(Network(state.range(0)));
  size_t collectives = 0;
  for (auto _ : state) {
    const auto found = FindCollectives(*module);
    if (!found.ok()) {
      state.SkipWithError(found.status().ToString().c_str());
      break;
    }
    collectives = found->collectives.size();
  }
  state.counters["collectives"] = static_cast<double>(collectives);
  state.SetItemsProcessed(state.iterations() * (5 * state.range(0) + 2));
}
BENCHMARK(Layers)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::sharding::partition
