#include "tessera/pipeline/writers/keep/form_view.h"

#include <utility>

namespace tessera::pipeline::writers {

using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::kNoNode;
using sharding::passes::LeafMap;
using sharding::passes::NodeId;

bool FormView::MayLieBetween(NodeId id) const {
  const HloNode node = Node(id);
  if (node.opcode() == Opcode::kCopy) return true;
  return node.role() == HloRole::kConversion &&
         (node.opcode() == Opcode::kCustomCall || node.opcode() == Opcode::kSlice ||
          node.opcode() == Opcode::kPad);
}

NodeId FormView::SourceOf(NodeId id) const {
  const bool is_conversion = Node(id).role() == HloRole::kConversion;
  if (is_conversion && Node(id).opcode() == Opcode::kSlice) id = Node(id).operands()[0];
  if (is_conversion && Node(id).opcode() == Opcode::kCustomCall) {
    // A change of unreduced axes: conversion, copy, call, conversion, with a copy in front.
    for (int step = 0; step < 3; ++step) id = Node(id).operands()[0];
  }
  return Node(id).operands()[0];
}

void FormView::AddElements(NodeId packed, std::vector<NodeId>* elements) const {
  const HloNode node = Node(packed);
  if (node.opcode() == Opcode::kTuple && node.role() == HloRole::kPacking) {
    elements->insert(elements->end(), node.operands().begin(), node.operands().end());
  } else {
    elements->push_back(packed);
  }
}

void FormView::AddPicked(absl::Span<const NodeId> elements, const LeafMap& map,
                         std::vector<NodeId>* nodes) const {
  for (int element : map) {
    const bool there = element >= 0 && static_cast<size_t>(element) < elements.size();
    nodes->push_back(there ? elements[static_cast<size_t>(element)] : kNoNode);
  }
}

void FormView::AddPicked(NodeId packed, const LeafMap& map, std::vector<NodeId>* nodes) const {
  std::vector<NodeId> elements;
  AddElements(packed, &elements);
  AddPicked(elements, map, nodes);
}

void FormView::AddOperands(const HloNode& user, size_t num_leaves,
                           std::vector<NodeId>* nodes) const {
  if (user.opcode() == Opcode::kWhile) {
    return AddPicked(user.operands()[0], Called(user, 0).parameter_leaves[0], nodes);
  }
  if (user.opcode() == Opcode::kConditional) {
    nodes->push_back(user.operands()[0]);
    for (size_t b = 0; b < user.called().size(); ++b) {
      AddPicked(user.operands()[b + 1], Called(user, b).parameter_leaves[0], nodes);
    }
    return;
  }
  for (NodeId operand : user.operands()) AddElements(operand, nodes);
  if (user.opcode() != Opcode::kCall || nodes->size() == num_leaves) return;
  const std::vector<NodeId> all = std::move(*nodes);
  nodes->clear();
  for (const LeafMap& map : Called(user, 0).parameter_leaves) AddPicked(all, map, nodes);
}

void FormView::AddResults(std::vector<NodeId>* nodes) const {
  NodeId root = target_.root;
  const HloNode last = Node(root);
  if (last.role() == HloRole::kPacking && last.opcode() == Opcode::kGetTupleElement) {
    const HloNode tuple = Node(last.operands()[0]);
    const bool wrapped = tuple.role() == HloRole::kPacking && tuple.opcode() == Opcode::kTuple;
    if (wrapped) root = tuple.operands()[0];
  }
  if (target_.is_loop_body) {
    AddPicked(root, target_.parameter_leaves[0], nodes);
  } else {
    AddElements(root, nodes);
  }
}

}  // namespace tessera::pipeline::writers
