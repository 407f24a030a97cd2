// Propagation of a model that is the same layer over and over: attention-like dots, element-wise
// ops, reshapes and reductions; arguments sharded on two axes.
//
//   ./bazelw run -c opt //sharding/propagation:propagate_benchmark
//
// BM_Propagate is the engine; /plain computes every step anew; BM_Slow is the engine that the tests
// compare with. `ops_per_second` counts the ops of the program once, whatever the number of visits.

#include <cstdint>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/testing/propagation/short_sharding.h"
#include "tessera/testing/propagation/slow_engine.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::sharding::propagation {
namespace {

constexpr int kOpsPerLayer = 8;

using program::Value;

class LayeredModel {
 public:
  explicit LayeredModel(int layers) {
    (void)program_.meshes().Add("mesh", *Mesh::Create({{"data", 8}, {"model", 4}}));
    Value* x = Argument({64, 512, 1024}, "[{data},{?},{?}]");
    for (int layer = 0; layer < layers; ++layer) x = AddLayer(x);
    (void)program_.Return({x}, {kNoSharding});
  }

  TestProgram& program() { return program_; }

 private:
  Value* Argument(const std::vector<int64_t>& dims, const char* sharding) {
    return program_.AddArgument(
        {dims, program_.shardings().Intern(*ParseShort(sharding, 0, program_.meshes().mesh(0)))});
  }

  Value* Op(const std::vector<int64_t>& dims, const char* rule, const std::vector<Value*>& operands,
            OpPriorityClass flow = OpPriorityClass::kOther) {
    OpSpec spec;
    spec.flow = flow;
    spec.element_wise = flow == OpPriorityClass::kPassThrough;
    spec.removable = true;
    spec.rule = program_.rules().Intern(*factors::ParseRule(rule));
    return program_.AddOp(spec, operands, {{dims}})->result();
  }

  Value* AddLayer(Value* x) {
    Value* const up = Argument({1024, 4096}, "[{?},{model}]");
    Value* const down = Argument({4096, 1024}, "[{model},{?}]");
    Value* const h = Op({64, 512, 4096},
                        "([i, j, l], [l, k])->([i, j, k]) {i=64, j=512, k=4096, l=1024} "
                        "reduction={l}",
                        {x, up});
    Value* const r = Op({64, 512, 4096}, "([i, j, k])->([i, j, k]) {i=64, j=512, k=4096}", {h},
                        OpPriorityClass::kPassThrough);
    Value* const heads =
        Op({64, 512, 16, 256}, "([i, j, kl])->([i, j, k, l]) {i=64, j=512, k=16, l=256}", {r},
           OpPriorityClass::kPassThrough);
    Value* const flat =
        Op({64, 512, 4096}, "([i, j, k, l])->([i, j, kl]) {i=64, j=512, k=16, l=256}", {heads},
           OpPriorityClass::kPassThrough);
    Value* const y = Op({64, 512, 1024},
                        "([i, j, l], [l, k])->([i, j, k]) {i=64, j=512, k=1024, l=4096} "
                        "reduction={l}",
                        {flat, down});
    Value* const mean =
        Op({64, 512}, "([i, j, k])->([i, j]) {i=64, j=512, k=1024} reduction={k}", {y});
    Value* const wide = Op({64, 512, 1024}, "([i, j])->([i, j, k]) {i=64, j=512, k=1024}", {mean},
                           OpPriorityClass::kBroadcast);
    return Op({64, 512, 1024}, "([i, j, k], [i, j, k])->([i, j, k]) {i=64, j=512, k=1024}",
              {wide, x}, OpPriorityClass::kPassThrough);
  }

  TestProgram program_;
};

void Count(benchmark::State& state, int layers) {
  state.counters["ops_per_second"] = benchmark::Counter(
      static_cast<double>(layers) * kOpsPerLayer, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Propagate(benchmark::State& state, bool plain) {
  const int layers = static_cast<int>(state.range(0));
  LayeredModel model(layers);
  TestProgram& p = model.program();
  Options options;
  options.plain = plain;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Propagate(p.numbered(), p.tables(), options, p.rule_source()));
  }
  Count(state, layers);
}
BENCHMARK_CAPTURE(BM_Propagate, , false)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_CAPTURE(BM_Propagate, plain, true)->RangeMultiplier(10)->Range(10, 1000);

void BM_Slow(benchmark::State& state) {
  const int layers = static_cast<int>(state.range(0));
  LayeredModel model(layers);
  TestProgram& p = model.program();
  for (auto _ : state) {
    benchmark::DoNotOptimize(PropagateSlowly(p.numbered(), p.tables(), Options(), p.AllRules()));
  }
  Count(state, layers);
}
BENCHMARK(BM_Slow)->Arg(10)->Arg(100);

}  // namespace
}  // namespace tessera::sharding::propagation
