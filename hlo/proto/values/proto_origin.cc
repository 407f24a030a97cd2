#include "tessera/hlo/proto/values/proto_origin.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

using Index = std::vector<int64_t>;
using Leaves = std::map<Index, const pb::OriginalValueProto::Array*>;

OriginTree BuildTree(const pb::ShapeProto& shape, const Leaves& leaves, Index* index) {
  constexpr int32_t kTuple = static_cast<int32_t>(layout::ElementType::kTuple);
  OriginTree tree;
  if (shape.element_type() == kTuple) {
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      index->push_back(i);
      tree.elements.push_back(BuildTree(shape.tuple_shapes(i), leaves, index));
      index->pop_back();
    }
    DropLastGaps(&tree);
    return tree;
  }
  const auto found = leaves.find(*index);
  if (found == leaves.end()) return tree;
  tree.kind = found->second == nullptr ? OriginTree::Kind::kEmptyLeaf : OriginTree::Kind::kLeaf;
  if (found->second == nullptr) return tree;
  tree.name = found->second->instruction_name();
  tree.index.assign(found->second->shape_index().begin(), found->second->shape_index().end());
  return tree;
}

void AddLeaves(const OriginTree& tree, Index* index, pb::OriginalValueProto* proto) {
  for (size_t i = 0; i < tree.elements.size(); ++i) {
    index->push_back(static_cast<int64_t>(i));
    AddLeaves(tree.elements[i], index, proto);
    index->pop_back();
  }
  if (tree.kind != OriginTree::Kind::kLeaf && tree.kind != OriginTree::Kind::kEmptyLeaf) return;
  pb::OriginalValueProto::Element* element = proto->add_elements();
  for (int64_t i : *index) element->add_shape_index(i);
  if (tree.kind == OriginTree::Kind::kEmptyLeaf) return;
  element->mutable_original_array()->set_instruction_name(std::string(tree.name));
  for (int64_t i : tree.index) element->mutable_original_array()->add_shape_index(i);
}

}  // namespace

std::optional<std::string> OriginText(const pb::HloInstructionProto& proto, const Payloads&) {
  if (!proto.has_original_value()) return std::nullopt;
  if (proto.original_value().is_synthetic_call()) return "{[synthetic_call]}";
  Leaves leaves;
  for (const pb::OriginalValueProto::Element& element : proto.original_value().elements()) {
    leaves[Index(element.shape_index().begin(), element.shape_index().end())] =
        element.has_original_array() ? &element.original_array() : nullptr;
  }
  Index index;
  OriginTree tree = BuildTree(proto.shape(), leaves, &index);
  if (proto.original_value().optional_call_hierarchy_case() ==
      pb::OriginalValueProto::kCallHierarchy) {
    tree.call_hierarchy = proto.original_value().call_hierarchy();
  }
  return PrintOrigin(tree);
}

absl::Status StoreOrigin(const Module&, InstructionId, absl::string_view value,
                         pb::HloInstructionProto* proto) {
  Reader in(value, 0, value.size());
  OriginTree tree;
  if (!ReadOrigin(in, &tree)) return absl::OkStatus();
  pb::OriginalValueProto* to = proto->mutable_original_value();
  to->set_is_synthetic_call(tree.kind == OriginTree::Kind::kSyntheticCall);
  if (tree.call_hierarchy.has_value()) to->set_call_hierarchy(std::string(*tree.call_hierarchy));
  Index index;
  AddLeaves(tree, &index, to);
  return absl::OkStatus();
}

}  // namespace tessera::hlo
