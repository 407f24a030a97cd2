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
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/compare/diff_compiled.h"
#include "tessera/pipeline/verbs/costs/sent_bytes.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/golden/golden_filter.h"
#include "tessera/pipeline/verbs/golden/golden_run.h"
#include "tessera/sharding/explain/golden/comparison.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::Comparison;
using sharding::golden::Recording;

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
                  absl::FunctionRef<absl::StatusOr<VerbResult>(const GoldenRun&)> answer) {
  auto golden = ReadGolden(arguments);
  if (!golden.ok()) return BadInput(golden.status());
  if (golden->has_value()) {
    GoldenRun run;
    run.recording = **std::move(golden);
    auto result = answer(run);
    return result.ok() ? *std::move(result) : BadInput(result.status());
  }
  return OnGoldenRun(arguments, options, answer);
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
absl::StatusOr<Comparison> ComparisonOf(const Arguments& a, const Arguments& b,
                                        const GoldenRun& before, const GoldenRun& after) {
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

std::optional<int64_t> SentIn(const GoldenRun& run, ShardOptions options) {
  if (!run.module.has_value()) return std::nullopt;
  options.stage = Stage::kPass;  // the module has been cleaned
  return SentBytesOf(*run.module, options);
}

// "note: a device sends 108.8 MiB in A, 170.4 MiB in B". Empty where one side is no module, or is
// refused, and in an open session: the partitioner takes longer than all else of a `diff`.
std::string NoteOnSent(const Arguments& arguments, const GoldenRun& before,
                       const ShardOptions& options_a, const GoldenRun& after,
                       const ShardOptions& options_b) {
  if (arguments.session() != nullptr) return "";
  const std::optional<int64_t> a = SentIn(before, options_a), b = SentIn(after, options_b);
  if (!a.has_value() || !b.has_value()) return "";
  return absl::StrCat("note: a device sends ", layout::FormatBytes(*a), " in A, ",
                      layout::FormatBytes(*b), " in B (tessera collectives)\n");
}

absl::StatusOr<VerbResult> DiffOf(const Arguments& arguments, const GoldenRun& before,
                                  const ShardOptions& options_a, const GoldenRun& after,
                                  const ShardOptions& options_b) {
  const bool is_one_file = arguments.positionals().size() == 1;
  TESSERA_ASSIGN_OR_RETURN(Comparison comparison,
                           ComparisonOf(arguments, ArgumentsOfB(arguments), before, after));
  GoldenReport report = {before.recording, after.recording, std::move(comparison),
                         is_one_file ? "A" : arguments.positional(0),
                         is_one_file ? "B" : arguments.positional(1)};
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
  TESSERA_RETURN_IF_ERROR(Choose(filter, &report));
  TESSERA_RETURN_IF_ERROR(AddCauses(after, options_b, &report));
  std::string notes = NoteOnSameSides(arguments) + before.notes + after.notes;
  if (!IsEqual(report)) notes += NoteOnSent(arguments, before, options_a, after, options_b);
  return ReportResult(arguments, report, std::move(notes));
}

// Standard input cannot be read twice; what a session has read, it keeps.
VerbResult DiffOfOneFile(const Arguments& arguments, const ShardOptions& options_a,
                         const ShardOptions& options_b) {
  return OnModule(arguments, [&](hlo::Module a) -> absl::StatusOr<VerbResult> {
    hlo::Module b = a;
    TESSERA_ASSIGN_OR_RETURN(const GoldenRun before, RunGolden(std::move(a), options_a));
    TESSERA_ASSIGN_OR_RETURN(const GoldenRun after, RunGolden(std::move(b), options_b));
    return DiffOf(arguments, before, options_a, after, options_b);
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
  return OnSide(arguments, *options_a, [&](const GoldenRun& a) -> absl::StatusOr<VerbResult> {
    return OnSide(of_b, *options_b, [&](const GoldenRun& b) {
      return DiffOf(arguments, a, *options_a, b, *options_b);
    });
  });
}

}  // namespace

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
  for (Flag& flag : GoldenFilterFlags()) verb.flags.push_back(std::move(flag));
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
