#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/cost/sweep/ranking.h"
#include "tessera/pipeline/command_line/process/progress.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/memory_limit.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_grid.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_merge.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_part.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_report.h"
#include "tessera/pipeline/verbs/search/variants/confirmed.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/text/fingerprint.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

struct ByWord {
  absl::string_view word;
  cost::By by;
};
constexpr ByWord kBys[] = {
    {"memory", cost::By::kMemory}, {"bytes", cost::By::kBytes}, {"time", cost::By::kTime}};

absl::StatusOr<SweepRequest> ReadRequest(const Arguments& arguments) {
  SweepRequest request;
  request.planned = arguments.Has("plan");
  request.topology = arguments.Get("target");
  request.timed = !request.topology.empty();
  request.by_word = arguments.Get("by");
  if (request.by_word.empty()) request.by_word = request.timed ? "time" : "memory";
  bool known = false;
  for (const ByWord& word : kBys) {
    if (word.word != request.by_word) continue;
    request.by = word.by;
    known = true;
  }
  if (!known) {
    return absl::InvalidArgumentError(
        absl::StrCat("--by=", request.by_word, ": expected memory, bytes or time"));
  }
  TESSERA_ASSIGN_OR_RETURN(const auto target, ReadTargetOfSearch(arguments));
  TESSERA_ASSIGN_OR_RETURN(const auto said_limit, ReadMemoryLimit(arguments));
  if (target.has_value()) request.limit = cost::UsableMemory(target->target);
  if (said_limit.has_value()) request.limit = said_limit->bytes;
  TESSERA_ASSIGN_OR_RETURN(request.calls, ReadKernelCosts(arguments));
  TESSERA_RETURN_IF_ERROR(CheckKernelsHaveTimes(request.calls, target.has_value()));
  TESSERA_ASSIGN_OR_RETURN(const int64_t top, arguments.Count("top"));
  request.top = top == 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(top);
  return request;
}

absl::Status CheckTimed(const SweepRequest& request) {
  if (request.by != cost::By::kTime || request.timed) return absl::OkStatus();
  return absl::InvalidArgumentError("--by=time needs a machine: --target=tpu-v5e:4x4");
}

std::vector<Flag> SweepFlags() {
  std::vector<Flag> flags = PropagationFlags();
  for (Flag& flag : flags) {
    if (flag.name != "mesh") continue;
    flag.repeated = true;
    flag.help = "a mesh to try, e.g. data=4,model=2; default: the module's own";
  }
  flags.push_back({"try", "REGEX=SPEC|SPEC|..",
                   "alternatives of an annotation, each a P(..) or none, combined with every "
                   "mesh and every other alternative",
                   "", true});
  flags.push_back(
      {"grid", "FILE", "read meshes, annotations and alternatives from a textproto", "", false});
  for (const Flag& flag : TargetFlagsOfSearch()) flags.push_back(flag);
  flags.push_back(KernelCostFlag());
  flags.push_back(MemoryLimitFlag());
  flags.push_back({"by", "memory|bytes|time",
                   "the quantity to rank by; default: time with a target, else memory", "", false});
  flags.push_back({"top", "K", "rows of text, 0: all; the JSON has all", "20", false});
  for (Flag& flag : PartFlags()) flags.push_back(std::move(flag));
  for (Flag& flag : ConfirmFlags()) flags.push_back(std::move(flag));
  flags.push_back({"plan", "", "list the variants with their keys and run none", "", false});
  flags.push_back({"merge", "", "join files of lines that parts wrote, as one sweep", "", false});
  flags.push_back(JobsFlag());
  flags.push_back(ModuleFlag());
  flags.push_back({"json", "", "a line of JSON for each variant", "", false});
  return flags;
}

absl::StatusOr<Swept> Sweep(const Arguments& arguments, const SweepGrid& grid,
                            const SweepRequest& request, const SweepKeys& keys,
                            const VariantCosts& costs) {
  Swept swept;
  TESSERA_ASSIGN_OR_RETURN(swept.numbers, VariantsOfRun(arguments, grid, keys));
  for (const size_t number : swept.numbers) swept.variants.push_back(grid.Of(number));
  const size_t count = swept.numbers.size();
  for (const auto& key : keys.OfAll(count, [&](size_t k) { return swept.variants[k]; })) {
    swept.keys.push_back(text::FingerprintText(key));
  }
  for (const Variant& variant : swept.variants) {
    swept.uneven.push_back(costs.UnevenArguments(variant));
  }
  if (request.planned) return swept;
  Progress progress("variants", count);
  swept.outcomes = costs.OfAll(
      count, [&](size_t k) { return swept.variants[k]; }, [&] { progress.Advance(); });
  Rank(request, &swept);
  return swept;
}

absl::Status ConfirmBest(const VariantCosts& costs, const hlo::Module& read,
                         const std::optional<TargetChoice>& target, const Arguments& arguments,
                         Swept* swept) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t most, ReadConfirm(arguments, target));
  std::vector<ConfirmedRow> rows;
  for (const size_t k : swept->ranked) {
    if (static_cast<int64_t>(rows.size()) == most) break;
    rows.push_back({swept->variants[k],
                    absl::StrCat("#", swept->numbers[k], " ", VariantText(swept->variants[k])),
                    swept->outcomes[k]});
  }
  if (rows.empty()) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(swept->confirmed,
                           Confirm(costs, read, std::move(rows), *target, arguments));
  return absl::OkStatus();
}

VerbResult Answer(const Arguments& arguments, const Swept& swept, const SweepRequest& request,
                  std::string notes) {
  VerbResult result = InBothForms(
      arguments, [&] { return SweepLines(swept, request); },
      [&] { return SweepText(swept, request); }, std::move(notes));
  const size_t refused = swept.refused.size();
  if (refused > 0 && refused == swept.outcomes.size()) result.exit = Exit::kFinding;
  return result;
}

absl::StatusOr<VerbResult> Merge(const Arguments& arguments, SweepRequest request) {
  TESSERA_ASSIGN_OR_RETURN(Merged merged, MergeSweeps(arguments));
  request.timed = merged.timed;
  TESSERA_RETURN_IF_ERROR(CheckTimed(request));
  Rank(request, &merged.swept);
  return Answer(arguments, merged.swept, request, std::move(merged.notes));
}

VerbResult RunSweep(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto request = ReadRequest(arguments);
  if (!request.ok()) return BadInput(request.status());
  if (arguments.Has("merge")) {
    auto merged = Merge(arguments, *request);
    return merged.ok() ? *std::move(merged) : BadInput(merged.status());
  }
  if (arguments.positionals().size() > 1) {
    return BadInput("one module at a time; several files are lines to join with --merge");
  }
  const absl::Status timed = CheckTimed(*request);
  if (!timed.ok()) return BadInput(timed);
  const auto grid = ReadSweepGrid(arguments);
  if (!grid.ok()) return BadInput(grid.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (IsFinal(module)) TESSERA_RETURN_IF_ERROR(CheckIsBeforePartitioner(module));
    const hlo::Module read = module;
    TESSERA_ASSIGN_OR_RETURN(const std::optional<TargetChoice> target,
                             ReadTargetOfSearch(arguments));
    TESSERA_RETURN_IF_ERROR(ReadConfirm(arguments, target).status());
    std::string links = request->topology;  // of a machine without a model of its kernels
    if (target.has_value()) {
      links.clear();
      TESSERA_RETURN_IF_ERROR(
          grid->CheckDevices(target->target.ToString(), target->target.num_devices()));
      TESSERA_ASSIGN_OR_RETURN(module, BeforeShardy(std::move(module), *target, arguments));
    }
    TESSERA_ASSIGN_OR_RETURN(const VariantCosts costs,
                             VariantCosts::Create(module, *options, links, target, request->calls));
    TESSERA_RETURN_IF_ERROR(grid->Check(costs.module(), links));
    if (!grid->Of(0).mesh.has_value()) TESSERA_RETURN_IF_ERROR(costs.CheckMachine(grid->Of(0)));
    const SweepKeys keys(arguments, SweepFlags(), module, costs);
    TESSERA_ASSIGN_OR_RETURN(Swept swept, Sweep(arguments, *grid, *request, keys, costs));
    TESSERA_RETURN_IF_ERROR(ConfirmBest(costs, read, target, arguments, &swept));
    std::string notes = costs.Notes();
    if (swept.confirmed.has_value()) notes += swept.confirmed->note;
    return Answer(arguments, swept, *request, std::move(notes));
  });
}

}  // namespace

Verb SweepVerb() {
  Verb verb;
  verb.name = "sweep";
  verb.summary = "many meshes and annotations in one run, ranked";
  verb.description =
      "Shards the module once for each variant, on all cores. Variants are every mesh with every "
      "combination of alternatives. They are ranked by the memory of a device, its sent bytes, or "
      "the time of a step, as `tessera cost` has it. A variant that the pass or the partitioner "
      "refuses, or whose mesh does not fit the machine, is listed with the reason. Any batch "
      "system can run the parts of --part, and "
      "--merge joins their lines. A variant keeps its number, and a repeated line counts once. "
      "Variants with the same key have the same answer. The form of --grid is "
      "pipeline/verbs/sweep_grid.proto. See docs/search.md and docs/cluster.md.";
  verb.positionals = {{"FILE", absl::StrCat(kFileHelp, "; with --merge a file of lines")},
                      {"MORE", "with --merge: further files of lines", true, true}};
  verb.flags = SweepFlags();
  verb.conflicts = {{"merge",
                     {"mesh", "annotate", "try", "grid", "target", "xla-flags", "kernel-cost",
                      "memory-limit", "part", "only", "plan", "confirm"}},
                    {"only", {"part"}},
                    {"plan", {"confirm"}}};
  verb.examples = {
      {"tessera sweep step.hlo --mesh=data=8,model=1 --mesh=data=4,model=2 --mesh=data=2,model=4",
       "the mesh that needs the least memory"},
      {"tessera sweep step.hlo --mesh=data=4,model=2 "
       "--try=\"^w1$=P('model')|P(None,'model')|none\" "
       "--target=tpu-v5e:2x4 --by=time",
       "the fastest sharding of w1"},
      {"tessera sweep step.hlo --grid=grid.textproto --target=tpu-v5e:2x4 --by=time --confirm=3 "
       "--python=venv/bin/python",
       "the best three beside what libtpu makes of them"},
      {"tessera sweep step.hlo --grid=grid.textproto --part=2/8 --json",
       "the second of eight parts"},
      {"tessera sweep part1.jsonl part2.jsonl --merge --by=bytes", "the parts as one sweep"},
  };
  verb.run = RunSweep;
  return verb;
}

}  // namespace tessera::pipeline
