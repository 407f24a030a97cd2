// The main job in process, phase by phase, on the files named by the environment variable
// TESSERA_BENCHMARK_HLO (separated by colons), or on a module made here.
//
//   TESSERA_BENCHMARK_HLO=step.hlo bazel-bin/pipeline/shard_benchmark
//
// The counters are milliseconds of CPU time, for each phase the least of all iterations: parse, the
// phases of the pipeline (sharding/passes/pass.h), and of emit the last pass, write. `sharding` is
// import to emit without write: what takes the place of the reference's pass. `text_to_text` is all
// of it; `peak_per_text` the most memory that the process ever held, over the text's.
// The heap is that of the program, which keeps what one iteration frees for the next: phases are
// timed without page faults.
// testing/jax/speed.py runs this beside the reference.

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/command_line/process/heap.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/watch/pass_timer.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

using SourcePtr = std::shared_ptr<const text::Source>;

// The least that each phase took.
class Phases {
 public:
  void Add(const std::map<std::string, double>& run) {
    for (const auto& [phase, milliseconds] : run) {
      const auto [it, is_new] = least_.try_emplace(phase, milliseconds);
      if (!is_new) it->second = std::min(it->second, milliseconds);
    }
  }
  double Sum() const {
    double sum = 0;
    for (const auto& [phase, milliseconds] : least_) sum += milliseconds;
    return sum;
  }
  double Of(const std::string& phase) const {
    const auto found = least_.find(phase);
    return found == least_.end() ? 0 : found->second;
  }
  const std::map<std::string, double>& least() const { return least_; }

 private:
  std::map<std::string, double> least_;
};

// A chain of layers, annotated at one end.
std::string MadeText() {
  std::string text =
      "HloModule made, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=4, \"y\"=2]>}}"
      "\n\nENTRY %e {\n  %v.0 = f32[64,64]{1,0} parameter(0), frontend_attributes="
      "{xla.sdy.sharding=\"#sdy.sharding<@mesh, [{\\\"x\\\"}, {}]>\"}\n";
  for (int i = 1; i < 20000; ++i) {
    const char* const operation = i % 3 == 0 ? "dot" : "add";
    const char* const dims =
        i % 3 == 0 ? ", lhs_contracting_dims={1}, rhs_contracting_dims={0}" : "";
    absl::StrAppend(&text, "  ", i == 19999 ? "ROOT " : "", "%v.", i, " = f32[64,64]{1,0} ",
                    operation, "(%v.", i - 1, ", %v.", i / 2, ")", dims, "\n");
  }
  return absl::StrCat(text, "}\n");
}

std::vector<SourcePtr> Sources() {
  std::vector<SourcePtr> sources;
  const char* names = std::getenv("TESSERA_BENCHMARK_HLO");
  for (absl::string_view name :
       absl::StrSplit(names == nullptr ? "" : names, ':', absl::SkipEmpty())) {
    if (auto source = text::Source::FromFile(std::string(name)); source.ok()) {
      sources.push_back(*std::move(source));
    }
  }
  if (sources.empty()) sources.push_back(text::Source::FromString("made", MadeText()));
  return sources;
}

void AddCosts(const std::vector<PassCost>& costs, std::map<std::string, double>* run) {
  for (const PassCost& cost : costs) {
    const bool is_last = &cost == &costs.back();
    (*run)[is_last ? "write" : std::string(sharding::passes::PhaseName(cost.phase))] +=
        cost.milliseconds;
  }
}

// The message of what went wrong, or nothing.
std::string RunOnce(const SourcePtr& source, std::map<std::string, double>* run) {
  const double start = CpuMilliseconds();
  hlo::ParsedText parsed = hlo::ParseModules(source);
  (*run)["parse"] = CpuMilliseconds() - start;
  if (parsed.modules.empty()) return "no module";
  PassTimer timer;
  ShardOptions options;
  options.pass_observer = &timer;
  const auto result = ShardModule(std::move(parsed.modules[0]), options);
  if (!result.ok()) return std::string(result.status().message());
  benchmark::DoNotOptimize(result->text.data());
  AddCosts(timer.costs(), run);
  return "";
}

void Shard(benchmark::State& state, const SourcePtr& source) {
  Phases phases;
  for (auto _ : state) {
    std::map<std::string, double> run;
    const std::string fault = RunOnce(source, &run);
    if (!fault.empty()) return state.SkipWithError(fault.c_str());
    phases.Add(run);
  }
  for (const auto& [phase, least] : phases.least()) state.counters[phase] = least;
  state.counters["text_to_text"] = phases.Sum();
  state.counters["sharding"] =
      phases.Sum() - phases.Of("parse") - phases.Of("clean-up") - phases.Of("write");
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_per_text"] =
      1024.0 * static_cast<double>(usage.ru_maxrss) / static_cast<double>(source->text().size());
  state.SetLabel(std::string(source->name()));
}

void RegisterAll() {
  PrepareHeap(0);
  for (const SourcePtr& source : Sources()) {
    benchmark::RegisterBenchmark("shard", [source](benchmark::State& state) {
      Shard(state, source);
    })->Unit(benchmark::kMillisecond);
  }
}

const bool kRegistered = (RegisterAll(), true);

}  // namespace
}  // namespace tessera::pipeline
