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
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/propagate.h"
#include "tessera/sharding/propagation/testing/short_sharding.h"
#include "tessera/sharding/propagation/testing/slow_engine.h"

namespace tessera::sharding::propagation {
namespace {

constexpr int kOpsPerLayer = 8;

class LayeredModel {
 public:
  explicit LayeredModel(int layers) {
    (void)meshes_.Add("mesh", *Mesh::Create({{"data", 8}, {"model", 4}}));
    OpSpec function;
    function.kind = OpKind::kFunction;
    main_ = builder_.AddOp(function);
    ValueId x = Argument({64, 512, 1024}, "[{data},{?},{?}]");
    for (int layer = 0; layer < layers; ++layer) x = AddLayer(x);
    OpSpec ret;
    ret.kind = OpKind::kReturn;
    ret.parent = main_;
    builder_.AddOp(ret, {x});
    builder_.AddOutput({x, kNoSharding});
    program_ = *std::move(builder_).Build();
  }

  const Program& program() const { return program_; }
  Tables tables() { return {&meshes_, &shardings_, &rules_}; }

 private:
  ValueId Argument(const std::vector<int64_t>& dims, const char* sharding) {
    const ValueId v = builder_.AddValue(
        builder_.AddShape(dims), shardings_.Intern(*ParseShort(sharding, 0, meshes_.mesh(0))));
    builder_.AddBlockArgument(main_, v);
    return v;
  }

  ValueId Op(const std::vector<int64_t>& dims, const char* rule,
             const std::vector<ValueId>& operands, OpPriorityClass flow = OpPriorityClass::kOther) {
    OpSpec spec;
    spec.parent = main_;
    spec.flow = flow;
    spec.element_wise = flow == OpPriorityClass::kPassThrough;
    spec.removable = true;
    spec.rule = rules_.Intern(*factors::ParseRule(rule));
    const ValueId v = builder_.AddValue(builder_.AddShape(dims));
    builder_.AddOp(spec, operands, {v});
    return v;
  }

  ValueId AddLayer(ValueId x) {
    const ValueId up = Argument({1024, 4096}, "[{?},{model}]");
    const ValueId down = Argument({4096, 1024}, "[{model},{?}]");
    const ValueId h = Op({64, 512, 4096},
                         "([i, j, l], [l, k])->([i, j, k]) {i=64, j=512, k=4096, l=1024} "
                         "reduction={l}",
                         {x, up});
    const ValueId r = Op({64, 512, 4096}, "([i, j, k])->([i, j, k]) {i=64, j=512, k=4096}", {h},
                         OpPriorityClass::kPassThrough);
    const ValueId heads =
        Op({64, 512, 16, 256}, "([i, j, kl])->([i, j, k, l]) {i=64, j=512, k=16, l=256}", {r},
           OpPriorityClass::kPassThrough);
    const ValueId flat =
        Op({64, 512, 4096}, "([i, j, k, l])->([i, j, kl]) {i=64, j=512, k=16, l=256}", {heads},
           OpPriorityClass::kPassThrough);
    const ValueId y = Op({64, 512, 1024},
                         "([i, j, l], [l, k])->([i, j, k]) {i=64, j=512, k=1024, l=4096} "
                         "reduction={l}",
                         {flat, down});
    const ValueId mean =
        Op({64, 512}, "([i, j, k])->([i, j]) {i=64, j=512, k=1024} reduction={k}", {y});
    const ValueId wide = Op({64, 512, 1024}, "([i, j])->([i, j, k]) {i=64, j=512, k=1024}", {mean},
                            OpPriorityClass::kBroadcast);
    return Op({64, 512, 1024}, "([i, j, k], [i, j, k])->([i, j, k]) {i=64, j=512, k=1024}",
              {wide, x}, OpPriorityClass::kPassThrough);
  }

  MeshTable meshes_;
  ShardingTable shardings_;
  factors::RuleTable rules_;
  ProgramBuilder builder_;
  OpId main_ = kNone;
  Program program_;
};

void Count(benchmark::State& state, int layers) {
  state.counters["ops_per_second"] = benchmark::Counter(
      static_cast<double>(layers) * kOpsPerLayer, benchmark::Counter::kIsIterationInvariantRate);
}

void BM_Propagate(benchmark::State& state, bool plain) {
  const int layers = static_cast<int>(state.range(0));
  LayeredModel model(layers);
  Options options;
  options.plain = plain;
  for (auto _ : state) {
    benchmark::DoNotOptimize(Propagate(model.program(), model.tables(), options));
  }
  Count(state, layers);
}
BENCHMARK_CAPTURE(BM_Propagate, , false)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_CAPTURE(BM_Propagate, plain, true)->RangeMultiplier(10)->Range(10, 1000);

void BM_Slow(benchmark::State& state) {
  const int layers = static_cast<int>(state.range(0));
  LayeredModel model(layers);
  for (auto _ : state) {
    benchmark::DoNotOptimize(PropagateSlowly(model.program(), model.tables(), Options()));
  }
  Count(state, layers);
}
BENCHMARK(BM_Slow)->Arg(10)->Arg(100);

}  // namespace
}  // namespace tessera::sharding::propagation
