#include "tessera/pipeline/verbs/project/project_regions.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

std::string ArrayName(const hlo::Module& module, hlo::InstructionId id, size_t leaf,
                      size_t arrays) {
  return absl::StrCat(module.instruction(id).name, arrays <= 1 ? "" : absl::StrCat("{", leaf, "}"));
}

std::string NameOf(const ArrayRef& of) {
  return ArrayName(of.module, of.id, static_cast<size_t>(of.leaf),
                   projection::ArrayLeaves(of.module.shape(of.id)).size());
}

std::vector<Entry> EntriesOf(const ArrayRef& of) {
  std::vector<Entry> entries;
  for (hlo::InstructionId operand : of.module.operands(of.id)) {
    const auto leaves = projection::ArrayLeaves(of.module.shape(operand));
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      entries.push_back({ArrayName(of.module, operand, leaf, leaves.size()), operand,
                         static_cast<int>(leaf), leaves[leaf]});
    }
  }
  return entries;
}

projection::ElementBytes ElementBytesOf(const ArrayRef& of, const projection::Signature& s) {
  projection::ElementBytes bytes;
  for (const Entry& entry : EntriesOf(of)) {
    bytes.operands.push_back(layout::ElementBytes(*entry.shape, 1));
  }
  if (of.has_array()) bytes.results.assign(s.results.size(), layout::ElementBytes(of.shape(), 1));
  return bytes;
}

absl::StatusOr<ProjectedBlock> Regions(const ArrayRef& of, const projection::Signature& s,
                                       const projection::ZRange& block) {
  ProjectedBlock out{block, {}, 0};
  TESSERA_ASSIGN_OR_RETURN(std::vector<projection::Need> needs, projection::Project(s, block));
  const std::vector<Entry> entries = EntriesOf(of);
  for (size_t k = 0; k < entries.size(); ++k) {
    ProjectedOperand o;
    o.name = entries[k].name;
    o.role = s.operands[k].role == "operand" ? "" : s.operands[k].role;
    o.type = layout::ShapeToString(entries[k].shape->WithoutLayout());
    o.shape = s.operands[k].shape;
    o.need = std::move(needs[k]);
    TESSERA_ASSIGN_OR_RETURN(int64_t cells, o.need.cells.size());
    o.bytes = layout::ElementBytes(*entries[k].shape, cells);
    o.missing = projection::ZSet(o.shape.rank());
    out.operands.push_back(std::move(o));
  }
  for (const projection::ZProjection& result : s.results) {
    TESSERA_ASSIGN_OR_RETURN(const projection::ZSet cells, result.Image(block));
    TESSERA_ASSIGN_OR_RETURN(const int64_t count, cells.size());
    out.written_bytes += layout::ElementBytes(of.shape(), count);
  }
  return out;
}

}  // namespace tessera::pipeline
