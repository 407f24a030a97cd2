#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/passes_answer.pb.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/steps/shard_pipeline.h"
#include "tessera/pipeline/verbs/costs/target/target_front.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/watch/pass_timer.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Pass;
using sharding::passes::PhaseName;
using sharding::passes::Pipeline;

// A row of the list: a pass of any pipeline. `place` is its index in that pipeline, from 0, as
// --dump-after counts.
struct Row {
  absl::string_view phase, name, reference, summary;
  std::optional<size_t> place = std::nullopt;  // nothing: no program after it can be seen
  absl::string_view head = "";                 // above the row
};

// Where numbers count anew, and where they end.
constexpr char kAfterPartitioner[] =
    "\nafter the partitioner, numbered as in --dump-after of `collectives` and `partition`:\n";
constexpr char kBeforeMemory[] =
    "\n`memory` runs the passes of xla-partitioner above, then these in place of the rest:\n";
constexpr char kModelled[] = "\nmodelled for what they decide, without a program after them:\n";

constexpr Row kPartition = {"partition", "spmd-partitioning", "spmd-partitioning",
                            "each device gets its shards, collectives stand where data moves"};

// Those of a target; none without one.
struct OfTarget {
  absl::Span<const target::Pass> of_partitioner, after_partitioner, modelled;
  absl::Span<const target::Pass> for_memory;  // empty where they are after_partitioner
};

// The phase of passes that `memory` runs in place of those after the partitioner.
constexpr char kForMemory[] = "memory";

// `place`: of the first; nothing for passes that cannot be named. `head`: above the first. `phase`: instead of
// XLA's pipeline.
void AddRows(absl::Span<const target::Pass> passes, std::optional<size_t> place,
             std::vector<Row>* rows, absl::string_view head = "", absl::string_view phase = "") {
  for (const target::Pass& pass : passes) {
    rows->push_back({phase.empty() ? pass.pipeline : phase, pass.name, target::ReferenceName(pass),
                     pass.summary, place, std::exchange(head, "")});
    if (place.has_value()) ++*place;
  }
}

// The passes up to the partitioned module, with those of the target where they run.
std::vector<Row> Rows(const Pipeline& pipeline, const OfTarget& target) {
  std::vector<Row> rows;
  size_t place = 0;
  for (const Pass& pass : pipeline) {
    rows.push_back({PhaseName(pass.phase), pass.name, pass.reference, pass.summary, place++});
  }
  if (!target.after_partitioner.empty()) rows.push_back(kPartition);
  const bool is_first = target.of_partitioner.empty();
  AddRows(target.of_partitioner, 0, &rows, kAfterPartitioner);
  AddRows(target.after_partitioner, target.of_partitioner.size(), &rows,
          is_first ? kAfterPartitioner : "");
  AddRows(target.for_memory, target.of_partitioner.size(), &rows, kBeforeMemory, kForMemory);
  AddRows(target.modelled, std::nullopt, &rows, kModelled);
  return rows;
}

// The name of the reference is not said again where ours is the same.
absl::string_view ReferenceMark(const Row& row) {
  if (row.reference == row.name) return "=";
  return row.reference == "-" ? "-" : "~";
}

std::string ListText(const std::vector<Row>& rows) {
  size_t phase_width = 9, width = 0;
  for (const Row& row : rows) {
    phase_width = std::max(phase_width, row.phase.size());
    width = std::max(width, row.name.size());
  }
  std::string out;
  for (const Row& row : rows) {
    absl::StrAppend(&out, row.head);
    const absl::string_view mark = ReferenceMark(row);
    absl::StrAppendFormat(&out, "%2s  %-*s  %s %-*s  %s",
                          row.place.has_value() ? absl::StrCat(*row.place + 1) : "",
                          static_cast<int>(phase_width), row.phase, mark, static_cast<int>(width),
                          row.name, row.summary);
    absl::StrAppend(&out, mark == "~" ? absl::StrCat(" (", row.reference, ")") : "", "\n");
  }
  return out;
}

// A pass that did not run, since the pipeline was another one, has no cost.
std::string AsJson(const std::vector<Row>& rows, const std::vector<PassCost>& costs) {
  answers::PassesAnswer answer;
  for (size_t k = 0; k < rows.size(); ++k) {
    answers::PassOfPipeline* pass = answer.add_passes();
    pass->set_name(std::string(rows[k].name));
    if (rows[k].place.has_value()) pass->set_number(static_cast<int64_t>(*rows[k].place + 1));
    pass->set_phase(std::string(rows[k].phase));
    pass->set_reference(std::string(rows[k].reference));
    pass->set_summary(std::string(rows[k].summary));
    if (k >= costs.size()) continue;
    pass->set_milliseconds(costs[k].milliseconds);
    pass->set_instructions(costs[k].instructions);
    pass->set_program_size(costs[k].program_size);
  }
  return text::JsonOf(answer) + "\n";
}

VerbResult Measured(const Arguments& arguments, const ShardOptions& options) {
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    PassTimer timer;
    ShardOptions timed = options;
    timed.pass_observer = &timer;
    TESSERA_ASSIGN_OR_RETURN(const Pipeline pipeline, ShardPipelineFor(module, options));
    TESSERA_RETURN_IF_ERROR(ShardModule(std::move(module), timed).status());
    return Done(arguments.Has("json") ? AsJson(Rows(pipeline, {}), timer.costs())
                                      : PassTimingText(timer.costs()));
  });
}

absl::StatusOr<OfTarget> PassesOfTarget(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const auto choice, ReadTarget(arguments));
  if (!choice.has_value()) return OfTarget();
  if (!arguments.positionals().empty()) {
    return absl::UnimplementedError("--target: the passes of a target are listed, not measured");
  }
  TESSERA_ASSIGN_OR_RETURN(const auto after, target::PassesOf(choice->target));
  const auto memory = target::PassesBeforeKernels(choice->target);
  return OfTarget{target::PassesOfPartitioner(choice->target), after,
                  target::PassesModelled(choice->target),
                  memory.data() == after.data() ? absl::Span<const target::Pass>() : memory};
}

VerbResult RunPasses(const Arguments& arguments) {
  auto options = ReadShardOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  if (const absl::Status status = PutInFront(arguments, &*options); !status.ok())
    return BadInput(status);
  const auto of_target = PassesOfTarget(arguments);
  if (!of_target.ok()) return BadInput(of_target.status());
  if (!arguments.positionals().empty()) return Measured(arguments, *options);
  const std::vector<Row> rows = Rows(ShardPipeline(*options), *of_target);
  return Done(arguments.Has("json") ? AsJson(rows, {}) : ListText(rows));
}

}  // namespace

Verb PassesVerb() {
  Verb verb;
  verb.name = "passes";
  verb.summary = "the list of passes, and the time of each on a module";
  verb.description =
      "Without FILE, lists the passes that `shard` runs with these flags: number, phase, name and "
      "effect. A mark stands before the name. = is a pass of the reference, ~ one with another "
      "name there (in brackets), and - a pass of tessera alone. With FILE, runs the passes. It "
      "then prints CPU milliseconds, millions of machine instructions (- if the system does not "
      "count them), and the number of ops after each pass. shard and shardings have --dump-after, "
      "--stop-after and --pass-timing. --target adds the passes of that machine's compiler before "
      "Shardy, numbered as in shardings --target, and those on the partitioned module. The latter "
      "have numbers of their own, as in --dump-after and --stop-after of collectives. Passes "
      "without a number have no dump. The phase memory has the passes of `memory` after the "
      "partitioner if they differ, numbered as in its --dump-after and --stop-after. Passes at the "
      "end are modelled only for one decision, such as the order in which combiners visit "
      "collectives.";
  verb.positionals = {{"FILE", kFileHelp, /*optional=*/true}};
  verb.flags = ShardFlags();
  for (const Flag& flag : TargetFlags()) verb.flags.push_back(flag);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", ""});
  verb.examples = {
      {"tessera passes --stage=pass --structure=xla", "the passes from HLO to the module XLA gets"},
      {"tessera passes step.hlo", "the time of each pass"},
      {"tessera passes --target=h100:8",
       "also the passes up to the final collectives of eight H100"},
      {"tessera shard step.hlo --dump-after=all:dump -o sharded.hlo",
       "the program after each pass, in files to compare"},
  };
  verb.run = RunPasses;
  return verb;
}

}  // namespace tessera::pipeline
