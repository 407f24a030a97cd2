// The index maps: making one, and one element through each engine.

#include "benchmark/benchmark.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/regular_form.h"
#include "tessera/layout/shape_text.h"
#include "tessera/testing/layout/slow_map.h"

namespace tessera::layout {
namespace {

constexpr const char* kTexts[] = {
    "f32[64,300]",
    "f32[64,300]{1,0:T(8,128)}",
    "bf16[2,60,300]{2,1,0:T(8,128)(2,1)}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
};

void BM_Create(benchmark::State& state) {
  const Shape shape = *ParseShape(kTexts[state.range(0)]);
  for (auto _ : state) benchmark::DoNotOptimize(IndexMap::Create(shape));
  state.SetLabel(kTexts[state.range(0)]);
}
BENCHMARK(BM_Create)->DenseRange(0, 3);

void BM_Offset(benchmark::State& state) {
  const IndexMap map = *IndexMap::Create(*ParseShape(kTexts[state.range(0)]));
  Sizes64 index(map.dims().size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.OffsetOf(index));
    NextIndex(map.dims(), absl::MakeSpan(index));
  }
}
BENCHMARK(BM_Offset)->DenseRange(0, 3);

void BM_OffsetInClosedForm(benchmark::State& state) {
  const Shape shape = *ParseShape(kTexts[state.range(0)]);
  const IndexMap map = *IndexMap::Create(shape);
  const RegularForm form = *RegularFormOf(shape, map.tiling());
  Sizes64 index(map.dims().size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(OffsetOf(form, index));
    NextIndex(map.dims(), absl::MakeSpan(index));
  }
}
BENCHMARK(BM_OffsetInClosedForm)->DenseRange(0, 2);

void BM_Index(benchmark::State& state) {
  const IndexMap map = *IndexMap::Create(*ParseShape(kTexts[state.range(0)]));
  int64_t offset = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.IndexOf(offset));
    offset = offset + 1 == map.total() ? 0 : offset + 1;
  }
}
BENCHMARK(BM_Index)->DenseRange(0, 3);

// All elements at once, by the slow engine; compare with BM_Offset times their number.
void BM_SlowMemory(benchmark::State& state) {
  const Shape shape = *ParseShape(kTexts[state.range(0)]);
  for (auto _ : state) benchmark::DoNotOptimize(SlowMemory(shape));
  state.SetItemsProcessed(state.iterations() * *shape.NumElements());
}
BENCHMARK(BM_SlowMemory)->DenseRange(0, 3);

}  // namespace
}  // namespace tessera::layout
