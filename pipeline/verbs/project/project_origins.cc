#include "tessera/pipeline/verbs/project/project_origins.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/verbs/project/project_parse.h"
#include "tessera/projection/signatures/flow.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using projection::Exactness;
using projection::Flow;
using projection::ZSet;

constexpr size_t kMaxBounds = 3;

// `array` and `name` are those of `ref`, which takes time for an element of a large tuple.
absl::StatusOr<ProjectedOperand> Needed(const ArrayRef& ref, const layout::Shape& array,
                                        std::string name, const ZSet& cells, AddDevice add_device) {
  ProjectedOperand o;
  o.name = std::move(name);
  o.type = layout::ShapeToString(array.WithoutLayout());
  o.shape = projection::ZPoint(array.dims());
  o.missing = ZSet(o.shape.rank());
  o.need.cells = cells;
  o.need.bounding = cells.bounding();
  TESSERA_ASSIGN_OR_RETURN(const int64_t count, cells.size());
  o.bytes = layout::ElementBytes(array, count);
  if (o.need.bounding.has_value()) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t box, o.need.bounding->size());
    o.need.used_fraction = box == 0 ? 1 : static_cast<double>(count) / static_cast<double>(box);
  }
  TESSERA_RETURN_IF_ERROR(add_device(ref, array, &o));
  return o;
}

absl::Status AddInputs(const ArrayRef& of, const Flow::Demands& demands, AddDevice add_device,
                       Origins* origins) {
  const hlo::Instruction& instruction = of.module.instruction(of.id);
  for (hlo::InstructionId p : of.module.computation(instruction.computation).parameters) {
    const auto leaves = projection::ArrayLeaves(of.module.shape(p));
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const auto found = demands.find({p, static_cast<int>(leaf)});
      if (found == demands.end() || found->second.empty()) {
        ++origins->unneeded;
        continue;
      }
      TESSERA_ASSIGN_OR_RETURN(
          ProjectedOperand o,
          Needed({of.module, p, static_cast<int>(leaf)}, *leaves[leaf],
                 ArrayName(of.module, p, leaf, leaves.size()), found->second, add_device));
      origins->inputs.push_back(std::move(o));
    }
  }
  return absl::OkStatus();
}

void AddBounds(const ArrayRef& of, const Flow& flow, const Flow::Demands& demands,
               Origins* origins) {
  for (const auto& [array, cells] : demands) {
    const projection::Signature* s = flow.signature(array.first, array.second);
    if (cells.empty() || s == nullptr || s->exactness < Exactness::kBound) continue;
    if (++origins->num_bounds > kMaxBounds) continue;
    origins->bounds.push_back(
        absl::StrCat(of.module.instruction(array.first).name,
                     s->note.empty() ? "" : absl::StrCat(" (", s->note, ")")));
  }
}

}  // namespace

absl::StatusOr<Origins> OriginsOf(const ArrayRef& of, const ZSet& cells,
                                  absl::Span<const std::string> through, bool to_inputs,
                                  AddDevice add_device) {
  Origins origins;
  if (of.module.instruction(of.id).opcode == hlo::Opcode::kParameter) {
    return absl::InvalidArgumentError(absl::StrCat(NameOf(of), " is an input itself"));
  }
  projection::FlowMemo memo;
  projection::SignatureOptions options;
  options.flows = &memo;
  TESSERA_ASSIGN_OR_RETURN(const Flow flow, Flow::CreateTo(of.module, of.id, options));
  TESSERA_ASSIGN_OR_RETURN(const Flow::Demands demands,
                           flow.Arrays(of.leaf, cells, projection::kDefaultLimit));
  for (const std::string& name : through) {
    TESSERA_ASSIGN_OR_RETURN(const NamedArray array, FindArray(of.module, name));
    const auto found = demands.find({array.id, array.leaf});
    if (found == demands.end()) {
      return absl::NotFoundError(absl::StrCat("--through=", name, ": the block of ", NameOf(of),
                                              " does not depend on it"));
    }
    const ArrayRef on_the_way = {of.module, array.id, array.leaf};
    TESSERA_ASSIGN_OR_RETURN(
        ProjectedOperand o,
        Needed(on_the_way, on_the_way.shape(), NameOf(on_the_way), found->second, add_device));
    origins.through.push_back(std::move(o));
  }
  if (to_inputs) TESSERA_RETURN_IF_ERROR(AddInputs(of, demands, add_device, &origins));
  AddBounds(of, flow, demands, &origins);
  return origins;
}

}  // namespace tessera::pipeline
