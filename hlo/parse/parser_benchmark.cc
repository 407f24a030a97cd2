// Reading and writing of whole modules. Each benchmark runs on the files named by the environment
// variable TESSERA_BENCHMARK_HLO (separated by colons), or on a module made here.
//
//   TESSERA_BENCHMARK_HLO=dump.hlo bazel-bin/hlo/parser_benchmark
//
// testing/jax/speed.py runs the same files through jaxlib in the same minute and prints ratios.
// The parse is the one that finds every mistake; there is no faster mode.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/text/source.h"

namespace tessera::hlo {
namespace {

using SourcePtr = std::shared_ptr<const text::Source>;

// A chain of instructions with metadata, as a dump of a training step has them.
std::string MadeText() {
  std::string text = "HloModule made\n\nENTRY %e {\n  %x.0 = f32[8,128]{1,0} parameter(0)\n";
  for (int i = 1; i < 20000; ++i) {
    absl::StrAppend(&text, "  ", i == 19999 ? "ROOT " : "", "%x.", i, " = f32[8,128]{1,0} add(%x.",
                    i - 1, ", %x.", i / 2, "), metadata={op_name=\"jit(step)/layer_", i % 40,
                    "/add\" source_file=\"model.py\" source_line=", i % 500, "}\n");
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

void Report(benchmark::State& state, const SourcePtr& source, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
  state.SetLabel(std::string(source->name()));
}

void Parse(benchmark::State& state, const SourcePtr& source) {
  size_t memory = 0;
  for (auto _ : state) {
    const ParsedText parsed = ParseModules(source);
    memory = source->text().size();
    for (const Module& module : parsed.modules) memory += module.MemoryBytes();
  }
  Report(state, source, source->text().size());
  state.counters["memory_per_text"] = static_cast<double>(memory) / source->text().size();
}

void WriteUnchanged(benchmark::State& state, const SourcePtr& source) {
  const ParsedText parsed = ParseModules(source);
  for (auto _ : state) benchmark::DoNotOptimize(Editor(parsed.modules[0]).Apply());
  Report(state, source, source->text().size());
}

// A new sharding on every instruction of the entry.
void WriteShardings(benchmark::State& state, const SourcePtr& source) {
  const ParsedText parsed = ParseModules(source);
  const Module& module = parsed.modules[0];
  for (auto _ : state) {
    Editor edit(module);
    for (InstructionId id : module.entry().instructions) {
      edit.SetAttribute(id, AttributeName::kSharding, "{devices=[2,1]<=[2]}");
    }
    benchmark::DoNotOptimize(edit.Apply());
  }
  Report(state, source, source->text().size());
}

void PrintXla(benchmark::State& state, const SourcePtr& source) {
  const ParsedText parsed = ParseModules(source);
  size_t bytes = 0;
  for (auto _ : state) bytes = PrintModule(parsed.modules[0], PrintOptions::Default()).size();
  Report(state, source, bytes);
}

void RegisterAll() {
  for (const SourcePtr& source : Sources()) {
    const auto add = [&](const char* name, void (*run)(benchmark::State&, const SourcePtr&)) {
      benchmark::RegisterBenchmark(name, [run, source](benchmark::State& s) {
        run(s, source);
      })->Unit(benchmark::kMillisecond);
    };
    add("parse", Parse);
    add("write_unchanged", WriteUnchanged);
    add("write_shardings", WriteShardings);
    add("print_xla", PrintXla);
  }
}

const bool kRegistered = (RegisterAll(), true);

}  // namespace
}  // namespace tessera::hlo
