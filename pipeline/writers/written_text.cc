#include "tessera/pipeline/writers/written_text.h"

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/syntax_ranges.h"
#include "tessera/layout/shape_text.h"

namespace tessera::pipeline::writers {

using absl::string_view;
using hlo::InstructionId;
using hlo::SourceRange;

std::string WrittenShape(const hlo::Module& module, InstructionId id) {
  const hlo::Instruction& i = module.instruction(id);
  if (i.is_implied || !i.has_written_shape) return layout::ShapeToString(module.shape(id));
  const SourceRange shape = hlo::FindHead(module, id).shape;
  return std::string(module.source_text().substr(shape.begin, shape.size()));
}

std::vector<std::string> WrittenLeafShapes(const hlo::Module& module, InstructionId id) {
  const layout::Shape& shape = module.shape(id);
  if (!shape.is_tuple()) return {WrittenShape(module, id)};
  std::vector<std::string> leaves;
  if (!module.instruction(id).has_written_shape) {
    for (const layout::Shape& leaf : shape.tuple_elements()) {
      leaves.push_back(layout::ShapeToString(leaf));
    }
    return leaves;
  }
  const SourceRange all = hlo::FindHead(module, id).shape;
  const string_view text = module.source_text();
  for (SourceRange leaf : hlo::SplitAtCommas(text, all.begin + 1, all.end - 1)) {
    leaves.emplace_back(text.substr(leaf.begin, leaf.size()));
  }
  return leaves;
}

std::string MetadataTail(const hlo::Module& module, InstructionId id) {
  const auto metadata = module.FindAttribute(id, hlo::AttributeName::kMetadata);
  return metadata.has_value() ? absl::StrCat(", metadata=", *metadata) : "";
}

std::string ShardingTail(string_view sharding) {
  return sharding.empty() ? "" : absl::StrCat(", sharding=", sharding);
}

}  // namespace tessera::pipeline::writers
