// The cost of an explanation beside the list of all shardings. The counter `times` divides the
// processor time of `explain` of the last tensor by that of `shardings`; both include parsing.
//
//   TESSERA_BENCHMARK_HLO=step.hlo bazel-bin/pipeline/explain/explain_benchmark
//
// Without the variable, on a chain of layers that is made here, annotated at both ends. With
// TESSERA_BENCHMARK_IMPORT=hlo the annotations are the module's sharding={...}.

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/tensors.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

using SourcePtr = std::shared_ptr<const text::Source>;

constexpr int kLayers = 5000;

std::string Annotated(const std::string& dims) {
  return absl::StrCat("frontend_attributes={xla.sdy.sharding=\"#sdy.sharding<@mesh, [", dims,
                      "]>\"}");
}

// x is multiplied with w in each layer, after a sine and an addition.
std::string MadeText() {
  std::string text = absl::StrCat(
      "HloModule made, frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=4, "
      "\\\"y\\\"=2]>}\"}\n\nENTRY %e {\n  %d.0 = f32[64,64]{1,0} parameter(0), ",
      Annotated("{\\\"x\\\"}, {}"), "\n  %w = f32[64,64]{1,0} parameter(1), ",
      Annotated("{}, {\\\"y\\\"}"), "\n");
  for (int i = 1; i <= kLayers; ++i) {
    absl::StrAppend(&text, "  %s.", i, " = f32[64,64]{1,0} sine(%d.", i - 1, ")\n  %a.", i,
                    " = f32[64,64]{1,0} add(%s.", i, ", %d.", i - 1, ")\n  ",
                    i == kLayers ? "ROOT " : "", "%d.", i, " = f32[64,64]{1,0} dot(%a.", i,
                    ", %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  }
  return text + "}\n";
}

SourcePtr Input() {
  const char* const file = std::getenv("TESSERA_BENCHMARK_HLO");
  if (file != nullptr) return text::Source::FromFile(file).value();
  return text::Source::FromString("made.hlo", MadeText());
}

ShardOptions Options() {
  ShardOptions options;
  const char* const import = std::getenv("TESSERA_BENCHMARK_IMPORT");
  const bool is_hlo = import != nullptr && std::string(import) == "hlo";
  if (is_hlo) options.import = sharding::passes::Encoding::kGspmd;
  return options;
}

hlo::Module Parsed(const SourcePtr& source) { return hlo::ParseModules(source).modules.at(0); }

size_t Shardings(const SourcePtr& source) {
  const std::unique_ptr<PropagatedModule> sharded = Propagate(Parsed(source), Options()).value();
  if (!Finalize(Options(), sharded.get()).ok()) return 0;
  return ListTensors(*sharded).size();
}

size_t ExplainLast(const SourcePtr& source) {
  const Explained e = RunExplained(Parsed(source), Options()).value();
  const Explanation explanation = Explain(e, e.log->SlotOfOutput(0), {}).value();
  return ExplanationText(e, explanation, {}).size();
}

template <typename Work>
double Seconds(Work work, const SourcePtr& source) {
  const std::clock_t start = std::clock();
  benchmark::DoNotOptimize(work(source));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void BM_ExplainBesideShardings(benchmark::State& state) {
  const SourcePtr source = Input();
  double shardings = std::numeric_limits<double>::max();
  double explain = shardings;
  for (auto _ : state) {
    shardings = std::min(shardings, Seconds(Shardings, source));
    explain = std::min(explain, Seconds(ExplainLast, source));
  }
  state.counters["shardings_ms"] = 1e3 * shardings;
  state.counters["explain_ms"] = 1e3 * explain;
  state.counters["times"] = explain / shardings;
}
BENCHMARK(BM_ExplainBesideShardings)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::pipeline
