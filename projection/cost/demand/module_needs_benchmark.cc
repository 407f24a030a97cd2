// Regions of all operands for all devices of a module of 10,000 instructions on 512 devices: by
// classes, and device by device. The module is a stack of dense layers.
//
//   ./bazelw run -c opt //projection/cost:module_needs_benchmark
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/cost/demand/module_needs.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::projection {
namespace {

using sharding::AxisRef;
using sharding::TensorSharding;

std::string ModuleText(int layers) {
  std::string text = "ENTRY e {\n  x0 = f32[4096,2048] parameter(0)\n";
  for (int i = 0; i < layers; ++i) {
    absl::StrAppend(&text, "  w", i, " = f32[2048,2048] parameter(", i + 1, ")\n  d", i,
                    " = f32[4096,2048] dot(x", i, ", w", i,
                    "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  t", i,
                    " = f32[4096,2048] tanh(d", i, ")\n  x", i + 1, " = f32[4096,2048] add(t", i,
                    ", x", i, ")\n");
  }
  return absl::StrCat(text, "  ROOT r = f32[4096,2048] negate(x", layers, ")\n}\n");
}

struct Setup {
  hlo::Module module;
  DeviceGrid grid;
  TensorSharding activations, weights;

  explicit Setup(int layers)
      : module(*hlo::ParseModule(ModuleText(layers))),
        grid(*sharding::Mesh::Create({{"data", 32}, {"model", 16}})),
        activations(0, 2),
        weights(0, 2) {
    activations.dim(0).axes = {AxisRef::Full(0)};
    activations.dim(1).axes = {AxisRef::Full(1)};
    weights.dim(0).axes = {AxisRef::Full(0)};
    weights.dim(1).axes = {AxisRef::Full(1)};
  }
  const TensorSharding* Of(hlo::InstructionId id) const {
    return module.shape(id).dim(0) == 2048 ? &weights : &activations;
  }
};

void BM_ByClasses(benchmark::State& state) {
  const Setup setup(static_cast<int>(state.range(0)) / 4);
  for (auto _ : state) {
    absl::StatusOr<ModuleDemand> d = DemandOfModule(
        setup.module, setup.grid, [&](hlo::InstructionId id, int) { return setup.Of(id); });
    benchmark::DoNotOptimize(d->total_bytes);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_ByClasses)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

// Every instruction, every device: signature, tile, need, and what is missing of it.
void BM_BruteForce(benchmark::State& state) {
  const Setup setup(static_cast<int>(state.range(0)) / 4);
  for (auto _ : state) {
    int64_t total = 0;
    for (hlo::InstructionId id : setup.module.entry().instructions) {
      if (setup.module.operands(id).empty()) continue;
      const Signature s = *SignatureOf(setup.module, id);
      for (int64_t position = 0; position < setup.grid.num_devices(); ++position) {
        const ZRange block = *setup.grid.Tile(s.index.shape(), *setup.Of(id), position);
        for (size_t k = 0; k < s.operands.size(); ++k) {
          const Need need = *ProjectOperand(s, static_cast<int>(k), block);
          const TensorSharding& held = *setup.Of(setup.module.operands(id)[k]);
          const ZSet own = ZSet::OfBox(*setup.grid.Tile(s.operands[k].shape, held, position));
          total += 4 * *need.cells.Subtract(own)->size();
        }
      }
    }
    benchmark::DoNotOptimize(total);
  }
}
BENCHMARK(BM_BruteForce)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::projection
