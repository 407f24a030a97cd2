#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/fixes/reshard_fixes.h"
#include "tessera/pipeline/verbs/costs/input/partitioned_program.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/reshard_list.h"
#include "tessera/pipeline/verbs/costs/reshards_answer.h"
#include "tessera/pipeline/verbs/costs/target/reshards_on_target.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

bool Shows(const ListFilter& filter, const Reshard& r) {
  const auto runs_along = [&](const CollectiveLine& line) {
    return RunsAlong(line, filter.axis());
  };
  return TotalOf(r) >= filter.min_bytes() &&
         (filter.axis().empty() || absl::c_any_of(r.collectives, runs_along)) &&
         filter.Matches({r.value, r.consumer, r.op_name, r.location, r.library_location});
}

// The question to a module.
struct ReshardQuestion {
  const Arguments& arguments;
  const ShardOptions& options;
  const ListFilter& filter;
};

absl::StatusOr<ReshardReport> ListAll(const PartitionedProgram& program) {
  ReshardReport report;
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(program.input, program.device.found));
  report.all = ListReshards(program.input, std::move(lines));
  report.can_list = program.input.opaque_calls == 0;
  return report;
}

// Those that pass the filters and --top.
void Choose(const ListFilter& filter, ReshardReport* report) {
  std::vector<const Reshard*> passed;
  std::vector<int64_t> bytes;
  for (const Reshard& reshard : report->all.list) {
    if (!Shows(filter, reshard)) continue;
    passed.push_back(&reshard);
    bytes.push_back(TotalOf(reshard));
  }
  report->passed = static_cast<int64_t>(passed.size());
  for (const size_t k : filter.Top(bytes)) report->shown.push_back(*passed[k]);
}

VerbResult ResultOf(const ReshardQuestion& question, const ReshardReport& report,
                    const std::string& notes) {
  const std::string all =
      absl::StrCat(notes, question.filter.NoteOnNone(static_cast<size_t>(report.passed),
                                                     report.all.list.size(), "reshards"));
  VerbResult result = InBothForms(
      question.arguments, [&] { return ReshardsJson(report); },
      [&] { return ReshardsText(report); }, all);
  if (question.arguments.Has("strict") && report.passed > 0) result.exit = Exit::kFinding;
  return result;
}

absl::StatusOr<VerbResult> OfPartitioner(const ReshardQuestion& question,
                                         const PartitionedProgram& program) {
  const PartitionerInput& input = program.input;
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(ReshardReport report, ListAll(program));
  Choose(question.filter, &report);
  const bool with_fixes = !question.arguments.Has("no-fixes") && input.sharded != nullptr;
  if (with_fixes && !report.shown.empty()) {
    TESSERA_ASSIGN_OR_RETURN(
        report.fixes, FindReshardFixes(input, program.device, question.options, report.shown));
  }
  return ResultOf(question, report, absl::StrJoin(input.notes, ""));
}

// The partitioner's, and what the target's compiler makes of them.
absl::StatusOr<VerbResult> OfTarget(const ReshardQuestion& question, const TargetChoice& choice,
                                    hlo::Module module) {
  TESSERA_ASSIGN_OR_RETURN(
      PartitionedProgram program,
      PartitionProgramForTarget(std::move(module), choice, question.arguments, question.options));
  const PartitionerInput& input = program.input;
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(input.mesh)));
  TESSERA_ASSIGN_OR_RETURN(ReshardReport report, ListAll(program));
  const std::vector<std::string> names = NamesOfCollectives(program);
  TESSERA_ASSIGN_OR_RETURN(auto context,
                           RunTarget(std::move(program.device.module),
                                     /*was_partitioned=*/false, choice, question.arguments));
  TESSERA_ASSIGN_OR_RETURN(auto lines, TargetLines(std::move(*context), input.mesh));
  const auto machine = cost::MachineOf(choice.target);
  if (machine.ok()) TESSERA_RETURN_IF_ERROR(TakeSentOn(*machine, &lines));
  TakeFinal(names, lines, &report.all);
  report.target = choice.target.ToString();
  for (const Reshard& reshard : report.all.list) report.final_sent += reshard.on_target->total;
  report.final_all = TotalSent(lines);
  Choose(question.filter, &report);
  return ResultOf(
      question, report,
      absl::StrCat(absl::StrJoin(input.notes, ""),
                   target::CollectivesCaveat(choice.target, /*was_partitioned=*/false)));
}

VerbResult RunReshards(const Arguments& arguments) {
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  const ReshardQuestion question = {arguments, *options, *filter};
  if (choice->has_value() && (*choice)->target.chip->platform != target::Platform::kCpu) {
    return OnModule(arguments, [&](hlo::Module module) {
      return OfTarget(question, **choice, std::move(module));
    });
  }
  const auto make = [&](hlo::Module module) {
    return PartitionProgram(std::move(module), arguments, *options);
  };
  const auto answer = [&](const PartitionedProgram& program) {
    return OfPartitioner(question, program);
  };
  return OnPrepared<PartitionedProgram>(arguments, PartitionKey(arguments), make, answer);
}

}  // namespace

Verb ReshardsVerb() {
  Verb verb;
  verb.name = "reshards";
  verb.summary = "values that move between devices, why, and tried fixes";
  verb.description =
      "Prints every reshard, the most bytes first. An entry has the value, its sharding and the "
      "sharding that its reader needs, the reader, and the line of the program outside "
      "libraries. Then follow the collectives, with the bytes that each device sends in all "
      "runs. The reader is a constraint of the program, or an operation that cannot work on its "
      "operand as it is sharded. Equal reshards are one entry.\n\n"
      "Each shown reshard lists the smallest annotations that remove it and make the program "
      "send less, tried by propagating and partitioning again. Modules with final shardings get "
      "no such list. Reductions of partial sums, halo exchanges (`tessera collectives` has both) "
      "and changes that send nothing are not reshards. With --strict the exit status is 1 if "
      "there is a reshard. See docs/reshards.md.\n\n"
      "With --target, each entry also lists the collectives that the compiler of the machine "
      "finally makes of it, and the order is by their bytes. Then no fixes are tried.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (Flag& flag : TargetFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : ListFilter::Flags("reshards", "that move along", "that send", "10")) {
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back({"no-fixes", "", "do not try annotations that remove them", "", false});
  verb.flags.push_back({"strict", "", "exit status 1 if a reshard passes the filters", "", false});
  AddAsIsFlag(&verb);
  verb.flags.push_back(JobsFlag());
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera reshards step.hlo", "the ten that send most, with fixes"},
      {"tessera reshards step.hlo --strict --min-bytes=1MB --no-fixes",
       "fails a build in which a large value moves"},
      {"tessera reshards step.hlo --axis=model --match=attention",
       "reshards along one axis, of one part of the model"},
      {"tessera reshards step.hlo --target=tpu-v5e:4x4", "what a TPU finally sends for each"},
  };
  verb.run = RunReshards;
  return verb;
}

}  // namespace tessera::pipeline
