#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/compare/diff_compiled.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/costs/time/time_note.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/golden/diff_costs.h"
#include "tessera/pipeline/verbs/golden/golden_filter.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"
#include "tessera/pipeline/verbs/golden/settings_of_b.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::Comparison;
using sharding::golden::Recording;

// The recording in the file; none if it is no golden file.
absl::StatusOr<std::optional<Recording>> ReadGolden(const Arguments& arguments) {
  const std::string& path = arguments.positional(0);
  if (path == "-") return std::nullopt;  // a module: it is read once
  const auto source = ReadFile(arguments, path);
  if (!source.ok() || !sharding::golden::IsRecording(**source)) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(Recording recording, sharding::golden::ParseRecording(**source));
  return recording;
}

// The file says the same however often it is read; a broken one says what is wrong.
bool IsGolden(const Arguments& arguments) {
  const auto golden = ReadGolden(arguments);
  return !golden.ok() || golden->has_value();
}

// The module as Shardy gets it on --target, propagated.
absl::StatusOr<GoldenRun> RunSide(hlo::Module module, const Arguments& arguments,
                                  const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(module, ForTarget(std::move(module), arguments));
  return RunGolden(std::move(module), options);
}

// The result of `answer` for the side that `arguments` name.
VerbResult OnSide(const Arguments& arguments, const ShardOptions& options,
                  absl::FunctionRef<absl::StatusOr<VerbResult>(const GoldenRun&)> answer) {
  auto golden = ReadGolden(arguments);
  if (!golden.ok()) return BadInput(golden.status());
  if (golden->has_value()) {
    GoldenRun run;
    run.recording = **std::move(golden);
    auto result = answer(run);
    return result.ok() ? *std::move(result) : BadInput(result.status());
  }
  return OnPrepared<GoldenRun>(
      arguments, absl::StrCat(TargetKey(arguments), PropagationKey(arguments)),
      [&](hlo::Module module) { return RunSide(std::move(module), arguments, options); }, answer);
}

// Without a second file, and without a setting of B, nothing can differ.
std::string NoteOnSameSides(const Arguments& arguments) {
  const auto is_said = [&](const Flag& flag) { return arguments.Has(flag.name); };
  if (arguments.positionals().size() > 1 || absl::c_any_of(SettingsOfB(), is_said)) return "";
  return "note: B is A; give a second file, or a flag of B, such as --b-mesh or --b-annotate\n";
}

// Only of what no call of either side has.
std::string NoteOnCosts(const GoldenRun& before, const GoldenRun& after,
                        const cost::CallCosts& calls) {
  const auto note = [&](const GoldenRun& run) {
    return run.module.has_value() ? NoteOnKernelCosts(*run.module, calls) : "";
  };
  return note(before).empty() ? "" : note(after);
}

// A file, how it is propagated and what its calls cost, as a session tells them apart.
std::string SideKey(const Arguments& arguments) {
  return absl::StrJoin(
      {arguments.positional(0), arguments.Get("module"), TargetKey(arguments),
       PropagationKey(arguments), absl::StrJoin(arguments.All("kernel-cost"), " ")},
      "\n");
}

// The result of `make` for two modules. A session keeps it if it keeps both: a golden file may change.
template <typename T>
absl::StatusOr<T> KeptOfSides(const Arguments& a, const Arguments& b, const GoldenRun& before,
                              const GoldenRun& after, absl::FunctionRef<T()> make) {
  const bool is_kept = before.module.has_value() && after.module.has_value();
  if (a.session() == nullptr || !is_kept) return make();
  TESSERA_ASSIGN_OR_RETURN(const Session::Made made,
                           a.session()->Keep(typeid(T), absl::StrCat(SideKey(a), "\n", SideKey(b)),
                                             [&]() -> absl::StatusOr<Session::Made> {
                                               return std::make_shared<const T>(make());
                                             }));
  return *static_cast<const T*>(made.get());
}

absl::StatusOr<VerbResult> DiffOf(const Arguments& arguments, const GoldenRun& before,
                                  const ShardOptions& options_a, const GoldenRun& after,
                                  const ShardOptions& options_b) {
  const Arguments of_b = ArgumentsOfB(arguments);
  TESSERA_ASSIGN_OR_RETURN(const auto target_a, ReadTarget(arguments));
  TESSERA_ASSIGN_OR_RETURN(const auto target_b, ReadTarget(of_b));
  TESSERA_ASSIGN_OR_RETURN(const cost::CallCosts calls, ReadKernelCosts(arguments));
  TESSERA_RETURN_IF_ERROR(CheckKernelsHaveTimes(calls, target_a.has_value()));
  const bool is_one_file = arguments.positionals().size() == 1;
  TESSERA_ASSIGN_OR_RETURN(Comparison comparison,
                           KeptOfSides<Comparison>(arguments, of_b, before, after, [&] {
                             return Compare(before.recording, after.recording);
                           }));
  GoldenReport report = {before.recording, after.recording, std::move(comparison),
                         is_one_file ? "A" : arguments.positional(0),
                         is_one_file ? "B" : arguments.positional(1)};
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
  TESSERA_RETURN_IF_ERROR(Choose(filter, &report));
  TESSERA_RETURN_IF_ERROR(AddCauses(after, options_b, &report));
  // Flags of XLA change what follows the shardings.
  if (!IsEqual(report) || arguments.Has("b-xla-flags")) {
    using Costs = std::optional<DiffCosts>;
    TESSERA_ASSIGN_OR_RETURN(report.costs, KeptOfSides<Costs>(arguments, of_b, before, after, [&] {
                               return CostsOfSides({before, options_a, target_a, calls},
                                                   {after, options_b, target_b, calls});
                             }));
  }
  const bool is_timed = report.costs.has_value() && report.costs->is_timed;
  return ReportResult(arguments, report,
                      absl::StrCat(NoteOnSameSides(arguments), before.notes, after.notes,
                                   NoteOnCosts(before, after, calls),
                                   is_timed ? NoteOnTimes(target_a->target, {}) : ""));
}

// Standard input cannot be read twice; what a session has read, it keeps.
VerbResult DiffOfOneFile(const Arguments& arguments, const ShardOptions& options_a,
                         const ShardOptions& options_b) {
  return OnModule(arguments, [&](hlo::Module a) -> absl::StatusOr<VerbResult> {
    hlo::Module b = a;
    TESSERA_ASSIGN_OR_RETURN(const GoldenRun before, RunSide(std::move(a), arguments, options_a));
    TESSERA_ASSIGN_OR_RETURN(const GoldenRun after, RunSide(std::move(b), arguments, options_b));
    return DiffOf(arguments, before, options_a, after, options_b);
  });
}

VerbResult DiffOfSides(const Arguments& arguments) {
  const Arguments of_b = ArgumentsOfB(arguments);
  const auto options_a = ReadOptionsToShow(arguments);
  if (!options_a.ok()) return BadInput(options_a.status());
  const auto options_b = ReadOptionsToShow(of_b);
  if (!options_b.ok()) return BadInput(options_b.status());
  const bool is_one_file = of_b.positional(0) == arguments.positional(0);
  if (is_one_file && arguments.session() == nullptr && !IsGolden(arguments)) {
    return DiffOfOneFile(arguments, *options_a, *options_b);
  }
  return OnSide(arguments, *options_a, [&](const GoldenRun& a) -> absl::StatusOr<VerbResult> {
    return OnSide(of_b, *options_b, [&](const GoldenRun& b) {
      return DiffOf(arguments, a, *options_a, b, *options_b);
    });
  });
}

// A golden file has no target: that of the project file is left out.
VerbResult DiffOfGolden(const Arguments& arguments) {
  Arguments without_target = arguments;
  for (const char* const flag : {"target", "xla-flags", "b-xla-flags"}) {
    if (arguments.Has(flag) && !arguments.IsOfProject(flag)) {
      return BadInput(absl::StrCat("--", flag, ": a golden file has no target; give two modules"));
    }
    without_target.Set(flag, {""}, /*given=*/false);
  }
  return DiffOfSides(without_target);
}

// B is read first: a compiler may have finished it.
VerbResult DiffOfTwoOnTarget(const Arguments& arguments, const Arguments& of_b) {
  const auto options_a = ReadOptionsToShow(arguments);
  if (!options_a.ok()) return BadInput(options_a.status());
  const auto options_b = ReadOptionsToShow(of_b);
  if (!options_b.ok()) return BadInput(options_b.status());
  return OnModule(of_b, [&](hlo::Module b) -> absl::StatusOr<VerbResult> {
    if (IsFinal(b)) {
      TESSERA_RETURN_IF_ERROR(CheckNoSettingsOfB(arguments));
      return DiffWithCompiled(arguments, std::move(b));
    }
    TESSERA_ASSIGN_OR_RETURN(const GoldenRun after, RunSide(std::move(b), of_b, *options_b));
    return OnSide(arguments, *options_a, [&](const GoldenRun& before) {
      return DiffOf(arguments, before, *options_a, after, *options_b);
    });
  });
}

VerbResult RunDiff(const Arguments& arguments) {
  const auto target = ReadTarget(arguments);
  if (!target.ok()) return BadInput(target.status());
  if (!target->has_value()) return DiffOfSides(arguments);
  const Arguments of_b = ArgumentsOfB(arguments);
  if (IsGolden(arguments) || IsGolden(of_b)) return DiffOfGolden(arguments);
  const bool is_one_file = of_b.positional(0) == arguments.positional(0);
  return is_one_file ? DiffOfSides(arguments) : DiffOfTwoOnTarget(arguments, of_b);
}

}  // namespace

Verb DiffVerb() {
  Verb verb;
  verb.name = "diff";
  verb.summary = "two modules, golden files, or settings of one module";
  verb.description =
      "Compares B with A as `check` compares a module with its golden file, and exits with 1 if "
      "they differ. Each may be a module or a golden file, as `check --update` writes it. Without "
      "a second file, B is the first file too. Flags that begin with --b- apply to B alone, all "
      "other flags to both. The answer ends with the bytes that a device sends, by operation: "
      "those of the partitioner. With --target they are those that finally run, shardings are "
      "those of that machine, and time and memory of both are there.\n\nWith --target, B may also "
      "be A after its compilation "
      "(compiled.as_text() of JAX). Predicted collectives of A are matched with those of B by "
      "operation, devices, bytes, runs and place in the program. The answer lists agreements, "
      "differences and sums. See docs/compiled.md.";
  verb.positionals = {{"A", "HLO or a golden file"}, {"B", "the second; without it A again", true}};
  verb.flags = PropagationFlags();
  for (Flag& flag : SettingsOfB()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : GoldenFilterFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : TargetFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back(KernelCostFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera diff before.hlo after.hlo", "the changes of a commit"},
      {"tessera diff step.golden.txt step.hlo", "what has changed since the golden file"},
      {"tessera diff step.hlo --b-annotate=\"^w1$=P(None,'model')\"",
       "the effect of an annotation"},
      {"tessera diff step.hlo --reference=0.10.2 --b-reference=0.12.0.1",
       "the effect of a newer jaxlib"},
      {"tessera diff step.hlo --target=h100:8 "
       "--b-xla-flags=--xla_gpu_all_reduce_combine_threshold_bytes=0",
       "the effect of a flag of XLA on time, memory and collectives"},
      {"tessera diff before.hlo after.hlo --target=tpu-v5e:4x4",
       "the same on TPUs, with time and memory of both"},
      {"tessera diff step.hlo compiled.hlo --target=tpu-v5e:4x4",
       "the prediction beside what the compiler made"},
  };
  verb.run = RunDiff;
  return verb;
}

}  // namespace tessera::pipeline
