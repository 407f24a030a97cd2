#include "tessera/testing/rules/rule_of_text.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/rules/hlo_op_view.h"

namespace tessera::sharding::rules {
namespace {

// Splits at commas outside all brackets.
std::vector<absl::string_view> SplitOperands(absl::string_view text) {
  std::vector<absl::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' || text[i] == '{' || text[i] == '(';
    depth -= text[i] == ']' || text[i] == '}' || text[i] == ')';
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  if (!text.empty()) parts.push_back(text.substr(begin));
  return parts;
}

// The place of the bracket that closes the one at `open`.
size_t Closing(absl::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(';
    depth -= text[i] == ')';
    if (depth == 0) return i;
  }
  return text.size();
}

std::string RuleOfOp(const hlo::Module& module, const RuleMode& mode) {
  const HloOpView view(module, module.FindInstruction("op"));
  const std::optional<factors::OpShardingRule> rule = DeriveRule(view.get(), mode);
  return rule ? factors::RuleToString(*rule) : "none";
}

// The module without those attributes of `op` that the row of its opcode does not name.
hlo::Module WithAttributesOfRow(hlo::Module module) {
  const hlo::InstructionId op = module.FindInstruction("op");
  const absl::Span<const hlo::AttributeName> read = AttributesRead(module.instruction(op).opcode);
  std::vector<hlo::AttributeName> others;
  for (const hlo::Attribute& attribute : module.attributes(op)) {
    if (!absl::c_linear_search(read, attribute.name())) others.push_back(attribute.name());
  }
  for (const hlo::AttributeName name : others) module.RemoveAttribute(op, name);
  return module;
}

}  // namespace

std::string RuleOfOpIn(absl::string_view body, absl::string_view computations,
                       const RuleMode& mode) {
  const absl::StatusOr<hlo::Module> module =
      hlo::ParseModule(absl::StrCat("HloModule m\n", computations, "\nENTRY e {\n", body, "\n}\n"));
  if (!module.ok()) return std::string(module.status().message());
  const std::string rule = RuleOfOp(*module, mode);
  // RuleRegistry would give the rule of another instruction.
  if (const std::string of_row = RuleOfOp(WithAttributesOfRow(*module), mode); of_row != rule) {
    return absl::StrCat(rule, " reads an attribute that its row in rules.cc lacks: ", of_row);
  }
  return rule;
}

std::string RuleOf(absl::string_view instruction, absl::string_view computations,
                   const RuleMode& mode) {
  // A tuple shape opens with a bracket, too.
  const size_t end_of_shape = instruction[0] == '(' ? Closing(instruction, 0) : 0;
  const size_t open = instruction.find('(', end_of_shape);
  const size_t close = Closing(instruction, open);
  std::string body;
  std::string names;
  int n = 0;
  for (absl::string_view shape : SplitOperands(instruction.substr(open + 1, close - open - 1))) {
    absl::StrAppend(&body, "p", n, " = ", shape, " parameter(", n, ")\n");
    absl::StrAppend(&names, n == 0 ? "" : ", ", "p", n);
    ++n;
  }
  absl::StrAppend(&body, "ROOT op = ", instruction.substr(0, open + 1), names,
                  instruction.substr(close));
  return RuleOfOpIn(body, computations, mode);
}

}  // namespace tessera::sharding::rules
