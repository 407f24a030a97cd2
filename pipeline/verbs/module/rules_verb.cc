#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/reference_flag.h"
#include "tessera/pipeline/input/module_notes.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/pipeline/input/named_module.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/rules_answer.pb.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/factors/rule_picture.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/hlo_op_view.h"
#include "tessera/sharding/rules/no_rule.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::rules::IsTakenOut;
using sharding::rules::NoRule;
using sharding::rules::RuleRegistry;

struct Line {
  hlo::InstructionId instruction = hlo::kNoId;
  std::optional<std::string> rule;
  std::string picture;  // with --table
  NoRule why_none = NoRule::kStopsPropagation;
  std::string older_reference;  // that has no rule, where the newest has one
};

absl::Status AddUserRules(const Arguments& arguments, RuleRegistry* book) {
  TESSERA_ASSIGN_OR_RETURN(const UserRules rules, ReadRules(arguments));
  for (const auto& [target, rule] : rules) TESSERA_RETURN_IF_ERROR(book->AddText(target, rule));
  return absl::OkStatus();
}

NoRule WhyNoRule(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::Opcode opcode = module.instruction(id).opcode;
  return opcode == hlo::Opcode::kCustomCall
             ? sharding::rules::WhyNoRuleOf(hlo::GetCustomCallTarget(module, id))
             : sharding::rules::WhyNoRule(opcode);
}

// Operands by their names, results by the instruction's, numbered where there are several.
std::vector<std::string> TensorNames(const hlo::Module& module, hlo::InstructionId id,
                                     const sharding::factors::OpShardingRule& rule) {
  std::vector<std::string> names;
  for (const hlo::InstructionId operand : module.operands(id)) {
    names.emplace_back(module.instruction(operand).name);
  }
  names.resize(static_cast<size_t>(rule.num_operands()), "operand");
  for (int k = 0; k < rule.num_results(); ++k) {
    names.push_back(absl::StrCat(module.instruction(id).name,
                                 rule.num_results() == 1 ? "" : absl::StrCat("{", k, "}")));
  }
  return names;
}

absl::StatusOr<Line> MakeLine(const hlo::Module& module, hlo::InstructionId id, bool pictures,
                              RuleRegistry* book) {
  Line line;
  line.instruction = id;
  line.why_none = WhyNoRule(module, id);
  if (line.why_none != NoRule::kStopsPropagation) return line;
  const sharding::rules::HloOpView view(module, id);
  const absl::StatusOr<sharding::factors::RuleId> rule = book->RuleOf(view.get());
  if (!rule.ok() && text::ErrorOffset(rule.status()) > 0 && module.text() != nullptr) {
    return text::Located(rule.status(), *module.text());
  }
  TESSERA_RETURN_IF_ERROR(rule.status());
  if (*rule != sharding::factors::kNoRule) {
    const sharding::factors::OpShardingRule& found = book->table()[*rule];
    line.rule = sharding::factors::RuleToString(found);
    if (pictures) {
      line.picture = sharding::factors::RulePicture(found, TensorNames(module, id, found));
    }
  }
  return line;
}

// Instructions to show: those of the names given, or all that are ops of propagation.
class Selection {
 public:
  // Named alone, all of that name are meant; as COMPUTATION/NAME one. NotFound for a name that fits
  // nothing.
  static absl::StatusOr<Selection> Of(const NamedModule& named) {
    Selection selection;
    selection.has_all_ = named.names.empty();
    for (const std::string& name : named.names) {
      const std::vector<hlo::InstructionId> found = FindAllNamed(named.module, name);
      if (found.empty()) return NoInstruction(named.module, name);
      selection.chosen_.insert(found.begin(), found.end());
    }
    return selection;
  }

  bool Has(hlo::InstructionId id) const { return has_all_ || chosen_.contains(id); }
  bool Shows(const Line& line) const {
    return !has_all_ || line.rule || line.why_none == NoRule::kStopsPropagation ||
           IsTakenOut(line.why_none);
  }

 private:
  bool has_all_ = true;
  absl::flat_hash_set<hlo::InstructionId> chosen_;
};

absl::StatusOr<std::vector<Line>> MakeLines(const NamedModule& named, const Arguments& arguments) {
  const hlo::Module& module = named.module;
  sharding::factors::RuleTable table;
  TESSERA_ASSIGN_OR_RETURN(const auto reference, ReadReference(arguments));
  sharding::rules::RuleMode mode;
  mode.conservative = arguments.Has("conservative");
  RuleRegistry newest(&table, mode);
  mode.behaviors = reference.behaviors;
  RuleRegistry book(&table, mode);
  TESSERA_RETURN_IF_ERROR(AddUserRules(arguments, &book));
  TESSERA_ASSIGN_OR_RETURN(const Selection selection, Selection::Of(named));
  std::vector<Line> lines;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    for (hlo::InstructionId id : module.computation(c).instructions) {
      if (!selection.Has(id)) continue;
      TESSERA_ASSIGN_OR_RETURN(Line line, MakeLine(module, id, arguments.Has("table"), &book));
      if (!line.rule) {
        TESSERA_ASSIGN_OR_RETURN(const Line now, MakeLine(module, id, false, &newest));
        if (now.rule) line.older_reference = reference.version;
      }
      if (selection.Shows(line)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

// An unknown custom call can be given a rule.
std::string WhyNone(const hlo::Module& module, const Line& line) {
  if (!line.older_reference.empty()) {
    return absl::StrCat("no sharding passes: jaxlib ", line.older_reference, " has no rule for ",
                        hlo::OpcodeName(module.instruction(line.instruction).opcode));
  }
  const std::string target = hlo::GetCustomCallTarget(module, line.instruction);
  if (line.why_none != NoRule::kStopsPropagation || target.empty()) {
    return std::string(sharding::rules::NoRuleText(line.why_none));
  }
  return absl::StrCat("no sharding passes: no rule is known for the custom call '", target,
                      "'; --rule=", target, "=.. gives one");
}

std::string AsText(const hlo::Module& module, const std::vector<Line>& lines) {
  std::string out;
  for (const Line& line : lines) {
    absl::StrAppend(&out, module.instruction(line.instruction).name, ": ");
    if (line.rule) {
      absl::StrAppend(&out, *line.rule, "\n", line.picture);
    } else {
      absl::StrAppend(&out, "none (", WhyNone(module, line), ")\n");
    }
  }
  return out;
}

void AddTo(answers::RulesAnswer* answer, const hlo::Module& module,
           const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    const hlo::Instruction& instruction = module.instruction(line.instruction);
    answers::InstructionRule* rule = answer->add_instructions();
    rule->set_name(std::string(instruction.name));
    rule->set_computation(std::string(module.computation(instruction.computation).name));
    rule->set_opcode(std::string(hlo::OpcodeName(instruction.opcode)));
    if (line.rule) {
      rule->set_rule(*line.rule);
    } else {
      rule->set_why_none(WhyNone(module, line));
    }
  }
}

VerbResult RunRules(const Arguments& arguments) {
  return OnModule(arguments, [&](hlo::Module read) -> absl::StatusOr<VerbResult> {
    const std::vector<std::string>& words = arguments.positionals();
    TESSERA_ASSIGN_OR_RETURN(
        const std::vector<NamedModule> found,
        FindModulesOfNames(std::move(read), absl::MakeConstSpan(words).subspan(1)));
    std::string out, notes;
    answers::RulesAnswer answer;
    for (const NamedModule& named : found) {
      TESSERA_ASSIGN_OR_RETURN(const std::vector<Line> lines, MakeLines(named, arguments));
      absl::StrAppend(&out, AsText(named.module, lines));
      AddTo(&answer, named.module, lines);
      absl::StrAppend(&notes, named.note);
    }
    TESSERA_ASSIGN_OR_RETURN(const UserRules rules, ReadRules(arguments));
    return Done(arguments.Has("json") ? text::JsonOf(answer) + "\n" : out,
                notes + NoteOnRules(found.front().module, rules));
  });
}

}  // namespace

Verb RulesVerb() {
  Verb verb;
  verb.name = "rules";
  verb.summary = "the sharding rule of each instruction";
  verb.description =
      "Prints NAME: RULE for each instruction, or the reason why it has no rule. A rule names "
      "the factors (i, j, k, ...) that operands and results share; shardings propagate along "
      "them. Without NAME, it lists the instructions as they are written. A NAME that exists only "
      "after calls are inlined is found, too, with a note.";
  verb.positionals = {{"FILE", kFileHelp},
                      {"NAME",
                       "instructions to show: a name, COMPUTATION/NAME, an op_name, FILE.py:LINE "
                       "or a pattern; all without",
                       true, true}};
  verb.flags = {
      RuleFlag(),
      {"conservative", "", "rules that never shard unevenly, as under automatic partitioning", ""},
      ReferenceFlag(),
      ModuleFlag(),
      {"table", "", "print a table of factors by operands and results below each rule", ""},
      {"json", "", "the answer as JSON", ""},
  };
  verb.conflicts = {{"table", {"json"}}};
  verb.examples = {
      {"tessera rules step.hlo", "all rules"},
      {"tessera rules step.hlo dot.7 --table", "one rule, with a row for each factor"},
      {"tessera rules step.hlo dot.7 --rule=flip='([i, j])->([j, i])'", "one rule, defined by you"},
  };
  verb.run = RunRules;
  return verb;
}

}  // namespace tessera::pipeline
