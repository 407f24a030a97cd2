#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"
#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"
#include "tessera/pipeline/verbs/costs/cost/cost_input.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::Status BadKernelCost(const std::string& text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--kernel-cost=", text, ": expected TARGET=FLOPS,BYTES, such as fast_attn=2e12,1e9"));
}

absl::StatusOr<cost::StepOptions> ReadOptions(const Arguments& arguments) {
  cost::StepOptions options;
  for (const std::string& text : arguments.All("kernel-cost")) {
    const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (sides.size() != 2 || sides[0].empty()) return BadKernelCost(text);
    const std::vector<std::string> numbers = absl::StrSplit(sides[1], ',');
    cost::CallCost call;
    if (numbers.size() != 2 || !absl::SimpleAtod(numbers[0], &call.flops) ||
        !absl::SimpleAtod(numbers[1], &call.bytes) || !(call.flops >= 0) || !(call.bytes >= 0)) {
      return BadKernelCost(text);
    }
    options.calls[sides[0]] = call;
  }
  return options;
}

absl::StatusOr<VerbResult> Answer(hlo::Module module, const TargetChoice& choice,
                                  const cost::StepOptions& options, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const CostInput program,
                           ReadCostInput(std::move(module), choice, arguments));
  auto step = cost::StepOnTarget(program.input.module, program.standing, choice.target, options);
  if (!step.ok()) return LocatedInInput(step.status(), program.input);
  TESSERA_ASSIGN_OR_RETURN(auto lines, ListCollectives(program.input, program.standing.found));
  const CostBill bill = MakeCostBill(program, choice.target, *std::move(step), std::move(lines));
  return InBothForms(
      arguments, [&] { return CostJson(bill); },
      [&] { return CostText(bill, arguments.Has("all")); }, program.notes);
}

VerbResult Run(const Arguments& arguments) {
  const auto choice = ReadTarget(arguments);
  if (!choice.ok()) return BadInput(choice.status());
  if (!choice->has_value()) {
    return BadInput("cost needs a machine: --target=tpu-v5e:4x4, --target=h100:1x1x8, ..");
  }
  const auto options = ReadOptions(arguments);
  if (!options.ok()) return BadInput(options.status());
  return OnModule(arguments, [&](hlo::Module module) {
    return Answer(std::move(module), **choice, *options, arguments);
  });
}

}  // namespace

Verb CostVerb() {
  Verb verb;
  verb.name = "cost";
  verb.summary = "the time of a step on a machine, and where it goes";
  verb.description =
      "Predicts how long one step takes on the machine of --target. It finds the kernels that a "
      "device runs and the collectives that the target's compiler leaves, and gives each a time. "
      "The page has the step's time with its bounds, the part in which the device waits for its "
      "links, and sums by operation, line, mesh axis and collective. FILE is a module of any "
      "stage; "
      "of one that a compiler has finished the kernels and the schedule are the compiler's. Times "
      "of TPU kernels follow the compiler's own estimates, those of GPUs XLA's model; no device "
      "was measured. docs/cost.md has the model and how far it agrees.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = PropagationFlags();
  for (const Flag& flag : TargetFlags()) verb.flags.push_back(flag);
  verb.flags.push_back({"kernel-cost", "TARGET=FLOPS,BYTES",
                        "what a custom call does: operations, and bytes read and written", "",
                        true});
  verb.flags.push_back({"all", "", "every line, kernel and collective instead of ten", "", false});
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "the answer as JSON", "", false});
  verb.examples = {
      {"tessera cost step.hlo --target=tpu-v5e:4x4",
       "a step on 16 chips, from the lowered program"},
      {"tessera cost compiled.hlo --target=tpu-v5e:4x4", "the same of compiled.as_text()"},
      {"tessera cost step.hlo --target=h100:1x1x8 --kernel-cost=flash_attention=4e12,2e9",
       "with what a custom call does"},
  };
  verb.run = Run;
  return verb;
}

}  // namespace tessera::pipeline
