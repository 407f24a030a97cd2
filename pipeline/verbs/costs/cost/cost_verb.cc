#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/cost/trace/trace.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/old_names.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/calibrate/read_traces.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/cost/against.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"
#include "tessera/pipeline/verbs/costs/cost/cost_filter.h"
#include "tessera/pipeline/verbs/costs/cost/cost_input.h"
#include "tessera/pipeline/verbs/costs/cost/cost_machine.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/costs/target/target_lines.h"
#include "tessera/pipeline/verbs/costs/time/kernel_costs.h"
#include "tessera/pipeline/verbs/costs/time/time_note.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<std::optional<answers::CostAgainst>> ReadAgainst(const CostInput& program,
                                                                const CostBill& bill,
                                                                const Arguments& arguments) {
  if (!arguments.Has("against")) return std::nullopt;
  if (!program.is_final) {
    return absl::InvalidArgumentError(
        "--against: a profile has the instructions of the module that ran, as compiled.as_text() "
        "gives it; this one is not compiled");
  }
  TESSERA_ASSIGN_OR_RETURN(const cost::Trace trace,
                           ReadTraces(program.input.module, arguments.All("against")));
  return CompareWithTrace(bill, trace);
}

absl::StatusOr<ListFilter> ReadFilter(const Arguments& arguments, const CostInput& program) {
  TESSERA_ASSIGN_OR_RETURN(ListFilter filter, ListFilter::Read(arguments));
  TESSERA_RETURN_IF_ERROR(filter.CheckAxis(AxesOfMesh(program.input.mesh)));
  return filter;
}

// Of each list in the text; the old flag --all is --top=0.
size_t RowsOf(const ListFilter& filter, const Arguments& arguments) {
  const bool is_all = filter.top() == 0 || arguments.Has("all");
  return is_all ? std::numeric_limits<size_t>::max() : static_cast<size_t>(filter.top());
}

// Empty for a machine of a file, which is the user's own.
std::string NoteOnTimesOf(const CostMachine& machine, const CostInput& program) {
  const target::Target& target = machine.choice.target;
  if (!machine.file.empty()) return "";
  return NoteOnTimes(target, {program.is_final, program.was_partitioned,
                              NoteOnCompiler(program.input.module, target).empty()});
}

absl::StatusOr<VerbResult> Answer(hlo::Module module, const CostMachine& machine,
                                  const cost::StepOptions& options, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const CostInput program,
                           ReadCostInput(std::move(module), machine.choice, arguments));
  TESSERA_ASSIGN_OR_RETURN(MachineStep found, StepOn(machine, program, options));
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(program.input, program.standing.found));
  if (program.origins.has_value()) NameOrigins(program.input.module, *program.origins, &lines);
  const auto links = cost::MachineOf(machine.choice.target);
  if (links.ok()) TESSERA_RETURN_IF_ERROR(TakeSentOn(*links, &lines));
  const std::string on_switch = NoteOnSwitch(lines);
  CostBill bill = MakeCostBill(program, machine, std::move(found), std::move(lines));
  TESSERA_ASSIGN_OR_RETURN(const auto against, ReadAgainst(program, bill, arguments));
  TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ReadFilter(arguments, program));
  Keep(filter, arguments.Has("top"), &bill);
  return InBothForms(
      arguments, [&] { return CostJson(bill, against); },
      [&] { return CostText(bill, against, RowsOf(filter, arguments)); },
      absl::StrCat(program.notes, NoteOnKernelCosts(program.input.module, options.calls), on_switch,
                   NoteOnTimesOf(machine, program)));
}

VerbResult RunCost(const Arguments& arguments) {
  const auto machine = ReadCostMachine(arguments);
  if (!machine.ok()) return BadInput(machine.status());
  const auto calls = ReadKernelCosts(arguments);
  if (!calls.ok()) return BadInput(calls.status());
  cost::StepOptions options;
  options.calls = *calls;
  return OnModule(arguments, [&](hlo::Module module) {
    return Answer(std::move(module), *machine, options, arguments);
  });
}

}  // namespace

Verb CostVerb() {
  Verb verb;
  verb.name = "cost";
  verb.summary = "the time of a step on a machine, and where it goes";
  verb.description =
      "Predicts how long one step takes on the machine of --target. It predicts the kernels and "
      "the final collectives of a device, and gives each a time. The page has the step's time with "
      "its bounds, the waits for links, and sums by operation, line, mesh axis and collective. "
      "FILE is a module of any stage. A finished one has the compiler's kernels and schedule. "
      "Times of TPU kernels follow the compiler's own estimates, those of GPUs XLA's model; no "
      "device was measured. docs/cost.md has the model and how far it agrees.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (Flag& flag : TargetFlags()) {
    if (flag.name == "target") {
      flag.placeholder = "CHIP:TOPOLOGY|FILE";
      flag.help = absl::StrCat(
          kTargetHelp, "; or a file (a name with a dot or a slash), as `calibrate` writes it");
    }
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back(KernelCostFlag());
  verb.flags.push_back({"against", "TRACE",
                        "a profile by jax.profiler (HOST.trace.json.gz) of FILE, the compiled "
                        "module: predicted beside measured, by line",
                        "", true});
  for (Flag& flag : ListFilter::Flags("kernels and collectives", "that run along",
                                      "that read, write or send", "10")) {
    if (flag.name == "top") {
      flag.help =
          "of each list, only the N entries that take most time; 0: all. Collectives come "
          "by the time that the device waits for them";
    }
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back({"all", "", "--top=0", "", false, kOldNames});
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera cost step.hlo --target=tpu-v5e:4x4",
       "a step on 16 chips, from the lowered program"},
      {"tessera cost compiled.hlo --target=tpu-v5e:4x4", "the same of compiled.as_text()"},
      {"tessera cost step.hlo --target=h100:1x1x8 --kernel-cost=flash_attention=4e12,2e9",
       "with what a custom call does"},
      {"tessera cost compiled.hlo --target=lab.textproto --against=host.trace.json.gz",
       "beside what a profile measured"},
  };
  verb.run = RunCost;
  return verb;
}

}  // namespace tessera::pipeline
