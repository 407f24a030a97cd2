// The collectives of a deep network in training form: layers of two dots with weights cut in both
// dimensions, on a mesh of 8 x 4 devices; and of loops with wide tuples. Linear in the layers and
// in the elements. The same network among the 512 devices of a pod, with another of its shardings in
// each layer, so that most layers reshard in their own way. The last counter says how many instructions a second are partitioned. With a
// module after the pass in TESSERA_BENCHMARK_HLO, its collectives and its per-device module
// (testing/jax/speed.py --collectives), on the heap of the program.

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/text/source.h"

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

// A loop that carries so many arrays and changes each.
std::string WideLoop(int64_t elements) {
  std::string types, leaves, taken, handed, changed, entry;
  const auto comma = [](int64_t i) { return i == 0 ? "" : ", "; };
  for (int64_t i = 0; i < elements; ++i) {
    absl::StrAppend(&types, comma(i), "f32[256,512]");
    absl::StrAppend(&leaves, comma(i), "{devices=[8,4]<=[32]}");
    absl::StrAppend(&taken, "  e", i, " = f32[256,512] get-tuple-element(p), index=", i, ", ",
                    kWide, "\n  n", i, " = f32[256,512] negate(e", i, "), ", kWide, "\n");
    absl::StrAppend(&changed, comma(i), "n", i);
    absl::StrAppend(&entry, "  x", i, " = f32[256,512] parameter(", i, "), ", kWide, "\n");
    absl::StrAppend(&handed, comma(i), "x", i);
  }
  const std::string tuple = absl::StrCat("(", types, ")");
  const std::string sharding = absl::StrCat("sharding={", leaves, "}");
  return absl::StrCat("HloModule m, num_partitions=32\ncond {\n  p = ", tuple, " parameter(0), ",
                      sharding, "\n  ROOT c = pred[] constant(true)\n}\nbody {\n  p = ", tuple,
                      " parameter(0), ", sharding, "\n", taken, "  ROOT r = ", tuple, " tuple(",
                      changed, "), ", sharding, "\n}\nENTRY e {\n", entry, "  t = ", tuple,
                      " tuple(", handed, "), ", sharding, "\n  ROOT w = ", tuple,
                      " while(t), condition=cond, body=body, ", sharding, "\n}\n");
}

void Run(benchmark::State& state, const hlo::Module& module) {
  size_t collectives = 0;
  for (auto _ : state) {
    const auto found = FindCollectives(module);
    if (!found.ok()) {
      state.SkipWithError(found.status().ToString().c_str());
      break;
    }
    collectives = found->collectives.size();
  }
  state.counters["collectives"] = static_cast<double>(collectives);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(module.num_instructions()));
}

void Layers(benchmark::State& state) { Run(state, *hlo::ParseModule(Network(state.range(0)))); }
BENCHMARK(Layers)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

void Elements(benchmark::State& state) { Run(state, *hlo::ParseModule(WideLoop(state.range(0)))); }
BENCHMARK(Elements)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

// A mesh of 512 devices, its axes in another order in each layer.
std::string PodNetwork(int64_t layers) {
  constexpr const char* kShardings[] = {
      "sharding={devices=[8,64]<=[8,8,8]T(1,0,2)}",
      "sharding={devices=[64,4,2]<=[8,8,8]T(2,0,1) last_tile_dim_replicate}",
      "sharding={devices=[16,32]<=[512]}",
      "sharding={devices=[8,8,8]<=[8,8,8]T(0,2,1) last_tile_dim_replicate}",
      "sharding={devices=[32,2,8]<=[2,256]T(1,0) last_tile_dim_replicate}",
  };
  const auto sharding = [&](int64_t i) { return kShardings[i % 5]; };
  std::string out = absl::StrCat(
      "HloModule m, num_partitions=512\nENTRY e {\n  x0 = f32[2048,1016] parameter(0), ",
      sharding(0), "\n");
  for (int64_t i = 0; i < layers; ++i) {
    absl::StrAppend(&out, "  w", i, " = f32[1016,1016] parameter(", i + 1, "), ", sharding(2 * i),
                    "\n  h", i, " = f32[2048,1016] dot(x", i, ", w", i,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}, ", sharding(3 * i + 1),
                    "\n  x", i + 1, " = f32[2048,1016] tanh(h", i, "), ", sharding(i + 2), "\n");
  }
  return absl::StrCat(out, "  ROOT y = f32[2048,1016] negate(x", layers, "), ", sharding(0),
                      "\n}\n");
}

void Pod(benchmark::State& state) { Run(state, *hlo::ParseModule(PodNetwork(state.range(0)))); }
BENCHMARK(Pod)->Arg(5)->Arg(100)->Unit(benchmark::kMillisecond);

template <typename RunOn>  // (state, module)
void OnGivenModule(benchmark::State& state, RunOn&& run) {
  pipeline::PrepareHeap(0);
  const char* path = std::getenv("TESSERA_BENCHMARK_HLO");
  const auto source = text::Source::FromFile(path == nullptr ? "" : path);
  if (!source.ok()) return state.SkipWithError("no module in TESSERA_BENCHMARK_HLO");
  const auto module = hlo::ParseModule((*source)->text());
  if (!module.ok()) return state.SkipWithError(module.status().ToString().c_str());
  run(state, *module);
}

void Module(benchmark::State& state) { OnGivenModule(state, Run); }
BENCHMARK(Module)->Unit(benchmark::kMillisecond);

// The whole per-device module.
void RunWhole(benchmark::State& state, const hlo::Module& module) {
  for (auto _ : state) {
    const auto device = PartitionModule(module);
    if (!device.ok()) return state.SkipWithError(device.status().ToString().c_str());
    state.counters["instructions"] = static_cast<double>(device->module.num_instructions());
  }
}

void PodModule(benchmark::State& state) {
  RunWhole(state, *hlo::ParseModule(PodNetwork(state.range(0))));
}
BENCHMARK(PodModule)->Arg(5)->Arg(100)->Unit(benchmark::kMillisecond);

void DeviceModule(benchmark::State& state) { OnGivenModule(state, RunWhole); }
BENCHMARK(DeviceModule)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::sharding::partition
