// Questions to an open session (input/session.h): what an editor or a notebook waits for.
//
//   TESSERA_BENCHMARK_HLO=step.hlo bazel-bin/pipeline/session_benchmark
//
// The module is that of the environment variable, or a chain of layers made here. The tensor is the
// one in the middle of the list of `shardings`. Times are of one further question, after one of the
// same kind that read and propagated the module.

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "benchmark/benchmark.h"
#include "tessera/pipeline/command_line/command_line.h"
#include "tessera/pipeline/command_line/verbs.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

using Words = std::vector<std::string>;

std::string MadeText() {
  std::string text = "HloModule made\n\nENTRY %e {\n  %v.0 = f32[64,64] parameter(0)\n";
  constexpr int kLayers = 20000;
  for (int i = 1; i < kLayers; ++i) {
    absl::StrAppend(&text, "  ", i + 1 == kLayers ? "ROOT " : "", "%v.", i, " = f32[64,64] add(%v.",
                    i - 1, ", %v.", i / 2, ")\n");
  }
  return absl::StrCat(text, "}\n");
}

std::shared_ptr<const text::Source> ReadSource() {
  const char* name = std::getenv("TESSERA_BENCHMARK_HLO");
  if (name == nullptr) return text::Source::FromString("made", MadeText());
  auto source = text::Source::FromFile(name);
  return source.ok() ? *std::move(source) : text::Source::FromString("none", "");
}

const std::vector<Verb>& Verbs() {
  static const auto* const verbs = new std::vector<Verb>(AllVerbs());
  return *verbs;
}

// A name of the middle of the list; "" where the module is refused.
std::string MiddleTensor(Session* session) {
  const VerbResult all = RunVerb(Verbs(), {"shardings", "-"}, session);
  const std::vector<absl::string_view> lines = absl::StrSplit(all.out, '\n');
  const absl::string_view line = lines[lines.size() / 2];
  return std::string(line.substr(0, line.find(": ")));
}

void Ask(benchmark::State& state, const Words& words, Session* session) {
  const VerbResult first = RunVerb(Verbs(), words, session);
  if (first.exit == Exit::kBadInput) return state.SkipWithError(first.notes.c_str());
  for (auto _ : state) {
    const VerbResult again = RunVerb(Verbs(), words, session);
    benchmark::DoNotOptimize(again.out.data());
  }
  state.SetLabel(words.size() > 2 ? words[2] : "");
}

void RegisterAll() {
  static auto* const session = new Session;
  session->AddFile("-", ReadSource());
  const std::string tensor = MiddleTensor(session);
  const std::pair<const char*, Words> questions[] = {
      {"explain", {"explain", "-", tensor, "--json"}},
      {"explain_dimension", {"explain", "-", absl::StrCat(tensor, ":0"), "--json"}},
      {"shardings", {"shardings", "-", absl::StrCat("--match=^", tensor, "$"), "--json"}},
      {"diff", {"diff", "-", "--b-reference=0.10.2", "--json"}},
  };
  for (const auto& [name, words] : questions) {
    benchmark::RegisterBenchmark(name, [words = words](benchmark::State& state) {
      Ask(state, words, session);
    })->Unit(benchmark::kMillisecond);
  }
}

const bool kRegistered = (RegisterAll(), true);

}  // namespace
}  // namespace tessera::pipeline
