// The cost of a rule: derived anew, and from a registry that knows it.
//
//   ./bazelw run -c opt //sharding/rules:rule_registry_benchmark

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/rule_registry.h"

namespace tessera::sharding::rules {
namespace {

// `layers` times the same: a matrix product, a bias, a non-linearity, a reshape there and back.
hlo::Module Layers(int layers) {
  std::string text =
      "HloModule m\nENTRY e {\n x0 = f32[64,512] parameter(0)\n w = f32[512,512] parameter(1)\n"
      " b = f32[512] parameter(2)\n";
  for (int n = 1; n <= layers; ++n) {
    absl::StrAppend(&text, " d", n, " = f32[64,512] dot(x", n - 1,
                    ", w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", " b", n,
                    " = f32[64,512] broadcast(b), dimensions={1}\n", " a", n,
                    " = f32[64,512] add(d", n, ", b", n, "), metadata={op_name=\"layer\"}\n", " t",
                    n, " = f32[64,512] tanh(a", n, ")\n", " r", n, " = f32[8,8,512] reshape(t", n,
                    ")\n", " x", n, " = f32[64,512] reshape(r", n, ")\n");
  }
  absl::StrAppend(&text, " ROOT y = f32[64,512] negate(x", layers, ")\n}\n");
  return *hlo::ParseModule(text);
}

void BM_DeriveRule(benchmark::State& state) {
  const hlo::Module module = Layers(1000);
  for (auto _ : state) {
    for (hlo::InstructionId id : module.entry().instructions) {
      const HloOpView view(module, id);
      benchmark::DoNotOptimize(DeriveRule(view.get()));
    }
  }
  state.SetItemsProcessed(state.iterations() * module.entry().instructions.size());
}
BENCHMARK(BM_DeriveRule);

void BM_RuleBook(benchmark::State& state) {
  const hlo::Module module = Layers(1000);
  for (auto _ : state) {
    factors::RuleTable table;
    RuleRegistry registry(&table);
    for (hlo::InstructionId id : module.entry().instructions) {
      const HloOpView view(module, id);
      benchmark::DoNotOptimize(registry.RuleOf(view.get()));
    }
  }
  state.SetItemsProcessed(state.iterations() * module.entry().instructions.size());
}
BENCHMARK(BM_RuleBook);

// Share of the figures above that is the making of the view.
void BM_ViewOnly(benchmark::State& state) {
  const hlo::Module module = Layers(1000);
  for (auto _ : state) {
    for (hlo::InstructionId id : module.entry().instructions) {
      const HloOpView view(module, id);
      benchmark::DoNotOptimize(view.get());
    }
  }
  state.SetItemsProcessed(state.iterations() * module.entry().instructions.size());
}
BENCHMARK(BM_ViewOnly);

}  // namespace
}  // namespace tessera::sharding::rules
