// The factor table of one op, there and back.
//
//   ./bazelw run -c opt //sharding/factors:projection_benchmark

#include <vector>

#include "benchmark/benchmark.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::factors {
namespace {

Mesh MakeMesh() { return *Mesh::Create({{"a", 4}, {"b", 8}, {"c", 2}}); }

// All tensors with the first axis on their first dimension, the second on their last.
std::vector<TensorSharding> MakeShardings(const OpShardingRule& rule) {
  std::vector<TensorSharding> shardings;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    TensorSharding sharding(0, rule.rank(t));
    sharding.dim(0).axes = {AxisRef::Full(0)};
    sharding.dim(rule.rank(t) - 1).axes.push_back(AxisRef::Full(1));
    shardings.push_back(sharding);
  }
  return shardings;
}

void RunThereAndBack(benchmark::State& state, const char* text) {
  const Mesh mesh = MakeMesh();
  const OpShardingRule rule = *ParseRule(text);
  const std::vector<TensorSharding> shardings = MakeShardings(rule);
  std::vector<const TensorSharding*> pointers;
  for (const TensorSharding& sharding : shardings) pointers.push_back(&sharding);
  FactorTable table;
  for (auto _ : state) {
    table.Project(rule, pointers, mesh);
    for (int t = 0; t < rule.num_tensors(); ++t) benchmark::DoNotOptimize(table.ToSharding(t, 0));
  }
}

void BM_Dot(benchmark::State& state) {
  RunThereAndBack(state,
                  "([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=64, k=32, l=16} reduction={l}");
}
BENCHMARK(BM_Dot);

// Axes are split between the factors of a dimension.
void BM_ReshapeWithCompoundDimensions(benchmark::State& state) {
  RunThereAndBack(state, "([ij, kl])->([i, j, k, l]) {i=2, j=16, k=4, l=8}");
}
BENCHMARK(BM_ReshapeWithCompoundDimensions);

}  // namespace
}  // namespace tessera::sharding::factors
