#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/output_file.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/compare/diff_compiled.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/golden/golden_causes.h"
#include "tessera/pipeline/verbs/golden/golden_filter.h"
#include "tessera/pipeline/verbs/golden/golden_of.h"
#include "tessera/pipeline/verbs/golden/golden_report.h"
#include "tessera/pipeline/verbs/golden/module_recording.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::Comparison;
using sharding::golden::Recording;

// Of a module, or what a golden file says of one.
struct Run {
  Recording recording;
  std::optional<hlo::Module> module;  // cleaned; none of a golden file
  std::string notes;
  mutable std::unique_ptr<const Explained> explained;  // made when the first change asks why
};

absl::StatusOr<Run> RunModule(hlo::Module module, const ShardOptions& options) {
  TESSERA_RETURN_IF_ERROR(CheckSaysShardings(module, options));
  TESSERA_ASSIGN_OR_RETURN(auto sharded, Propagate(std::move(module), options));
  TESSERA_RETURN_IF_ERROR(Finalize(options, sharded.get()));
  ReleaseRun(sharded.get());
  Run run;
  run.recording = RecordingOf(*sharded, options.reference.version);
  run.notes = absl::StrJoin(sharded->notes, "");
  run.module = std::move(sharded->module);
  return run;
}

// What `answer` says of the run of the module that is named.
VerbResult OnRun(const Arguments& arguments, const ShardOptions& options,
                 absl::FunctionRef<absl::StatusOr<VerbResult>(const Run&)> answer) {
  return OnPrepared<Run>(
      arguments, PropagationKey(arguments),
      [&](hlo::Module module) { return RunModule(std::move(module), options); }, answer);
}

// Only what changed is explained: then the module runs once more.
absl::Status AddCauses(const Run& after, ShardOptions options, GoldenReport* report) {
  if (!after.module.has_value() || report->comparison.changes.empty()) return absl::OkStatus();
  if (after.explained == nullptr) {
    options.stage = Stage::kPass;  // the module has been cleaned
    TESSERA_ASSIGN_OR_RETURN(Explained now, RunExplained(*after.module, options));
    after.explained = std::make_unique<const Explained>(std::move(now));
  }
  report->causes = FindCauses(report->comparison, after.recording, *after.explained);
  return absl::OkStatus();
}

VerbResult Report(const Arguments& arguments, const GoldenReport& report, std::string notes) {
  VerbResult result = InBothForms(
      arguments, [&] { return GoldenJson(report); }, [&] { return GoldenText(report); },
      std::move(notes));
  if (!IsEqual(report)) result.exit = Exit::kFinding;
  return result;
}

std::vector<Flag> FilterFlags() {
  return ListFilter::Flags("tensors", "that gained or lost", "that take on a device");
}

// --- check ---------------------------------------------------------------------------------------

// Only shardings of one mesh and one reference can be held against each other.
absl::Status CheckComparable(const text::Source& source, const Recording& golden,
                             const Recording& now) {
  if (golden.reference != now.reference) {
    return text::Located(text::ErrorAt(golden.reference_offset,
                                       absl::StrCat("recorded with reference ", golden.reference,
                                                    ", this run is of ", now.reference,
                                                    ": give --reference=", golden.reference,
                                                    ", or write the file anew with --update")),
                         source);
  }
  if (HaveSameMeshes(golden, now)) return absl::OkStatus();
  return text::Located(
      text::ErrorAt(
          golden.mesh_offset,
          absl::StrCat("recorded for mesh ", MeshesText(golden), ", the module has ",
                       MeshesText(now),
                       ": give --mesh, or write the file anew with --update; `tessera diff` "
                       "compares meshes")),
      source);
}

absl::StatusOr<VerbResult> Update(const std::string& path, const Run& run) {
  TESSERA_RETURN_IF_ERROR(WriteWholeFile(path, PrintRecording(run.recording)));
  return Done(absl::StrCat("wrote ", path, ": ", run.recording.entries.size(), " tensors\n"),
              run.notes);
}

VerbResult RunCheck(const Arguments& arguments) {
  const std::string& path = arguments.positional(1);
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  if (arguments.Has("update")) {
    return OnRun(arguments, *options, [&](const Run& run) { return Update(path, run); });
  }
  const auto source = ReadFile(arguments, path);
  if (absl::IsNotFound(source.status())) {
    return BadInput(absl::StrCat(source.status().message(), "; --update writes the file"));
  }
  if (!source.ok()) return BadInput(source.status());
  const auto golden = sharding::golden::ParseRecording(**source);
  if (!golden.ok()) return BadInput(golden.status());
  return OnRun(arguments, *options, [&](const Run& run) -> absl::StatusOr<VerbResult> {
    TESSERA_RETURN_IF_ERROR(CheckComparable(**source, *golden, run.recording));
    GoldenReport report = {*golden, run.recording,           Compare(*golden, run.recording),
                           path,    arguments.positional(0), {}};
    TESSERA_RETURN_IF_ERROR(Choose(*filter, *golden, run.recording, &report.comparison));
    TESSERA_RETURN_IF_ERROR(AddCauses(run, *options, &report));
    return Report(arguments, report, run.notes);
  });
}

// --- diff ----------------------------------------------------------------------------------------

constexpr char kSecond[] = "b-";  // in front of flags for B alone

// Settings that B may have of its own.
std::vector<Flag> SettingsOfB() {
  std::vector<Flag> flags;
  for (Flag flag : PropagationFlags()) {
    if (flag.name != "mesh" && flag.name != "annotate" && flag.name != "reference") continue;
    flag.help = absl::StrCat("of B alone, like --", flag.name);
    flag.name = absl::StrCat(kSecond, flag.name);
    flag.default_value.clear();
    flag.group.clear();
    flags.push_back(std::move(flag));
  }
  return flags;
}

// The arguments of a run of B: A's, then what is said of B alone.
Arguments ArgumentsOfB(const Arguments& arguments) {
  Arguments b;
  b.set_session(arguments.session());
  b.AddPositional(arguments.positional(arguments.positionals().size() - 1));
  for (const Flag& flag : PropagationFlags()) {
    const std::string own = absl::StrCat(kSecond, flag.name);
    std::vector<std::string> values = arguments.All(flag.name);
    absl::c_copy(arguments.All(own), std::back_inserter(values));
    b.Set(flag.name, std::move(values), arguments.Has(flag.name) || arguments.Has(own));
  }
  b.Set("module", {arguments.Get("module")}, arguments.Has("module"));
  return b;
}

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

// What `answer` says of the side that `arguments` name.
VerbResult OnSide(const Arguments& arguments, const ShardOptions& options,
                  absl::FunctionRef<absl::StatusOr<VerbResult>(const Run&)> answer) {
  auto golden = ReadGolden(arguments);
  if (!golden.ok()) return BadInput(golden.status());
  if (golden->has_value()) {
    Run run;
    run.recording = **std::move(golden);
    auto result = answer(run);
    return result.ok() ? *std::move(result) : BadInput(result.status());
  }
  return OnRun(arguments, options, answer);
}

// Without a second file, and without a setting of B, nothing can differ.
std::string NoteOnSameSides(const Arguments& arguments) {
  const auto is_said = [&](const Flag& flag) { return arguments.Has(flag.name); };
  if (arguments.positionals().size() > 1 || absl::c_any_of(SettingsOfB(), is_said)) return "";
  return "note: B is A; give a second file, or --b-mesh, --b-annotate or --b-reference\n";
}

// A file and how it is propagated, as a session tells them apart.
std::string SideKey(const Arguments& arguments) {
  return absl::StrJoin(
      {arguments.positional(0), arguments.Get("module"), PropagationKey(arguments)}, "\n");
}

// A session keeps what differs between two modules, as it keeps both: a golden file may change.
absl::StatusOr<Comparison> ComparisonOf(const Arguments& a, const Arguments& b, const Run& before,
                                        const Run& after) {
  const bool is_kept = before.module.has_value() && after.module.has_value();
  if (a.session() == nullptr || !is_kept) return Compare(before.recording, after.recording);
  TESSERA_ASSIGN_OR_RETURN(
      const Session::Made made,
      a.session()->Keep(typeid(Comparison), absl::StrCat(SideKey(a), "\n", SideKey(b)),
                        [&]() -> absl::StatusOr<Session::Made> {
                          return std::make_shared<const Comparison>(
                              Compare(before.recording, after.recording));
                        }));
  return *static_cast<const Comparison*>(made.get());
}

absl::StatusOr<VerbResult> DiffOf(const Arguments& arguments, const Run& before, const Run& after,
                                  const ShardOptions& options_b) {
  const bool is_one_file = arguments.positionals().size() == 1;
  TESSERA_ASSIGN_OR_RETURN(Comparison comparison,
                           ComparisonOf(arguments, ArgumentsOfB(arguments), before, after));
  GoldenReport report = {before.recording,
                         after.recording,
                         std::move(comparison),
                         is_one_file ? "A" : arguments.positional(0),
                         is_one_file ? "B" : arguments.positional(1),
                         {}};
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
  TESSERA_RETURN_IF_ERROR(Choose(filter, before.recording, after.recording, &report.comparison));
  TESSERA_RETURN_IF_ERROR(AddCauses(after, options_b, &report));
  return Report(arguments, report, NoteOnSameSides(arguments) + before.notes + after.notes);
}

// Standard input cannot be read twice; what a session has read, it keeps.
VerbResult DiffOfOneFile(const Arguments& arguments, const ShardOptions& options_a,
                         const ShardOptions& options_b) {
  return OnModule(arguments, [&](hlo::Module a) -> absl::StatusOr<VerbResult> {
    hlo::Module b = a;
    TESSERA_ASSIGN_OR_RETURN(const Run before, RunModule(std::move(a), options_a));
    TESSERA_ASSIGN_OR_RETURN(const Run after, RunModule(std::move(b), options_b));
    return DiffOf(arguments, before, after, options_b);
  });
}

VerbResult RunDiff(const Arguments& arguments) {
  if (arguments.Has("target") || arguments.Has("xla-flags")) return DiffWithCompiled(arguments);
  const Arguments of_b = ArgumentsOfB(arguments);
  const auto options_a = ReadPropagationOptions(arguments);
  if (!options_a.ok()) return BadInput(options_a.status());
  const auto options_b = ReadPropagationOptions(of_b);
  if (!options_b.ok()) return BadInput(options_b.status());
  const bool is_one_file = of_b.positional(0) == arguments.positional(0);
  if (is_one_file && arguments.session() == nullptr && !IsGolden(arguments)) {
    return DiffOfOneFile(arguments, *options_a, *options_b);
  }
  return OnSide(arguments, *options_a, [&](const Run& a) -> absl::StatusOr<VerbResult> {
    return OnSide(of_b, *options_b,
                  [&](const Run& b) { return DiffOf(arguments, a, b, *options_b); });
  });
}

}  // namespace

VerbResult GoldenOf(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnRun(arguments, *options, [&](const Run& run) -> absl::StatusOr<VerbResult> {
    return Done(PrintRecording(run.recording), run.notes);
  });
}

Verb CheckVerb() {
  Verb verb;
  verb.name = "check";
  verb.summary = "the shardings of a module beside its golden file";
  verb.description =
      "Exits with 0 if every array of the golden file is in the module and has its axes. "
      "Otherwise it exits with 1 and lists the changes: the axes that were lost or gained, why, "
      "and bytes per device before and after. Arrays are matched by op_name, line and structure, "
      "so renumbering, moved lines and inserted instructions are no change. A golden file of "
      "another mesh or reference is an error (2). --update writes the file: a line for each array, "
      "with its shape, its sharding in axis names, its operation and operands, its op_name and "
      "its line in the program. Give the same flags each time. See docs/golden.md.";
  verb.positionals = {{"FILE", kFileHelp}, {"GOLDEN", "the golden file"}};
  verb.flags = {{"update", "", "write the golden file, in place of comparing with it", "", false}};
  for (Flag& flag : FilterFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.conflicts = {{"update", {"json", "match", "axis", "min-bytes", "top"}}};
  verb.examples = {
      {"tessera check step.hlo golden.txt", "fails a build in which a sharding changed"},
      {"tessera check step.hlo golden.txt --update", "writes the shardings of today"},
  };
  verb.run = RunCheck;
  return verb;
}

Verb DiffVerb() {
  Verb verb;
  verb.name = "diff";
  verb.summary = "two modules, golden files, or settings of one module";
  verb.description =
      "Compares B with A as `check` compares a module with its golden file, and exits with 1 if "
      "they differ. Each may be a module or a golden file, as `check --update` writes it. Without "
      "a second file, B is the first file too. --b-mesh, --b-annotate and "
      "--b-reference apply to B alone, all other flags to both. With --target, B is the module "
      "that a compiler has made of A (compiled.as_text() of JAX): the collectives that tessera "
      "predicts for A are matched with those of B by operation, devices, bytes, runs and place in "
      "the program. What agrees, what the compiler did otherwise, and the sums are printed. See "
      "docs/compiled.md.";
  verb.positionals = {{"A", "HLO or a golden file"}, {"B", "the second; without it A again", true}};
  verb.flags = PropagationFlags();
  for (Flag& flag : SettingsOfB()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : FilterFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : TargetFlags()) {
    verb.conflicts.push_back({flag.name, {"b-mesh", "b-annotate", "b-reference"}});
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera diff before.hlo after.hlo", "the changes of a commit"},
      {"tessera diff step.golden.txt step.hlo", "what has changed since the golden file"},
      {"tessera diff step.hlo --b-annotate=\"^w1$=P(None,'model')\"",
       "the effect of an annotation"},
      {"tessera diff step.hlo --reference=0.10.2 --b-reference=0.12.0.1",
       "the effect of a newer jaxlib"},
      {"tessera diff step.hlo compiled.hlo --target=tpu-v5e:4x4",
       "the prediction beside what the compiler made"},
  };
  verb.run = RunDiff;
  return verb;
}

}  // namespace tessera::pipeline
