#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/lint/forms/forms.h"
#include "tessera/pipeline/lint/lint.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/lint/lint_input.h"
#include "tessera/target/target.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using lint::LintReport;

struct Form {
  absl::string_view name;
  std::string (*write)(const LintReport& report);
};
constexpr Form kForms[] = {{"text", lint::LintText},
                           {"json", lint::LintJson},
                           {"sarif", lint::LintSarif},
                           {"github", lint::LintGithub}};

absl::StatusOr<const Form*> ReadForm(const Arguments& arguments) {
  const std::string name = arguments.Has("json") ? "json" : arguments.Get("format");
  for (const Form& form : kForms) {
    if (form.name == name) return &form;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--format=", name, ": expected text, json, sarif or github"));
}

absl::StatusOr<double> ReadFactor(const Arguments& arguments, absl::string_view flag) {
  double factor = 0;
  if (absl::SimpleAtod(arguments.Get(flag), &factor) && factor >= 1) return factor;
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", arguments.Get(flag),
                                                 ": expected a factor of 1 or more, as in 1.5"));
}

absl::StatusOr<lint::LintOptions> ReadLintOptions(const Arguments& arguments) {
  lint::LintOptions options;
  for (const lint::Rule& rule : lint::Rules()) {
    const std::string flag(rule.budget_flag);
    if (arguments.Get(flag).empty()) continue;
    lint::Budget& budget = options.budgets[std::string(rule.id)];
    budget.is_users = arguments.Has(flag);
    if (rule.unit == lint::Unit::kFactor) {
      TESSERA_ASSIGN_OR_RETURN(budget.amount, ReadFactor(arguments, flag));
    } else {
      TESSERA_ASSIGN_OR_RETURN(const int64_t bytes, ReadBytes(arguments, flag));
      budget.amount = static_cast<double>(bytes);
    }
  }
  for (const std::string& text : arguments.All("ignore")) {
    TESSERA_ASSIGN_OR_RETURN(lint::Ignored ignored, lint::ParseIgnored(text));
    options.ignored.push_back(std::move(ignored));
  }
  return options;
}

absl::StatusOr<std::optional<target::Target>> ReadTargetOf(const Arguments& arguments) {
  if (!arguments.Has("target")) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(target::Target target, target::ParseTarget(arguments.Get("target")));
  return target;
}

struct Question {
  ShardOptions options;
  lint::LintOptions lint;
  std::string memory_limit_of;  // what the memory is held against
  std::optional<target::Target> target;
  const Form* form = nullptr;
};

// The memory of the chip, as far as it is known, is a default: a program above it is warned of.
void LimitByTarget(Question* question) {
  const int64_t usable = cost::UsableMemory(*question->target);
  if (usable == 0) return;
  question->lint.budgets["memory-limit"] = {static_cast<double>(usable), /*is_users=*/false};
  question->memory_limit_of = std::string(question->target->chip->name);
}

absl::StatusOr<Question> ReadQuestion(const Arguments& arguments) {
  Question question;
  TESSERA_ASSIGN_OR_RETURN(question.options, ReadPropagationOptions(arguments));
  TESSERA_ASSIGN_OR_RETURN(question.lint, ReadLintOptions(arguments));
  TESSERA_ASSIGN_OR_RETURN(question.target, ReadTargetOf(arguments));
  TESSERA_ASSIGN_OR_RETURN(question.form, ReadForm(arguments));
  question.memory_limit_of = absl::StrCat("--memory-limit=", arguments.Get("memory-limit"));
  if (question.target.has_value() && !arguments.Has("memory-limit")) LimitByTarget(&question);
  return question;
}

VerbResult Write(const Arguments& arguments, const Form& form, const LintReport& report,
                 std::string notes) {
  if (!arguments.Has("json")) return Done(form.write(report), std::move(notes));
  return InBothForms(
      arguments, [&] { return lint::LintJson(report); }, [&] { return lint::LintText(report); },
      std::move(notes));
}

// In the commands of the fixes; those of verbs that answer for a target have it, too; `reshards` tries annotations without one, and `suggest`
// needs one.
void NameFile(const Arguments& arguments, const std::string& file,
              std::vector<lint::Finding>* findings) {
  const std::string target =
      arguments.Has("target") ? absl::StrCat(" --target=", arguments.Get("target")) : "";
  for (lint::Finding& finding : *findings) {
    absl::StrReplaceAll(
        {{"tessera explain FILE", absl::StrCat("tessera explain ", file, target)},
         {"tessera memory FILE", absl::StrCat("tessera memory ", file, target)},
         {"tessera suggest FILE",
          absl::StrCat("tessera suggest ", file,
                       target.empty() ? " --target=CHIP:TOPOLOGY" : target)},
         {"tessera collectives FILE", absl::StrCat("tessera collectives ", file, target)},
         {" FILE", absl::StrCat(" ", file)}},
        &finding.fix);
  }
}

VerbResult RunLint(const Arguments& arguments) {
  const auto question = ReadQuestion(arguments);
  if (!question.ok()) return BadInput(question.status());
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(LintInput input, GatherLint(std::move(module), arguments,
                                                         question->options, question->target));
    TESSERA_RETURN_IF_ERROR(lint::CheckJudged(input.program, question->lint));
    std::string notes = absl::StrJoin(input.notes, "");
    if (!input.program.partitioned.ok()) {
      absl::StrAppend(&notes,
                      "note: without collectives and memory: ", input.program.partitioned.message(),
                      "\n");
    }
    input.program.memory_limit_of = question->memory_limit_of;
    const std::string root = arguments.Has("source-root") ? arguments.Get("source-root") : ".";
    LintReport report = {arguments.positional(0), root, lint::Lint(input.program, question->lint)};
    NameFile(arguments, report.file, &report.findings);
    VerbResult result = Write(arguments, *question->form, report, std::move(notes));
    const bool fails =
        lint::NumErrors(report) > 0 || (arguments.Has("strict") && !report.findings.empty());
    if (fails) result.exit = Exit::kFinding;
    return result;
  });
}

// The budgets, from the table of rules.
std::vector<Flag> BudgetFlags() {
  std::vector<Flag> flags;
  for (const lint::Rule& rule : lint::Rules()) {
    flags.push_back(
        {std::string(rule.budget_flag), rule.unit == lint::Unit::kBytes ? "BYTES" : "FACTOR",
         absl::StrCat(rule.id, ": ", rule.summary), std::string(rule.default_budget), false});
  }
  return flags;
}

}  // namespace

Verb LintVerb() {
  Verb verb;
  verb.name = "lint";
  verb.summary = "findings with a fix each, against budgets; for CI";
  verb.description =
      "Prints the findings of a sharded program. Each has a line with its place in the user's "
      "program, severity, rule and bytes, and a line with a fix to try. Each rule has a budget. A "
      "finding above a default budget is a warning. One above a budget of a flag or of "
      "tessera.toml is an error, and makes the exit status 1. Collectives and memory are those of "
      "`tessera collectives` and `tessera memory`: with --target, of the compiler of that machine. "
      "--format=sarif is for code scanning, --format=github for annotations of a pull request. See "
      "docs/ci.md.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = {{"format", "text|json|sarif|github", "the form of the findings", "text", false}};
  for (Flag& flag : BudgetFlags()) verb.flags.push_back(std::move(flag));
  verb.flags.push_back(
      {"target", "CHIP:TOPOLOGY",
       "the machine whose collectives and memory count; on a TPU, sizes include padding", "",
       false});
  verb.flags.push_back({"ignore", "RULE[:REGEX]",
                        "leave out the findings of a rule, or those whose name, place or message "
                        "has a match",
                        "", true});
  verb.flags.push_back({"strict", "", "exit status 1 also for a warning", "", false});
  verb.flags.push_back({"source-root", "FOLDER",
                        "the root of the sources, from which places count; default: this folder",
                        "", false});
  for (Flag& flag : PropagationFlags()) verb.flags.push_back(std::move(flag));
  AddAsIsFlag(&verb);
  verb.flags.push_back(ModuleFlag());
  verb.flags.push_back({"json", "", "as --format=json", "", false});
  verb.conflicts = {{"json", {"format"}}};
  verb.examples = {
      {"tessera lint step.hlo", "warnings above the default budgets"},
      {"tessera lint step.hlo --max-replicated=1GiB --memory-limit=16GiB",
       "fails a build above these budgets"},
      {"tessera lint step.hlo --format=sarif -o step.sarif", "for code scanning"},
      {"tessera lint step.hlo --ignore=loop-gather:attention", "without the gathers of one layer"},
  };
  verb.run = RunLint;
  return verb;
}

}  // namespace tessera::pipeline
