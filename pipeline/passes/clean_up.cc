#include "tessera/pipeline/passes/clean_up.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/call_limits.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/unread_module.h"
#include "tessera/pipeline/passes/hidden_elements.h"
#include "tessera/pipeline/passes/lines/kept_lines.h"
#include "tessera/pipeline/passes/passes.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline::passes {
namespace {

using sharding::passes::Context;
using sharding::passes::ModuleEdits;
using sharding::passes::Phase;
using sharding::passes::Pipeline;

// Whether some pass could change the instruction, as far as its opcode has such passes.
bool IsMarkOrCall(const hlo::Module& module, hlo::InstructionId id) {
  switch (module.instruction(id).opcode) {
    case hlo::Opcode::kCustomCall:
      return IsPlacementMark(module, id);
    case hlo::Opcode::kCall:
      return IsInlinedCall(module, id);
    case hlo::Opcode::kConditional:
      return IsLooseConditional(module, id);
    default:
      return false;
  }
}

// A quick look: is there anything that a pass could be about? Most modules have been cleaned, and
// a module with a schedule is after all passes.
bool MayNeedCleanUp(const hlo::Module& module) {
  if (module.header().is_scheduled) return false;
  std::vector<bool> is_named(module.num_computations(), false);
  std::vector<bool> is_empty(module.num_shapes());
  for (hlo::ShapeId id = 0; id < module.num_shapes(); ++id) {
    const layout::Shape& shape = module.interned_shape(id);
    is_empty[id] = shape.is_array() && shape.NumElements() == 0;
  }
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (IsMarkOrCall(module, id)) return true;
    const bool is_constant = module.instruction(id).opcode == hlo::Opcode::kConstant;
    if (is_empty[module.shape_id(id)] && !is_constant) return true;
    for (hlo::ComputationId called : module.called(id)) {
      if (is_named[called]) return true;
      is_named[called] = true;
    }
  }
  return false;
}

// "step.hlo (cleaned)".
std::string NameOfCleaned(const std::optional<hlo::UnreadModule>& before) {
  const auto text = before.has_value() ? before->text() : nullptr;
  return absl::StrCat(text == nullptr ? "module" : text->name(), " (cleaned)");
}

// The changed module with a source text of its own. The one that was changed goes before the text
// is read: the two need not be in memory together.
absl::StatusOr<hlo::Module> WithOwnText(std::unique_ptr<ModuleEdits> edits) {
  std::string name = NameOfCleaned(edits->before);
  ModuleEdits::TextOf text_of = std::move(edits->text);
  hlo::Module changed = std::move(edits->module);
  edits = nullptr;
  std::string text = text_of(std::move(changed));
  text_of = nullptr;
  return hlo::ParseModule(text::Source::FromBuffer(std::move(name), std::move(text)));
}

std::unique_ptr<ModuleEdits> EditsOf(hlo::Module module) {
  const auto lines = std::make_shared<const KeptLines>(module);
  return std::make_unique<ModuleEdits>(std::move(module), [lines](hlo::Module changed) {
    return lines->TextOf(std::move(changed));
  });
}

// The module of edits that changed nothing, without the elements that were added for them.
hlo::Module WithoutEdits(const ModuleEdits& edits) {
  hlo::Module module = edits.before.Read();
  for (hlo::ComputationId id = 0; id < module.num_computations(); ++id) {
    module.mutable_computation(id).names_elements = edits.module.computation(id).names_elements;
  }
  return module;
}

// Whether the module is within the limit without clean-ups: the pass follows these alone.
bool FitsAsItIs(const hlo::Module& module) {
  const auto is_followed = [&](hlo::InstructionId id) {
    const hlo::Opcode opcode = module.instruction(id).opcode;
    return opcode == hlo::Opcode::kCall || opcode == hlo::Opcode::kWhile ||
           opcode == hlo::Opcode::kConditional;
  };
  return hlo::CheckUnfolded(module, is_followed, "").ok();
}

// How large the module becomes when every caller gets a computation of its own, counted before
// anything is copied. The errors of hlo/call_limits.h.
absl::Status CheckClones(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(hlo::CheckNesting(module));
  const auto is_followed = [](hlo::InstructionId) { return true; };
  if (hlo::CheckUnfolded(module, is_followed, "").ok()) return absl::OkStatus();
  return hlo::CheckUnfolded(
      module, is_followed,
      absl::StrCat("with a copy of each computation for each of its callers, as XLA makes them "
                   "before the pass",
                   FitsAsItIs(module) ? " (--stage=pass takes the module as it is)" : "",
                   ", the module"));
}

// Takes the module to change it, if there is anything to do.
absl::Status Begin(Context& c) {
  if (!MayNeedCleanUp(c.module)) return absl::OkStatus();
  TESSERA_RETURN_IF_ERROR(CheckClones(c.module));
  c.edits = EditsOf(std::move(c.module));
  AddHiddenElements(&c.edits->builder);
  return absl::OkStatus();
}

absl::Status End(Context& c) {
  std::unique_ptr<ModuleEdits> edits = std::move(c.edits);
  if (edits == nullptr) return absl::OkStatus();
  if (!edits->changed) {
    c.module = WithoutEdits(*edits);
    return absl::OkStatus();
  }
  c.original = edits->before;
  TESSERA_ASSIGN_OR_RETURN(c.module, WithOwnText(std::move(edits)));
  c.original->KeepBeside(c.module.text());
  return absl::OkStatus();
}

std::function<absl::Status(Context&)> OnEdits(std::function<bool(hlo::Builder*)> change) {
  return [change = std::move(change)](Context& c) {
    if (c.edits != nullptr) c.edits->changed |= change(&c.edits->builder);
    return absl::OkStatus();
  };
}

sharding::passes::Pass KeepCallees(size_t least) {
  return {"keep-shared-callees", Phase::kCleanUp, "-", "marks calls that stay",
          OnEdits([least](hlo::Builder* builder) { return KeepSharedCallees(builder, least); })};
}

}  // namespace

Pipeline CleanUpPasses(std::optional<size_t> kept_from) {
  constexpr Phase kCleanUp = Phase::kCleanUp;
  Pipeline passes = {
      {"begin-clean-up", kCleanUp, "-", "checks if a clean-up is needed", Begin},
      {"strip-memory-placement-annotations", kCleanUp, "strip-memory-placement-annotations",
       "removes annotations of host and device memory", OnEdits(RemovePlacementMarks)},
      {"flatten-call-graph", kCleanUp, "flatten-call-graph",
       "gives each caller its own computation", OnEdits(FlattenCalls)},
      {"call-inliner", kCleanUp, "call-inliner",
       "inlines calls, except bodies of shard_maps and calls that are not inlineable",
       OnEdits(InlineCalls)},
      {"zero_sized_hlo_elimination", kCleanUp, "zero_sized_hlo_elimination",
       "replaces arrays without elements by constants", OnEdits(RemoveZeroSized)},
      {"conditional-canonicalizer", kCleanUp, "conditional-canonicalizer",
       "makes branches take and return tuples", OnEdits(CanonicalizeConditionals)},
      {"end-clean-up", kCleanUp, "-", "prints and parses a changed module", End},
  };
  if (kept_from.has_value()) passes.insert(passes.begin() + 1, KeepCallees(*kept_from));
  return passes;
}

absl::StatusOr<std::optional<hlo::Module>> CleanUp(const hlo::Module& module,
                                                   std::optional<size_t> kept_from) {
  Context context;
  context.module = module;
  const absl::Status run = sharding::passes::RunPasses(CleanUpPasses(kept_from), &context);
  if (text::ErrorOffset(run) > 0 && module.text() != nullptr) {
    return text::Located(run, *module.text());
  }
  TESSERA_RETURN_IF_ERROR(run);
  if (!context.original.has_value()) return std::optional<hlo::Module>();
  return std::optional<hlo::Module>(std::move(context.module));
}

absl::StatusOr<hlo::Module> SeparateCalls(const hlo::Module& module) {
  TESSERA_RETURN_IF_ERROR(CheckClones(module));
  std::unique_ptr<ModuleEdits> edits = EditsOf(module);
  FlattenCalls(&edits->builder);
  return WithOwnText(std::move(edits));
}

}  // namespace tessera::pipeline::passes
