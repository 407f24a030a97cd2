#include "tessera/pipeline/passes/clean_up.h"

#include <utility>
#include <vector>

#include "tessera/hlo/builder.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/passes/clone_limit.h"
#include "tessera/pipeline/passes/hidden_elements.h"
#include "tessera/pipeline/passes/kept_lines.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline::passes {
namespace {

// A quick look: is there anything that a pass could be about? Most modules have been cleaned.
bool MayNeedCleanUp(const hlo::Module& module) {
  std::vector<bool> is_named(module.num_computations(), false);
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (IsPlacementMark(module, id) || IsInlinedCall(module, id) ||
        IsLooseConditional(module, id)) {
      return true;
    }
    const layout::Shape& shape = module.shape(id);
    const bool is_constant = module.instruction(id).opcode == hlo::Opcode::kConstant;
    if (!is_constant && shape.is_array() && shape.NumElements() == 0) return true;
    for (hlo::ComputationId called : module.called(id)) {
      if (is_named[called]) return true;
      is_named[called] = true;
    }
  }
  return false;
}

bool RunPasses(hlo::Module* module) {
  hlo::Builder builder(module);
  AddHiddenElements(&builder);
  bool changed = RemovePlacementMarks(&builder);
  changed |= FlattenCalls(&builder);
  changed |= InlineCalls(&builder);
  changed |= RemoveZeroSized(&builder);
  changed |= CanonicalizeConditionals(&builder);
  return changed;
}

// The changed module with a source text of its own.
absl::StatusOr<hlo::Module> WithOwnText(const hlo::Module& before, const hlo::Module& changed) {
  return hlo::ParseModule(TextKeepingLines(before, changed), "<cleaned>");
}

}  // namespace

absl::StatusOr<std::optional<hlo::Module>> CleanUp(const hlo::Module& module) {
  if (!MayNeedCleanUp(module)) return std::optional<hlo::Module>();
  TESSERA_RETURN_IF_ERROR(CheckClones(module));
  hlo::Module copy = module;
  if (!RunPasses(&copy)) return std::optional<hlo::Module>();
  auto parsed = WithOwnText(module, copy);
  if (!parsed.ok()) return parsed.status();
  return std::optional<hlo::Module>(*std::move(parsed));
}

absl::StatusOr<hlo::Module> SeparateCalls(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(CheckClones(module));
  hlo::Module copy = module;
  hlo::Builder builder(&copy);
  FlattenCalls(&builder);
  return WithOwnText(module, copy);
}

}  // namespace tessera::pipeline::passes
