#include "tessera/pipeline/passes/lines/implied_lines.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/unique_names.h"

namespace tessera::pipeline::passes {
namespace {

using hlo::InstructionId;

hlo::PrintOptions LineForm(bool percent) {
  hlo::PrintOptions form = hlo::PrintOptions::Default();
  form.large_constants = true;
  form.load_like_xla = false;
  form.percent = percent;
  return form;
}

// Implied instructions have names that lines may have, too.
hlo::Module WithUniqueNames(const hlo::Module& module) {
  hlo::Module named = module;
  hlo::UniqueNames names;
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!module.instruction(id).is_implied) (void)names.Unique(module.instruction(id).name);
  }
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const hlo::Instruction& i = module.instruction(id);
    if (i.is_implied) named.SetName(id, names.Unique(i.name));
  }
  return named;
}

// The list of a computation has implied instructions in front of the first line that reads them.
void AddLines(const hlo::Module& module, const hlo::Module& named, const hlo::Computation& c,
              hlo::Editor* edit) {
  const hlo::PrintOptions form = LineForm(edit->Spell("") == "%");
  std::vector<std::string> lines;
  for (InstructionId id : c.instructions) {
    if (module.instruction(id).is_implied) {
      lines.push_back(hlo::PrintInstruction(named, id, form));
      continue;
    }
    for (const std::string& line : lines) edit->InsertBefore(id, absl::StrCat("  ", line));
    lines.clear();
    const auto operands = module.operands(id);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (!module.instruction(operands[k]).is_implied) continue;
      edit->ReplaceOperand(id, k, edit->Spell(named.instruction(operands[k]).name));
    }
  }
}

}  // namespace

bool IsSingleInstruction(const hlo::Module& module) { return module.entry().body_close == 0; }

absl::StatusOr<hlo::Module> WithAllLines(const hlo::Module& module) {
  constexpr char kFile[] = "<with all lines>";
  if (IsSingleInstruction(module)) {
    return hlo::ParseModule(hlo::PrintModule(module, LineForm(true)), kFile);
  }
  const hlo::Module named = WithUniqueNames(module);
  hlo::Editor edit(module);
  for (hlo::ComputationId id = 0; id < module.num_computations(); ++id) {
    const hlo::Computation& c = module.computation(id);
    if (!c.removed && !c.is_async_wrapper) AddLines(module, named, c, &edit);
  }
  auto whole = hlo::ParseModule(edit.Apply(), kFile);
  if (!whole.ok()) return whole;
  for (hlo::ComputationId id = 0; id < module.num_computations(); ++id) {
    whole->mutable_computation(id).names_elements = module.computation(id).names_elements;
  }
  return whole;
}

}  // namespace tessera::pipeline::passes
