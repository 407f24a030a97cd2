// The main job in process, phase by phase, on the files named by the environment variable
// TESSERA_BENCHMARK_HLO (separated by colons), or on a module made here.
//
//   TESSERA_BENCHMARK_HLO=step.hlo bazel-bin/pipeline/shard_benchmark
//
// The counters are milliseconds of CPU time, for each phase the least of all iterations: parse,
// clean_up (the look that finds nothing to do), import, freeze, propagate, export, plan, write.
// `sharding` is import to plan: what takes the place of the reference's pass. `text_to_text` is all
// of it; `peak_per_text` the most memory that the process ever held, over the text's.
// testing/jax/speed.py runs this beside the reference.

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/passes/clean_up.h"
#include "tessera/pipeline/writers/keep_writer.h"
#include "tessera/sharding/graph/export.h"
#include "tessera/sharding/graph/export_plan.h"
#include "tessera/sharding/graph/import.h"
#include "tessera/sharding/graph/run/run.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

using SourcePtr = std::shared_ptr<const text::Source>;

double CpuMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

class Phases {
 public:
  void Start() { last_ = CpuMilliseconds(); }
  void End(const std::string& phase) {
    const double now = CpuMilliseconds();
    double& least = least_.try_emplace(phase, std::numeric_limits<double>::max()).first->second;
    least = std::min(least, now - last_);
    last_ = CpuMilliseconds();
  }
  double Sum(const std::vector<std::string>& phases) const {
    double sum = 0;
    for (const std::string& phase : phases) sum += least_.at(phase);
    return sum;
  }
  const std::map<std::string, double>& least() const { return least_; }

 private:
  double last_ = 0;
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

// One run; the message of what went wrong, or nothing.
std::string RunOnce(const SourcePtr& source, Phases& phases) {
  phases.Start();
  const hlo::ParsedText parsed = hlo::ParseModules(source);
  phases.End("parse");
  if (parsed.modules.empty()) return "no module";
  const hlo::Module& module = parsed.modules[0];
  const auto cleaned = passes::CleanUp(module);
  phases.End("clean_up");
  if (!cleaned.ok()) return std::string(cleaned.status().message());
  if (cleaned->has_value()) return "not as the pass meets it: the clean-up passes change it";
  const auto graph = sharding::graph::ImportModule(module, {});
  phases.End("import");
  if (!graph.ok()) return std::string(graph.status().message());
  sharding::factors::RuleTable rules;
  sharding::rules::RuleRegistry book(&rules);
  if (!sharding::graph::Freeze(graph->get()).ok()) return "cannot be frozen";
  phases.End("freeze");
  const auto run = sharding::graph::PropagateGraph(graph->get(), &book, &rules);
  phases.End("freeze_and_propagate");
  if (!run.ok()) return std::string(run.status().message());
  const auto rule_of = [&](const sharding::graph::Op* op) { return run->RuleOf(op); };
  if (!sharding::graph::RunExport(**graph, rule_of).ok()) return "cannot be exported";
  phases.End("export");
  auto plan = sharding::graph::MakeExportPlan(**graph, {});
  phases.End("plan");
  benchmark::DoNotOptimize(writers::WriteKeep(module, plan));
  phases.End("write");
  return "";
}

void Shard(benchmark::State& state, const SourcePtr& source) {
  Phases phases;
  for (auto _ : state) {
    const std::string fault = RunOnce(source, phases);
    if (!fault.empty()) return state.SkipWithError(fault.c_str());
  }
  for (const auto& [phase, least] : phases.least()) state.counters[phase] = least;
  const double sharding = phases.Sum({"import", "freeze_and_propagate", "export", "plan"});
  state.counters["sharding"] = sharding;
  state.counters["text_to_text"] = sharding + phases.Sum({"parse", "clean_up", "write"});
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_per_text"] =
      1024.0 * static_cast<double>(usage.ru_maxrss) / static_cast<double>(source->text().size());
  state.SetLabel(std::string(source->name()));
}

void RegisterAll() {
  for (const SourcePtr& source : Sources()) {
    benchmark::RegisterBenchmark("shard", [source](benchmark::State& state) {
      Shard(state, source);
    })->Unit(benchmark::kMillisecond);
  }
}

const bool kRegistered = (RegisterAll(), true);

}  // namespace
}  // namespace tessera::pipeline
