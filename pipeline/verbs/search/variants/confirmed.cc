#include "tessera/pipeline/verbs/search/variants/confirmed.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/verbs/compare/step_measures.h"
#include "tessera/pipeline/verbs/confirm/compiler_flags.h"
#include "tessera/pipeline/verbs/search/variants/annotated_text.h"
#include "tessera/pipeline/verbs/search/variants/target_cost.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Leaves shardings to arguments, results and constraints; propagation made the latter copies.
void KeepWhatTheUserMaySay(hlo::Module* module) {
  using hlo::AttributeName;
  for (hlo::InstructionId id = 0; id < module->num_instructions(); ++id) {
    if (!module->HasAttribute(id, AttributeName::kSharding)) continue;
    const hlo::Instruction& instruction = module->instruction(id);
    const bool is_border =
        instruction.computation == module->entry_id() &&
        (instruction.opcode == hlo::Opcode::kParameter || id == module->entry().root);
    if (instruction.opcode == hlo::Opcode::kCopy) {
      module->mutable_instruction(id).opcode = hlo::Opcode::kCustomCall;
      module->SetAttribute(id, AttributeName::kCustomCallTarget, "\"Sharding\"");
    } else if (!is_border && instruction.opcode != hlo::Opcode::kCustomCall) {
      module->RemoveAttribute(id, AttributeName::kSharding);
    }
  }
}

// As the user would lower it; none where that text is not to be had, or the file has other modules too.
std::optional<hlo::Module> Lowered(const hlo::Module& read, const Variant& variant) {
  absl::StatusOr<std::string> text = AnnotatedText(read, variant);
  if (!text.ok()) return std::nullopt;
  auto module = hlo::ParseModule(text::Source::FromBuffer("<variant>", *std::move(text)));
  if (!module.ok()) return std::nullopt;
  return *std::move(module);
}

absl::StatusOr<hlo::Module> ProgramOf(const VariantCosts& costs, const hlo::Module& read,
                                      const Variant& variant) {
  std::optional<hlo::Module> lowered = Lowered(read, variant);
  if (lowered.has_value()) return *std::move(lowered);
  TESSERA_ASSIGN_OR_RETURN(hlo::Module module, costs.Sharded(variant));
  KeepWhatTheUserMaySay(&module);
  return module;
}

absl::StatusOr<cost::StepCost> CostOfProgram(const CompiledProgram& program,
                                             const target::Target& target,
                                             const cost::CallCosts& calls) {
  TESSERA_ASSIGN_OR_RETURN(const hlo::Module module,
                           hlo::ParseModule(text::Source::FromBuffer("<compiled>", program.text)));
  TESSERA_ASSIGN_OR_RETURN(const auto standing, target::FindStanding(module));
  cost::StepOptions options;
  options.takes_estimates = true;
  options.calls = calls;
  TESSERA_ASSIGN_OR_RETURN(const cost::TargetStep step,
                           cost::StepOnTarget(module, standing, target, options));
  StepMeasures reported;
  TakeReport(program.memory, &reported);
  cost::StepCost cost = CostOfTargetStep(step);
  cost.memory = reported.peak.value_or(0);
  return cost;
}

absl::string_view FirstLineOf(absl::string_view text) { return text.substr(0, text.find('\n')); }

std::string Cells(const absl::StatusOr<cost::StepCost>& cost) {
  if (!cost.ok()) return absl::StrFormat("%10s %12s %12s", "refused", "", "");
  return absl::StrFormat("%10s %12s %12s", TimeText(*cost), layout::FormatBytes(cost->memory),
                         layout::FormatBytes(cost->sent));
}

}  // namespace

std::vector<Flag> ConfirmFlags() {
  std::vector<Flag> flags = CompilerFlags();
  flags.insert(flags.begin(),
               {"confirm", "N",
                "compile the best N by the real compiler, as `tessera confirm` does, "
                "and show its numbers too",
                "0"});
  return flags;
}

absl::StatusOr<int64_t> ReadConfirm(const Arguments& arguments,
                                    const std::optional<TargetChoice>& target) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t count, arguments.Count("confirm", 0, "variants"));
  if (count > 0 && !target.has_value()) {
    return absl::InvalidArgumentError(
        "--confirm needs --target=CHIP:TOPOLOGY, of a TPU or a GPU: whose compiler is asked");
  }
  return count;
}

absl::StatusOr<Confirmed> Confirm(const VariantCosts& costs, const hlo::Module& read,
                                  std::vector<ConfirmedRow> rows, const TargetChoice& target,
                                  const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(CompilerQuestion question, ReadQuestion(target.target, arguments));
  Confirmed confirmed;
  confirmed.rows = std::move(rows);
  for (ConfirmedRow& row : confirmed.rows) {
    const auto module = ProgramOf(costs, read, row.variant);
    if (!module.ok()) {
      row.compiled = module.status();
      continue;
    }
    TESSERA_RETURN_IF_ERROR(AskAbout(*module, target.target.num_devices(), &question));
    TESSERA_ASSIGN_OR_RETURN(const Compiled compiled,
                             CompileOrFind(question, !arguments.Has("no-cache")));
    confirmed.note = absl::StrCat(compiled.answer.program.warning, "note: compiled by ",
                                  compiled.versions, "\n");
    const std::string& refusal = compiled.answer.refusal;
    row.compiled = refusal.empty()
                       ? CostOfProgram(compiled.answer.program, target.target, costs.calls())
                       : absl::InvalidArgumentError(FirstLineOf(refusal));
  }
  return confirmed;
}

std::optional<size_t> FastestCompiled(const Confirmed& confirmed) {
  std::optional<size_t> best;
  for (size_t k = 0; k < confirmed.rows.size(); ++k) {
    const auto& compiled = confirmed.rows[k].compiled;
    if (!compiled.ok()) continue;
    if (!best.has_value() || compiled->seconds() < confirmed.rows[*best].compiled->seconds()) {
      best = k;
    }
  }
  return best;
}

std::string ConfirmedText(const Confirmed& confirmed) {
  std::string out =
      absl::StrFormat("\nthe real compiler\n%36s   %36s\n%10s %12s %12s   %10s %12s %12s\n",
                      "predicted", "compiled", "time", "memory", "sent", "time", "memory", "sent");
  for (const ConfirmedRow& row : confirmed.rows) {
    absl::StrAppend(&out, Cells(row.predicted), "   ", Cells(row.compiled), "  ", row.what, "\n");
    if (!row.compiled.ok()) absl::StrAppend(&out, "    ", row.compiled.status().message(), "\n");
  }
  const std::optional<size_t> best = FastestCompiled(confirmed);
  if (best.has_value()) {
    absl::StrAppend(&out, "fastest by the compiler: ", confirmed.rows[*best].what, "\n");
  }
  return out;
}

void FillConfirmed(const Confirmed& confirmed, answers::SuggestAnswer* answer) {
  for (const ConfirmedRow& row : confirmed.rows) {
    answers::ConfirmedVariant* one = answer->add_confirmed();
    one->set_what(row.what);
    FillOutcome(row.predicted, /*timed=*/true, one->mutable_predicted());
    FillOutcome(row.compiled, /*timed=*/true, one->mutable_compiled());
  }
}

}  // namespace tessera::pipeline
