#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/command_line/process/progress.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/costs/time/time_note.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"
#include "tessera/pipeline/verbs/search/suggest/meshes_to_search.h"
#include "tessera/pipeline/verbs/search/suggest/parameter_groups.h"
#include "tessera/pipeline/verbs/search/suggest/suggest_question.h"
#include "tessera/pipeline/verbs/search/suggest/suggest_report.h"
#include "tessera/pipeline/verbs/search/suggest/suggest_search.h"
#include "tessera/pipeline/verbs/search/variants/annotated_text.h"
#include "tessera/pipeline/verbs/search/variants/confirmed.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/text/status_macros.h"
#include "tessera/text/unified_diff.h"

namespace tessera::pipeline {
namespace {

using sharding::Mesh;

bool IsBetter(const Suggestion& a, const Suggestion& b, const std::optional<int64_t>& limit) {
  if (!a.found.ok()) return false;
  return !b.found.ok() || cost::IsBetter(*a.found, *b.found, limit);
}

VerbResult Plan(const Arguments& arguments, const std::vector<Mesh>& meshes) {
  std::vector<std::string> texts;
  for (const Mesh& mesh : meshes) texts.push_back(sharding::PrintMeshSizes(mesh));
  return InBothForms(
      arguments, [&] { return MeshesJson(texts); },
      [&] { return absl::StrCat(absl::StrJoin(texts, "\n"), "\n"); });
}

Variant WithFound(Variant base, const SuggestedVariant& found) {
  base.annotations.insert(base.annotations.end(), found.annotations.begin(),
                          found.annotations.end());
  base.ties_donated = found.ties_donated;
  return base;
}

SuggestedVariant FoundIn(const Suggestion& best) {
  SuggestedVariant found{{}, *best.found, !best.results.empty()};
  for (const SuggestedAnnotation& one : best.annotations) {
    found.annotations.push_back(one.annotation);
  }
  return found;
}

// The suggestion as a diff of the file.
absl::StatusOr<std::string> DiffOf(const hlo::Module& read, const Variant& base,
                                   const Suggestion& best) {
  TESSERA_ASSIGN_OR_RETURN(const std::string text,
                           AnnotatedText(read, WithFound(base, FoundIn(best))));
  return text::UnifiedDiff(read.text()->name(), read.source_text(), text);
}

absl::StatusOr<std::string> TextOf(const Suggestion& best, const SuggestRequest& request,
                                   absl::string_view format) {
  if (format == "diff") return request.diff;
  return format == "python" ? request.python : SuggestionText(best, request);
}

// The module's own annotations, what was found, and the best of the front.
absl::StatusOr<std::optional<Confirmed>> ConfirmBest(const VariantCosts& costs,
                                                     const hlo::Module& read, const Variant& base,
                                                     const Suggestion& best,
                                                     const SuggestQuestion& asked,
                                                     const Arguments& arguments) {
  if (asked.confirm == 0) return std::nullopt;
  std::vector<ConfirmedRow> rows = {{base, "as the module says", best.own}};
  std::vector<SuggestedVariant> few = {FoundIn(best)};
  few.insert(few.end(), best.front.begin(), best.front.end());
  for (const SuggestedVariant& one : few) {
    if (static_cast<int64_t>(rows.size()) > asked.confirm) break;
    const bool is_known =
        absl::c_any_of(rows, [&](const ConfirmedRow& row) { return row.what == FrontText(one); });
    if (is_known) continue;
    rows.push_back({WithFound(base, one), FrontText(one), one.cost});
  }
  TESSERA_ASSIGN_OR_RETURN(Confirmed confirmed,
                           Confirm(costs, read, std::move(rows), *asked.target, arguments));
  return confirmed;
}

absl::StatusOr<VerbResult> Answer(const Arguments& arguments, const SuggestQuestion& asked,
                                  hlo::Module module) {
  const hlo::Module read = module;
  if (asked.target.has_value()) {
    TESSERA_ASSIGN_OR_RETURN(module, BeforeShardy(std::move(module), *asked.target, arguments));
  }
  TESSERA_ASSIGN_OR_RETURN(const MeshesToSearch searched,
                           ReadMeshes(arguments, asked.options, module));
  const std::vector<Mesh>& meshes = searched.meshes;
  if (arguments.Has("plan")) return Plan(arguments, meshes);
  SuggestRequest request{
      asked.target.has_value() ? asked.target->target.ToString() : asked.topology, std::nullopt};
  TESSERA_ASSIGN_OR_RETURN(request.limit, LimitOf(asked, meshes.front()));
  if (asked.target.has_value()) request.error = kErrorOfTimes;
  TESSERA_ASSIGN_OR_RETURN(const VariantCosts costs,
                           VariantCosts::Create(std::move(module), asked.options, asked.topology,
                                                asked.target, asked.calls));
  TESSERA_RETURN_IF_ERROR(FindAnnotated(costs.module(), asked.options.annotations).status());
  const auto most = static_cast<size_t>(asked.groups);
  std::vector<SearchGroup> of_arguments = ParameterGroups(costs.module());
  if (of_arguments.size() > most) of_arguments.resize(most);
  cost::SearchOptions search;
  search.limit = request.limit;
  search.tries = static_cast<size_t>(asked.tries);
  Progress progress("variants tried", 0);
  const bool is_own = !asked.options.mesh.has_value() && !arguments.Has("devices");
  std::optional<Suggestion> best;
  for (const Mesh& mesh : meshes) {
    Variant base{is_own ? std::nullopt : std::optional<Mesh>(mesh), asked.options.annotations};
    std::vector<SearchGroup> groups = of_arguments;
    absl::c_move(ConstraintGroups(costs.module(), costs.ConstraintsOn(base), most),
                 std::back_inserter(groups));
    Suggestion one = Suggest(costs, read, base, mesh, std::move(groups), search,
                             [&progress] { progress.Advance(); });
    if (mesh == searched.own) request.own_mesh = {mesh, one.own};
    if (!best.has_value() || IsBetter(one, *best, request.limit)) best = std::move(one);
  }
  if (!best->found.ok()) return best->found.status();
  const Variant base{is_own ? std::nullopt : std::optional<Mesh>(best->mesh),
                     asked.options.annotations};
  request.python = SuggestionPython(*best, costs.module());
  request.diff = DiffOf(read, base, *best);
  TESSERA_ASSIGN_OR_RETURN(request.confirmed,
                           ConfirmBest(costs, read, base, *best, asked, arguments));
  TESSERA_ASSIGN_OR_RETURN(const std::string text, TextOf(*best, request, arguments.Get("format")));
  std::string notes = costs.Notes();
  if (request.confirmed.has_value()) notes += request.confirmed->note;
  VerbResult result = InBothForms(
      arguments, [&] { return SuggestionJson(*best, request); }, [&] { return text; },
      std::move(notes));
  if (!Fits(*best, request)) result.exit = Exit::kFinding;
  return result;
}

VerbResult RunSuggest(const Arguments& arguments) {
  const auto asked = ReadSuggestQuestion(arguments);
  if (!asked.ok()) return BadInput(asked.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (IsFinal(module)) TESSERA_RETURN_IF_ERROR(CheckIsBeforePartitioner(module));
    return Answer(arguments, *asked, std::move(module));
  });
}

}  // namespace

Verb SuggestVerb() {
  Verb verb;
  verb.name = "suggest";
  verb.summary = "annotations that fit the memory and make a step fastest";
  verb.description =
      "Searches shardings of the arguments, in groups by their paths, and of the constraints "
      "inside the program, in groups by their lines. It also tries new constraints around the "
      "costliest collectives and on the largest tensors. The goal is the fastest step on a "
      "machine, as `tessera cost` predicts it, within the memory of a device. Prints the "
      "annotations as --annotate takes them, each with its gain. It also prints the variants that "
      "are best in time or memory, and the cost of the module's own annotations. The search starts "
      "there, so by its own prediction the result is never worse. The answer is deterministic. The "
      "exit status is 1 if no variant fits the memory. docs/search.md describes the prediction.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  verb.flags.push_back({"devices", "N",
                        "try every mesh of N devices over the module's axes, or data=..,model=..",
                        "", false});
  for (const Flag& flag : TargetFlagsOfSearch()) verb.flags.push_back(flag);
  verb.flags.push_back(KernelCostFlag());
  verb.flags.push_back(MemoryLimitFlag());
  verb.flags.push_back(OldHardwareFlag());
  verb.flags.push_back(
      {"tries", "N",
       "the approximate number of variants of the arguments to try on each mesh; constraints take "
       "as many again, and new ones half as many",
       "400", false});
  verb.flags.push_back(
      {"groups", "N",
       "the number of groups of arguments to annotate, and of constraints, the largest first", "24",
       false});
  verb.flags.push_back(
      {"format", "flags|python|diff",
       "annotations as flags, with their gains; as a dictionary of Python, with the P(..) of "
       "arguments by path and of constraints by line; or as a diff of FILE",
       "flags", false});
  for (Flag& flag : ConfirmFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back({"plan", "", "list the meshes to search and search none", "", false});
  verb.flags.push_back(JobsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera suggest step.hlo --target=tpu-v5e:2x4", "better annotations on the module's mesh"},
      {"tessera suggest step.hlo --devices=16 --target=tpu-v5e:4x4 --memory-limit=12GiB",
       "mesh and annotations for 16 chips"},
      {"tessera suggest step.hlo --target=tpu-v5e:2x4 --format=python", "P(..) by argument path"},
      {"tessera suggest step.hlo --target=tpu-v5e:2x4 --format=diff | patch step.hlo",
       "shardings of arguments, results and constraints in the file itself"},
  };
  verb.conflicts = {{"plan", {"confirm", "format"}}, {"format", {"json"}}};
  verb.run = RunSuggest;
  return verb;
}

}  // namespace tessera::pipeline
