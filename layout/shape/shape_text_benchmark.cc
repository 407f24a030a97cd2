// How long a shape takes to read, print, hash and compare.

#include <string>

#include "absl/hash/hash.h"
#include "benchmark/benchmark.h"
#include "tessera/layout/shape_text.h"

namespace tessera::layout {
namespace {

constexpr const char* kTexts[] = {
    "f32[]",
    "f32[1024,4096]",
    "bf16[8,1024,4096]{2,1,0:T(8,128)(2,1)}",
    "(s32[], f32[16,1024]{1,0}, f32[16,1024]{1,0}, bf16[8,128,64]{2,1,0}, pred[])",
};

void BM_Parse(benchmark::State& state) {
  const absl::string_view text = kTexts[state.range(0)];
  for (auto _ : state) {
    text::Cursor cursor(text);
    benchmark::DoNotOptimize(ParseShape(cursor));
  }
  state.SetLabel(std::string(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(BM_Parse)->DenseRange(0, 3);

void BM_Print(benchmark::State& state) {
  const Shape shape = *ParseShape(kTexts[state.range(0)]);
  std::string out;
  for (auto _ : state) {
    out.clear();
    AppendShape(shape, {}, &out);
    benchmark::DoNotOptimize(out);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(out.size()));
}
BENCHMARK(BM_Print)->DenseRange(0, 3);

void BM_HashAndCompare(benchmark::State& state) {
  const Shape shape = *ParseShape(kTexts[state.range(0)]);
  const Shape same = shape;
  for (auto _ : state) {
    benchmark::DoNotOptimize(absl::Hash<Shape>()(shape));
    benchmark::DoNotOptimize(shape == same);
  }
}
BENCHMARK(BM_HashAndCompare)->DenseRange(0, 3);

}  // namespace
}  // namespace tessera::layout
