#include "tessera/pipeline/writers/keep_writer.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/edit.h"
#include "tessera/layout/leaves.h"
#include "tessera/pipeline/passes/lines/implied_lines.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/free_names.h"
#include "tessera/pipeline/writers/keep/keep_computation.h"
#include "tessera/pipeline/writers/keep/keep_lines.h"
#include "tessera/pipeline/writers/keep/node_lists.h"
#include "tessera/pipeline/writers/keep/region_leaves.h"
#include "tessera/pipeline/writers/pass_attributes.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloComputation;
using sharding::passes::HloForm;
using sharding::passes::kNoHloSharding;

constexpr char kFrontend[] = "frontend_attributes";

// Entries that only spoke to the pass leave the first line of the module.
void DropPassEntries(const hlo::Module& module, hlo::Editor& edit) {
  for (const hlo::HeaderAttribute& attribute : module.header_attributes()) {
    if (attribute.name != kFrontend) continue;
    const absl::string_view value =
        module.source_text().substr(attribute.value.begin, attribute.value.size());
    std::vector<std::string> kept;
    bool dropped = false;
    for (const hlo::FrontendEntry& entry : hlo::ParseFrontendEntries(value)) {
      if (IsPassModuleKey(entry.key)) {
        dropped = true;
      } else {
        kept.push_back(absl::StrCat(entry.key, "=", entry.value));
      }
    }
    if (!dropped) return;
    if (kept.empty()) return edit.RemoveHeaderAttribute(kFrontend);
    edit.SetHeaderAttribute(kFrontend, absl::StrCat("{", absl::StrJoin(kept, ","), "}"));
  }
}

void WriteHeader(const hlo::Module& module, const HloForm& form, hlo::Editor& edit) {
  DropPassEntries(module, edit);
  if (form.num_partitions > 0 && form.num_partitions != module.header().num_partitions) {
    edit.SetHeaderAttribute("num_partitions", absl::StrCat(form.num_partitions));
  }
}

// One text for every leaf of the shape.
std::string Spread(const std::string& text, const layout::Shape& shape) {
  if (text.empty() || !shape.is_tuple()) return text;
  const std::vector<std::string> leaves(layout::NumLeaves(shape), text);
  return absl::StrCat("{", absl::StrJoin(leaves, ", "), "}");
}

// A computation that the result has as it is: only shardings change. False if one belongs to an
// instruction without a line, unless that is an element named in place, which shows none.
bool WriteAsIs(const hlo::Module& module, const hlo::Computation& c, const std::string& mark,
               const std::string& without_axes, hlo::Editor& edit) {
  bool good = true;
  const auto scalars = ConstrainedScalars(module, c);
  for (InstructionId id : c.instructions) {
    const hlo::Instruction& i = module.instruction(id);
    // Neither parameters nor the tuple of what a region returns are ops to the pass.
    const bool is_op = i.opcode != Opcode::kParameter && i.opcode != Opcode::kTuple;
    const bool constrained = mark.empty() && scalars.contains(id);
    const std::string sharding = constrained ? without_axes
                                 : is_op     ? Spread(mark, module.shape(id))
                                             : "";
    if (i.is_implied) {
      good &= sharding.empty() || i.opcode == Opcode::kGetTupleElement;
      continue;
    }
    LineChange change;
    change.is_root = i.is_root;
    change.sharding = sharding;
    if (CallKindOf(module, id) == CallKind::kConstraint) {
      edit.Replace(i.source, RenderCopy(module, id, change));
    } else {
      EditLine(module, id, change, edit);
    }
  }
  return good;
}

// The first computation of the form that stands for each one of the module, -1 for none.
std::vector<int> Counterparts(const hlo::Module& module, const HloForm& form) {
  std::vector<int> found(module.num_computations(), -1);
  for (size_t i = 0; i < form.computations.size(); ++i) {
    const HloComputation& c = form.computations[i];
    if (c.source == hlo::kNoId || (c.num_nodes() == 0 && !c.verbatim)) continue;
    if (found[c.source] < 0) found[c.source] = static_cast<int>(i);
  }
  return found;
}

}  // namespace

std::optional<hlo::Editor> EditsOfKeep(const hlo::Module& before, HloForm& form) {
  if (passes::IsSingleInstruction(before)) return std::nullopt;
  FindRegionLeaves(before, &form);
  hlo::Editor edit(before);
  FreeNames names(before);
  NodeLists lists(before.num_instructions());
  WriteHeader(before, form, edit);
  HloForm nothing;  // stands for what the result does not have
  nothing.computations.resize(1);
  const std::vector<int> counterparts = Counterparts(before, form);
  for (ComputationId id = 0; id < before.num_computations(); ++id) {
    const hlo::Computation& c = before.computation(id);
    if (c.removed || c.is_async_wrapper || c.instructions.empty()) continue;
    const bool is_made = counterparts[id] >= 0;
    const int counterpart = is_made ? counterparts[id] : 0;
    const HloForm& its_form = is_made ? form : nothing;
    const HloComputation& made = its_form.computations[static_cast<size_t>(counterpart)];
    if (made.verbatim) {
      const std::string mark = made.mark == kNoHloSharding ? "" : form.shardings.text(made.mark);
      const std::string& without_axes = form.shardings.text(form.without_axes);
      if (!WriteAsIs(before, c, mark, without_axes, edit)) return std::nullopt;
    } else {
      KeepComputation written(before, id, its_form, counterpart, names, lists, edit);
      written.Run();
      if (written.needs_lines()) return std::nullopt;
    }
  }
  return edit;
}

}  // namespace tessera::pipeline::writers
