#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_answer.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/comm_bill.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/costs/target/standing_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/costs/target/target_run.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/pass_lists.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// The question, and the lines to show.
struct CollectivesQuestion {
  const Arguments& arguments;
  const ListFilter& filter;
};

bool Shows(const ListFilter& filter, const CollectiveLine& line) {
  return line.total() >= filter.min_bytes() &&
         (filter.axis().empty() || RunsAlong(line, filter.axis())) &&
         (filter.Matches({line.op, line.consumer, line.producer, line.op_name, line.location,
                          line.reader, line.reader_location}) ||
          MatchesPart(filter, line));
}

// Also those that --top cuts off: the sums count them.
std::vector<CollectiveLine> Passing(const ListFilter& filter, std::vector<CollectiveLine> lines) {
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [&](const CollectiveLine& line) { return !Shows(filter, line); }),
              lines.end());
  return lines;
}

// The machine of --target; null without one, and for one whose links are not known.
struct PricedOn {
  std::optional<cost::Machine> machine;
  double launch_s = 0;

  const cost::Machine* get() const { return machine.has_value() ? &*machine : nullptr; }
};

PricedOn MachineFor(const target::Target& target) {
  PricedOn on;
  auto machine = cost::MachineOf(target);
  if (!machine.ok()) return on;
  on.machine = *std::move(machine);
  on.launch_s = cost::LaunchSeconds(target);
  return on;
}

absl::StatusOr<VerbResult> AnswerOf(const CollectivesQuestion& question,
                                    std::vector<CollectiveLine> lines,
                                    const std::optional<sharding::Mesh>& mesh,
                                    const std::string& notes, const PricedOn& on) {
  TESSERA_RETURN_IF_ERROR(question.filter.CheckAxis(AxesOfMesh(mesh)));
  const size_t count = lines.size();
  if (on.get() != nullptr) TESSERA_RETURN_IF_ERROR(TakeSentOn(*on.get(), &lines));
  const std::string on_switch = NoteOnSwitch(lines);
  const bool formulas = question.arguments.Has("formulas");
  const cost::Machine* priced_on = formulas ? on.get() : nullptr;
  const Bill bill = MakeBill(Passing(question.filter, std::move(lines)), priced_on, on.launch_s);
  const CollectivesForm form = {question.arguments.Get("by"), formulas, question.filter.top(),
                                priced_on};
  return InBothForms(
      question.arguments, [&] { return CollectivesJson(bill, form); },
      [&] { return CollectivesText(bill, form); },
      absl::StrCat(notes, on_switch,
                   question.filter.NoteOnNone(bill.lines.size(), count, "collectives")));
}

absl::StatusOr<std::optional<sharding::Mesh>> ReadMesh(const hlo::Module& module,
                                                       const Arguments& arguments) {
  if (!arguments.Has("mesh")) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(sharding::Mesh mesh, ParseMeshFlag(arguments.Get("mesh")));
  const int64_t devices = module.header().num_partitions;
  if (mesh.num_devices() == devices) return mesh;
  return absl::InvalidArgumentError(absl::StrCat("--mesh=", arguments.Get("mesh"), " has ",
                                                 mesh.num_devices(),
                                                 " devices, the module runs on ", devices));
}

// Those of a module of one device.
absl::StatusOr<VerbResult> OnStanding(const CollectivesQuestion& question,
                                      const hlo::Module& module, const PricedOn& on,
                                      const std::string& notes) {
  const Arguments& arguments = question.arguments;
  TESSERA_RETURN_IF_ERROR(CheckNothingToPropagate(module, arguments));
  TESSERA_ASSIGN_OR_RETURN(const auto mesh, ReadMesh(module, arguments));
  TESSERA_ASSIGN_OR_RETURN(auto lines, StandingLines(module, mesh));
  return AnswerOf(question, std::move(lines), mesh, notes, on);
}

// Whether they stand in the module; --as-is says that one which looks partitioned is not.
bool HasCollectives(const hlo::Module& module, const Arguments& arguments) {
  return IsFinal(module) || (IsOfOneDevice(module) && !arguments.Has("as-is"));
}

// The partitioner's collectives, or those that stand in a module after it.
VerbResult OnPartitioner(const CollectivesQuestion& question) {
  const Arguments& arguments = question.arguments;
  const auto options = ReadPropagationOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  const auto make = [&](hlo::Module module) -> absl::StatusOr<PartitionerInput> {
    if (!HasCollectives(module, arguments))
      return ReadPartitionerInput(std::move(module), arguments, *options);
    PartitionerInput input;
    input.module = std::move(module);
    return input;
  };
  const auto answer = [&](const PartitionerInput& input) -> absl::StatusOr<VerbResult> {
    if (HasCollectives(input.module, arguments)) {
      const std::string note = IsFinal(input.module) ? NoteOnNoSchedule(input.module) : "";
      return OnStanding(question, input.module, {}, note);
    }
    TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(input));
    return AnswerOf(question, std::move(lines), input.mesh, absl::StrJoin(input.notes, ""), {});
  };
  return OnPrepared<PartitionerInput>(arguments, PartitionKey(arguments), make, answer);
}

// The collectives that the compiler of a target makes of those, or has made.
VerbResult OnTarget(const CollectivesQuestion& question, const TargetChoice& choice) {
  const Arguments& arguments = question.arguments;
  const PricedOn on = MachineFor(choice.target);
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    if (IsFinal(module)) {
      TESSERA_RETURN_IF_ERROR(CheckCompiledFor(module, choice.target));
      return OnStanding(question, module, on, NotesOnFinal(module, choice.target, arguments));
    }
    TESSERA_ASSIGN_OR_RETURN(TargetProgram program,
                             ReadTargetProgram(std::move(module), choice, arguments));
    program.notes += target::CollectivesCaveat(choice.target, program.was_partitioned);
    if (arguments.Has("stop-after")) return Done(PrintedProgram(*program.context), program.notes);
    const bool shows_forms = arguments.Has("json") || !arguments.Has("by");
    TESSERA_ASSIGN_OR_RETURN(auto lines,
                             TargetLines(std::move(*program.context), program.mesh, shows_forms));
    return AnswerOf(question, std::move(lines), program.mesh, program.notes, on);
  });
}

VerbResult RunCollectives(const Arguments& arguments) {
  const std::string& by = arguments.Get("by");
  if (arguments.Has("by") && by != "axis" && by != "line" && by != "op") {
    return BadInput(absl::StrCat("--by=", by, ": expected axis, line or op"));
  }
  const auto filter = ListFilter::Read(arguments);
  if (!filter.ok()) return BadInput(filter.status());
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  // Without a target, or with cpu, the answer is the partitioner's collectives.
  const bool is_changed =
      choice->has_value() && (*choice)->target.chip->platform != target::Platform::kCpu;
  const absl::Status stage = CheckTargetStage(arguments, is_changed);
  if (!stage.ok()) return BadInput(stage);
  const CollectivesQuestion question = {arguments, *filter};
  return is_changed ? OnTarget(question, **choice) : OnPartitioner(question);
}

}  // namespace

Verb CollectivesVerb() {
  Verb verb;
  verb.name = "collectives";
  verb.summary = "collectives that XLA inserts, their bytes and their lines";
  verb.description =
      "Prints one line for each collective that XLA's SPMD partitioner inserts, the most bytes "
      "first. A line has the bytes that each device sends, the number of runs, the opcode and "
      "the shape on a device. Then follow the mesh axes (or groups of devices), the instruction "
      "that needs the value, the instruction whose value moves, and the user's line. If "
      "instructions other than parameters have shardings, these are final; otherwise the module is "
      "propagated first.\n\n"
      "A compiled module, or a dump from after the partitioner, already has its collectives: "
      "these are listed. Each is marked as synchronous, or with what runs between its start and "
      "done (docs/compiled.md).\n\n"
      "With --target, any earlier module gives the collectives that finally run on that machine. "
      "Each names the partitioner's collectives that it was made from, as `partition` names "
      "them, and the pass that made it (docs/targets.md). `cost` with the same --target says "
      "how long the device waits for each.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = FlagsWithTargetStages();
  verb.flags.push_back(
      {"by", "axis|line|op", "print sums instead of single collectives", "", false});
  verb.flags.push_back({"formulas", "",
                        "with each collective, the formula of its bytes and, with --target, of the "
                        "time of its links",
                        "", false});
  verb.conflicts = {{"by", {"formulas"}}, {"stop-after", {"by", "formulas", "json"}}};
  for (Flag& flag : ListFilter::Flags("collectives", "that run along", "that send")) {
    if (flag.name == "match") {
      flag.help = "only collectives with a match in their opcode, name, op_name or file:line";
    }
    verb.flags.push_back(std::move(flag));
  }
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera collectives step.hlo", "the collectives of a training step"},
      {"tessera collectives step.hlo --by=line", "which lines of the program cost most"},
      {"tessera collectives step.hlo --axis=data --min-bytes=1MB", "large ones over one mesh axis"},
      {"tessera collectives module_0002.sharded.hlo --mesh=data=4,model=2",
       "a dump after propagation; --mesh names its axes"},
      {"tessera collectives step.hlo --target=h100:1x1x8",
       "the collectives that eight H100 of one host run"},
      {"tessera collectives step.hlo --target=tpu-v5e:4x4 --formulas",
       "with the time of the links, and how it follows"},
      {"tessera collectives compiled.hlo", "of compiled.as_text(): those that the device runs"},
      {"tessera collectives after_spmd-partitioning.txt --target=h100:1x1x8",
       "the same for a dump after the partitioner"},
  };
  verb.run = RunCollectives;
  return verb;
}

}  // namespace tessera::pipeline
