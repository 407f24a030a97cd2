#include "tessera/pipeline/writers/keep/keep_shardings.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;
using sharding::passes::kNoNode;
using sharding::passes::LeafMap;
using sharding::passes::NodeId;

constexpr char kReplicated[] = "{replicated}";
// Of a leaf that is gone from what shows shardings.
constexpr HloShardingId kGoneLeaf = -2;
static_assert(kGoneLeaf != kNoHloSharding);

}  // namespace

KeepShardings::KeepShardings(const hlo::Module& module, hlo::ComputationId computation,
                             const sharding::passes::HloForm& form, int counterpart,
                             const Matching& matching)
    : module_(module),
      form_(form),
      target_(form.computations[static_cast<size_t>(counterpart)]),
      matching_(matching),
      root_(module.computation(computation).root) {
  while (CallKindOf(module_, root_) == CallKind::kConsumed) root_ = module_.operands(root_)[0];
  for (NodeId id = 0; id < target_.num_nodes(); ++id) {
    if (Node(id).opcode() == Opcode::kGetTupleElement) {
      elements_.emplace(std::make_pair(Node(id).operands()[0], Node(id).number()), id);
    }
  }
  if (target_.num_nodes() == 0) return;
  FindRoles(module.computation(computation));
  FindPackings(module.computation(computation));
}

absl::string_view KeepShardings::Of(InstructionId id) {
  const NodeLists::List& nodes = matching_.NodesOf(id);
  // A call without results has one of its own.
  const bool is_empty = module_.shape(id).is_tuple() && layout::NumLeaves(module_.shape(id)) == 0;
  if (is_empty && !nodes.empty()) return Text(Node(nodes[0]).sharding());
  return Text(id, LeavesOf(id));
}

absl::string_view KeepShardings::OfNode(InstructionId id, NodeId node) {
  return Text(id, LeavesOfNode(id, node));
}

KeepShardings::Leaves KeepShardings::LeavesOf(InstructionId id) {
  switch (module_.instruction(id).opcode) {
    case Opcode::kParameter:
      return OfParameter(id);
    case Opcode::kGetTupleElement:
      if (id == root_ && target_.num_nodes() > 0 && matching_.IsGoneLoop(module_.operands(id)[0])) {
        return InOrder(id, target_.root);
      }
      return OfElement(id);
    case Opcode::kTuple: {
      const auto role = roles_.find(id);
      return role == roles_.end() ? Leaves() : role->second;
    }
    default: {
      const NodeLists::List& nodes = matching_.NodesOf(id);
      // Readers of the value have another copy now.
      if (CallKindOf(module_, id) == CallKind::kConstraint && !matching_.HasUser(id)) return {};
      if (!nodes.empty()) return LeavesOfNode(id, nodes[0]);
      // A result that became one with another value.
      if (id != root_ || target_.num_nodes() == 0) return {};
      return InOrder(id, target_.root);
    }
  }
}

KeepShardings::Leaves KeepShardings::LeavesOfNode(InstructionId id, NodeId node) const {
  if (Node(node).opcode() == Opcode::kWhile) return ByMap(id, node, *LoopMap(node));
  if (!module_.shape(id).is_tuple() && !Node(node).shape().is_tuple()) {
    return {form_.shardings.Leaf(Node(node).sharding(), 0)};
  }
  return InOrder(id, node);
}

// --- tuples -------------------------------------------------------------------------------------

void KeepShardings::FindRoles(const hlo::Computation& source) {
  AddRole(source.root, target_.is_loop_body
                           ? ByMap(source.root, target_.root, target_.parameter_leaves[0])
                           : InOrder(source.root, target_.root));
  for (NodeId user = 0; user < target_.num_nodes(); ++user) {
    const HloNode node = Node(user);
    if (node.source() == hlo::kNoId || node.role() != HloRole::kCounterpart) continue;
    const auto operands = module_.operands(node.source());
    if (node.opcode() == Opcode::kWhile) {
      AddRole(operands[0], ByMap(operands[0], node.operands()[0], *LoopMap(user)));
    } else if (node.opcode() == Opcode::kConditional) {
      for (size_t b = 0; b < node.called().size(); ++b) {
        const auto& branch = form_.computations[static_cast<size_t>(node.called()[b])];
        AddRole(operands[b + 1],
                ByMap(operands[b + 1], node.operands()[b + 1], branch.parameter_leaves[0]));
      }
    } else if (node.opcode() == Opcode::kOptBarrier) {
      AddRole(operands[0], InOrder(operands[0], node.operands()[0]));
    }
  }
}

// The rest: tuples that are gone after the pass, such as that of an inlined call's results. The
// text still has them, and the partitioner gathers whatever a tuple without sharding holds: they
// show the shardings of their elements. Operands come first in the text.
void KeepShardings::FindPackings(const hlo::Computation& source) {
  for (const InstructionId id : source.instructions) {
    if (module_.instruction(id).opcode != Opcode::kTuple || roles_.contains(id)) continue;
    Leaves all;
    for (uint32_t k = 0; k < module_.operands(id).size(); ++k) {
      const Leaves held = Held(id, k);
      all.insert(all.end(), held.begin(), held.end());
    }
    roles_.emplace(id, std::move(all));
  }
}

// Of what operand `k` of the tuple names in the text that is written.
KeepShardings::Leaves KeepShardings::Held(InstructionId tuple, uint32_t k) {
  InstructionId operand = module_.operands(tuple)[k];
  if (const Slot* slot = matching_.SlotOf(tuple, k)) {
    const auto inserted = matching_.Inserted(*slot);
    const NodeId node = inserted.empty() ? slot->value : inserted.front();
    return {form_.shardings.Leaf(Node(node).sharding(), 0)};
  }
  while (CallKindOf(module_, operand) == CallKind::kConsumed) {
    operand = module_.operands(operand)[0];
  }
  Leaves leaves;
  if (IsBoundary(CallKindOf(module_, operand))) {
    for (const layout::LeafPath& path : layout::LeafPaths(module_.shape(operand))) {
      leaves.push_back(Leaf(operand, path, 0));
    }
  } else {
    leaves = LeavesOf(operand);
  }
  leaves.resize(layout::NumLeaves(module_.shape(operand)), kNoHloSharding);
  return leaves;
}

void KeepShardings::AddRole(InstructionId id, Leaves leaves) {
  if (module_.instruction(id).opcode == Opcode::kTuple) roles_.emplace(id, std::move(leaves));
}

// --- leaves -------------------------------------------------------------------------------------

KeepShardings::Leaves KeepShardings::InOrder(InstructionId id, NodeId node) const {
  const HloNode made = Node(node);
  const size_t ours = layout::NumLeaves(module_.shape(id));
  const size_t theirs = layout::NumLeaves(made.shape());
  Leaves leaves;
  if (theirs < ours) return leaves;
  // Where there are more, the state of a random generator stands in front.
  for (size_t i = 0; i < ours; ++i) {
    leaves.push_back(form_.shardings.Leaf(made.sharding(), theirs - ours + i));
  }
  return leaves;
}

KeepShardings::Leaves KeepShardings::ByMap(InstructionId id, NodeId node,
                                           const LeafMap& map) const {
  const HloShardingId all = Node(node).sharding();
  const bool shows = all != kNoHloSharding && module_.shape(id).is_tuple();
  Leaves leaves(layout::NumLeaves(module_.shape(id)), shows ? kGoneLeaf : kNoHloSharding);
  for (size_t i = 0; i < leaves.size() && i < map.size(); ++i) {
    if (map[i] >= 0) leaves[i] = form_.shardings.Leaf(all, static_cast<size_t>(map[i]));
  }
  return leaves;
}

const LeafMap* KeepShardings::LoopMap(NodeId loop) const {
  const auto& body = form_.computations[static_cast<size_t>(Node(loop).called()[0])];
  return &body.parameter_leaves[0];
}

KeepShardings::Leaves KeepShardings::OfParameter(InstructionId id) const {
  const size_t number = module_.instruction(id).parameter_number;
  if (number >= target_.parameter_leaves.size()) return {};
  const LeafMap& map = target_.parameter_leaves[number];
  if (target_.is_region) return ByMap(id, 0, map);
  Leaves leaves;
  for (size_t i = 0; i < map.size(); ++i) leaves.push_back(LeafOfParameter(id, i));
  return leaves;
}

KeepShardings::Leaves KeepShardings::OfElement(InstructionId id) {
  layout::LeafPath path;
  InstructionId base = id;
  while (module_.instruction(base).opcode == Opcode::kGetTupleElement) {
    path.insert(path.begin(), hlo::GetTupleIndex(module_, base));
    base = module_.operands(base)[0];
  }
  const bool is_packed = module_.instruction(base).opcode == Opcode::kTuple;
  if (is_packed && id == root_ && target_.num_nodes() > 0) return InOrder(id, target_.root);
  Leaves leaves;
  for (const layout::LeafPath& below : layout::LeafPaths(module_.shape(id))) {
    layout::LeafPath whole = path;
    whole.insert(whole.end(), below.begin(), below.end());
    leaves.push_back(is_packed ? LeafOfTuple(base, whole) : Leaf(base, whole, path.size()));
  }
  return leaves;
}

HloShardingId KeepShardings::LeafOfTuple(InstructionId tuple, const layout::LeafPath& path) {
  const auto role = roles_.find(tuple);
  const size_t leaf = leaf_numbers_.Of(module_.shape(tuple), path);
  const bool is_known = role != roles_.end() && leaf < role->second.size();
  return is_known && role->second[leaf] != kGoneLeaf ? role->second[leaf] : kNoHloSharding;
}

// The tuple of all data says it if it has a sharding, else the element of that.
HloShardingId KeepShardings::LeafOfInfeed(NodeId infeed, size_t leaf, size_t depth) const {
  if (leaf + 1 == layout::NumLeaves(Node(infeed).shape())) return Element(infeed, 1);
  const auto data = elements_.find({infeed, 0});
  if (data == elements_.end()) return kNoHloSharding;
  const HloShardingId sharding = form_.shardings.Leaf(Node(data->second).sharding(), leaf);
  if (sharding != kNoHloSharding || depth < 2) return sharding;
  return Element(data->second, static_cast<int>(leaf));
}

HloShardingId KeepShardings::Leaf(InstructionId id, const layout::LeafPath& path, size_t depth) {
  if (IsBoundary(CallKindOf(module_, id))) {
    const NodeId conversion = matching_.ConversionOf(id, path.empty() ? 0 : path[0]);
    if (conversion == kNoNode) return kNoHloSharding;
    return Node(conversion).sharding();
  }
  const size_t leaf = leaf_numbers_.Of(module_.shape(id), path);
  if (module_.instruction(id).opcode == Opcode::kParameter) return LeafOfParameter(id, leaf);
  const NodeLists::List& nodes = matching_.NodesOf(id);
  if (nodes.empty()) return kNoHloSharding;
  if (Node(nodes[0]).opcode() == Opcode::kInfeed) return LeafOfInfeed(nodes[0], leaf, depth);
  if (Node(nodes[0]).opcode() != Opcode::kWhile) return Element(nodes[0], static_cast<int>(leaf));
  const LeafMap& map = *LoopMap(nodes[0]);
  return leaf < map.size() ? Element(nodes[0], map[leaf]) : kNoHloSharding;
}

HloShardingId KeepShardings::LeafOfParameter(InstructionId id, size_t leaf) const {
  const size_t number = module_.instruction(id).parameter_number;
  if (number >= target_.parameter_leaves.size()) return kNoHloSharding;
  const LeafMap& map = target_.parameter_leaves[number];
  if (leaf >= map.size()) return kNoHloSharding;
  if (map[leaf] < 0) return ConstantInRegion(leaf);
  if (target_.is_region) return Element(0, map[leaf]);
  const size_t place = static_cast<size_t>(map[leaf]);
  if (target_.num_parameters == 1) return form_.shardings.Leaf(Node(0).sharding(), place);
  if (place >= target_.num_parameters) return kNoHloSharding;
  return Node(static_cast<NodeId>(place)).sharding();
}

HloShardingId KeepShardings::Element(NodeId node, int element) const {
  if (element < 0) return kNoHloSharding;
  if (!Node(node).shape().is_tuple()) return Node(node).sharding();
  const auto it = elements_.find({node, element});
  return it == elements_.end() ? kNoHloSharding : Node(it->second).sharding();
}

HloShardingId KeepShardings::ConstantInRegion(size_t leaf) const {
  return leaf < target_.moved_leaves.size() ? target_.moved_leaves[leaf] : kNoHloSharding;
}

absl::string_view KeepShardings::Text(HloShardingId leaf) const {
  return leaf == kNoHloSharding ? absl::string_view() : form_.shardings.text(leaf);
}

absl::string_view KeepShardings::Text(InstructionId id, const Leaves& leaves) {
  const auto has = [](HloShardingId leaf) { return leaf != kNoHloSharding; };
  if (std::none_of(leaves.begin(), leaves.end(), has)) return "";
  const auto text = [&](HloShardingId leaf) -> absl::string_view {
    const bool known = has(leaf) && leaf != kGoneLeaf;
    return known ? absl::string_view(form_.shardings.text(leaf)) : kReplicated;
  };
  if (!module_.shape(id).is_tuple()) return text(leaves[0]);
  text_ = "{";
  for (HloShardingId leaf : leaves) {
    absl::StrAppend(&text_, text_.size() == 1 ? "" : ", ", text(leaf));
  }
  text_ += '}';
  return text_;
}

}  // namespace tessera::pipeline::writers
