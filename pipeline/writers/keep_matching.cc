// Copies are what users and values are matched through. Between a value and its user there may be
// copies that the text has (constraints, copies) and ones that were inserted:
//
//   text    v -> constraint -> user
//   plan    v -> copy {a} (inserted) -> copy {b} (the constraint) -> user
//
// Which of the two is called the constraint makes no difference to the program. With an op_name it
// is the one of that name. Without, the reference's result does not tell them apart, and the one
// nearer to the value takes the name: TradeCopies does so.

#include "tessera/pipeline/writers/keep_matching.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/leaf_paths.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::graph::kNoNode;
using sharding::graph::LeafMap;
using sharding::graph::NodeId;
using sharding::graph::NodeRole;
using sharding::graph::PlanComputation;
using sharding::graph::PlanNode;

}  // namespace

Matching::Matching(const hlo::Module& module, hlo::ComputationId computation,
                   const sharding::graph::ExportPlan& plan, int counterpart)
    : module_(module),
      source_(module.computation(computation)),
      plan_(plan),
      target_(plan.computations[static_cast<size_t>(counterpart)]) {
  if (target_.nodes.empty()) return;
  IndexNodes();
  TradeCopies();
  for (const auto& [id, nodes] : nodes_) {
    for (NodeId node : nodes) todo_.emplace_back(id, node);
  }
  for (const auto& [key, node] : conversions_) MatchConversions(key.first, node);
  MatchResult();
  while (!todo_.empty()) {
    const auto [id, node] = todo_.back();
    todo_.pop_back();
    MatchUser(id, node);
  }
  DropUnusedCopies();
  std::stable_sort(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
    return std::make_pair(a.holder.instruction, a.holder.operand) <
           std::make_pair(b.holder.instruction, b.holder.operand);
  });
}

const std::vector<NodeId>& Matching::NodesOf(InstructionId id) const {
  static const auto* const kNone = new std::vector<NodeId>();
  const auto it = nodes_.find(id);
  return it == nodes_.end() ? *kNone : it->second;
}

bool Matching::HasUser(InstructionId id) const {
  return absl::c_any_of(
      slots_, [&](const Slot& slot) { return slot.source == id || StandsFor(slot.value, id); });
}

NodeId Matching::ConversionOf(InstructionId id, int64_t number) const {
  const auto it = conversions_.find({id, number});
  return it == conversions_.end() ? kNoNode : it->second;
}

void Matching::IndexNodes() {
  for (NodeId id = 0; id < static_cast<NodeId>(target_.nodes.size()); ++id) {
    const PlanNode& node = Node(id);
    if (node.source == hlo::kNoId) continue;
    if (node.role == NodeRole::kCounterpart) nodes_[node.source].push_back(id);
    // A constraint that made axes unreduced ends in the conversion back to the whole shape.
    const bool ends_change = node.role == NodeRole::kConversion &&
                             node.opcode == Opcode::kCustomCall &&
                             absl::StrContains(node.attributes[0].second, "ShardToFull");
    if (ends_change) nodes_[node.source].push_back(id);
    if (node.role == NodeRole::kBoundary && node.opcode == Opcode::kCustomCall) {
      conversions_[{node.source, node.number}] = id;
    }
  }
}

// --- leaves of the text
// ------------------------------------------------------------------------------

std::pair<Matching::Leaf, Holder> Matching::Trace(Leaf leaf, Holder holder) const {
  bool named =
      leaf.path.empty();  // the holder's text names the leaf: what lies behind is no holder
  while (true) {
    const Opcode opcode = module_.instruction(leaf.id).opcode;
    const auto operands = module_.operands(leaf.id);
    if (opcode == Opcode::kTuple && !leaf.path.empty()) {
      const size_t index = static_cast<size_t>(leaf.path.front());
      if (!named) holder = {leaf.id, index, true};
      leaf = {operands[index], {leaf.path.begin() + 1, leaf.path.end()}};
      named = named || leaf.path.empty();
    } else if (opcode == Opcode::kGetTupleElement) {
      holder.exists = holder.exists && named;
      leaf.path.insert(leaf.path.begin(), hlo::GetTupleIndex(module_, leaf.id));
      leaf.id = operands[0];
    } else if (CallKindOf(module_, leaf.id) == CallKind::kConsumed && !operands.empty()) {
      leaf.id = operands[0];
    } else {
      holder.exists = holder.exists && named;
      return {leaf, holder};
    }
  }
}

void Matching::AddOperandLeaves(InstructionId user, size_t operand,
                                std::vector<std::pair<Leaf, Holder>>* leaves) const {
  const InstructionId id = module_.operands(user)[operand];
  for (LeafPath& path : LeafPaths(module_.shape(id))) {
    leaves->push_back(Trace({id, std::move(path)}, {user, operand, true}));
  }
}

// --- leaves of the plan
// ------------------------------------------------------------------------------

std::vector<NodeId> Matching::Elements(NodeId packed) const {
  const PlanNode& node = Node(packed);
  if (node.opcode == Opcode::kTuple && node.role == NodeRole::kPacking) {
    return {node.operands.begin(), node.operands.end()};
  }
  return {packed};
}

std::vector<NodeId> Matching::Pick(const std::vector<NodeId>& elements, const LeafMap& map) {
  std::vector<NodeId> picked;
  for (int element : map) {
    const bool there = element >= 0 && static_cast<size_t>(element) < elements.size();
    picked.push_back(there ? elements[static_cast<size_t>(element)] : kNoNode);
  }
  return picked;
}

std::vector<NodeId> Matching::OperandNodes(const PlanNode& user, size_t num_leaves) const {
  if (user.opcode == Opcode::kWhile) {
    return Pick(Elements(user.operands[0]), Called(user, 0).parameter_leaves[0]);
  }
  std::vector<NodeId> nodes;
  if (user.opcode == Opcode::kConditional) {
    nodes.push_back(user.operands[0]);
    for (size_t b = 0; b < user.called.size(); ++b) {
      const std::vector<NodeId> picked =
          Pick(Elements(user.operands[b + 1]), Called(user, b).parameter_leaves[0]);
      nodes.insert(nodes.end(), picked.begin(), picked.end());
    }
    return nodes;
  }
  for (NodeId operand : user.operands) {
    const std::vector<NodeId> elements = Elements(operand);
    nodes.insert(nodes.end(), elements.begin(), elements.end());
  }
  if (user.opcode == Opcode::kCall && nodes.size() != num_leaves) {
    std::vector<NodeId> picked;
    for (const LeafMap& map : Called(user, 0).parameter_leaves) {
      const std::vector<NodeId> some = Pick(nodes, map);
      picked.insert(picked.end(), some.begin(), some.end());
    }
    return picked;
  }
  return nodes;
}

// --- matching
// ----------------------------------------------------------------------------------------

bool Matching::MayLieBetween(NodeId id) const {
  const PlanNode& node = Node(id);
  if (node.role == NodeRole::kConversion) {
    return node.opcode == Opcode::kCopy || node.opcode == Opcode::kCustomCall;
  }
  return node.opcode == Opcode::kCopy;
}

NodeId Matching::Behind(NodeId id) const {
  if (Node(id).role == NodeRole::kConversion && Node(id).opcode == Opcode::kCustomCall) {
    // A change of unreduced axes: conversion, copy, call, conversion, with a copy in front.
    for (int step = 0; step < 3; ++step) id = Node(id).operands[0];
  }
  return Node(id).operands[0];
}

bool Matching::StandsFor(NodeId node, InstructionId id) const {
  return absl::c_linear_search(NodesOf(id), node);
}

void Matching::TradeCopies() {
  for (InstructionId id : source_.instructions) {
    const auto it = nodes_.find(id);
    if (it == nodes_.end() || it->second.size() != 1) continue;
    const NodeId own = it->second[0];
    if (!MayLieBetween(own)) continue;
    const bool is_copy = Node(own).opcode == Opcode::kCopy;
    if (is_copy && !hlo::GetOpName(module_, id).empty()) continue;
    const auto operands = module_.operands(id);
    const InstructionId value = Trace({operands[0], {}}, {id, 0, true}).first.id;
    for (NodeId node = Behind(own); MayLieBetween(node) && !StandsFor(node, value);
         node = Behind(node)) {
      if (Node(node).opcode == Opcode::kCopy) it->second[0] = node;
    }
  }
}

void Matching::AddPair(InstructionId id, NodeId node) {
  nodes_[id].push_back(node);
  todo_.emplace_back(id, node);
}

// Equal constants, and broadcasts of one scalar, become one node.
bool Matching::HaveMerged(InstructionId id, NodeId node) const {
  const auto may_merge = [](Opcode opcode) {
    return opcode == Opcode::kConstant || opcode == Opcode::kBroadcast;
  };
  const PlanNode& other = Node(node);
  return other.source != id && other.source != hlo::kNoId && may_merge(other.opcode) &&
         may_merge(module_.instruction(id).opcode) && !absl::c_linear_search(NodesOf(id), node);
}

// The value behind copies of the text that the plan does without.
InstructionId Matching::Remaining(InstructionId id) const {
  while (NodesOf(id).empty() && (module_.instruction(id).opcode == Opcode::kCopy ||
                                 CallKindOf(module_, id) == CallKind::kConstraint)) {
    id = Trace({module_.operands(id)[0], {}}, {id, 0, true}).first.id;
  }
  return id;
}

// A reshape that changes nothing but the layout, and the one that the result got in its place.
bool Matching::LaysOut(InstructionId id, NodeId node) const {
  return module_.instruction(id).opcode == Opcode::kReshape &&
         Node(node).opcode == Opcode::kReshape && Node(node).source == hlo::kNoId &&
         !StandsFor(node, id);
}

void Matching::AddSlot(InstructionId id, NodeId user, const std::pair<Leaf, Holder>& leaf,
                       NodeId operand) {
  if (operand == kNoNode) return;
  Slot slot;
  slot.reader = id;
  slot.user = user;
  slot.holder = leaf.second;
  slot.source = leaf.first.id;
  const InstructionId source = Remaining(slot.source);
  while (!StandsFor(operand, source)) {
    const PlanNode& node = Node(operand);
    const bool own_part = node.role == NodeRole::kPart && node.source == id && id != hlo::kNoId &&
                          !node.operands.empty();
    if (MayLieBetween(operand)) slot.inserted.push_back(operand);
    if (!MayLieBetween(operand) && !own_part) break;
    operand = Behind(operand);
  }
  slot.value = operand;
  if (HaveMerged(slot.source, operand) || LaysOut(slot.source, operand)) {
    AddPair(slot.source, operand);
  }
  slots_.push_back(std::move(slot));
}

// A loop that reads two copies of one constant has room for one of them in the text. The other one
// then has no user there, and neither have the copies of what it was made from: users first, they
// are dropped.
void Matching::DropUnusedCopies() {
  absl::flat_hash_map<InstructionId, std::vector<const Slot*>> uses;
  for (const Slot& slot : slots_) uses[slot.source].push_back(&slot);
  for (auto id = source_.instructions.rbegin(); id != source_.instructions.rend(); ++id) {
    const auto it = nodes_.find(*id);
    if (it == nodes_.end() || it->second.size() < 2) continue;
    std::vector<NodeId> used;
    for (NodeId node : it->second) {
      const bool is_used = absl::c_any_of(
          uses[*id], [&](const Slot* slot) { return slot->value == node && HasReader(*slot); });
      if (is_used) used.push_back(node);
    }
    if (!used.empty()) it->second = std::move(used);
  }
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(),
                              [&](const Slot& slot) { return !HasReader(slot); }),
               slots_.end());
}

// The reader of the slot is still there: the result, a border of a shard_map, or an instruction.
bool Matching::HasReader(const Slot& slot) const {
  return slot.user == kNoNode || Node(slot.user).role == NodeRole::kBoundary ||
         StandsFor(slot.user, slot.reader);
}

void Matching::MatchUser(InstructionId id, NodeId user) {
  const PlanNode& node = Node(user);
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kIota)
    return;
  std::vector<std::pair<Leaf, Holder>> leaves;
  for (size_t k = 0; k < module_.operands(id).size(); ++k) AddOperandLeaves(id, k, &leaves);
  const std::vector<NodeId> operands = OperandNodes(node, leaves.size());
  for (size_t i = 0; i < leaves.size() && i < operands.size(); ++i) {
    AddSlot(id, user, leaves[i], operands[i]);
  }
}

void Matching::MatchConversions(InstructionId id, NodeId conversion) {
  std::vector<std::pair<Leaf, Holder>> leaves;
  for (size_t k = 0; k < module_.operands(id).size(); ++k) AddOperandLeaves(id, k, &leaves);
  const size_t number = static_cast<size_t>(Node(conversion).number);
  if (number < leaves.size()) {
    AddSlot(id, conversion, leaves[number], Node(conversion).operands[0]);
  }
}

void Matching::MatchResult() {
  std::vector<std::pair<Leaf, Holder>> leaves;
  for (LeafPath& path : LeafPaths(module_.shape(source_.root))) {
    leaves.push_back(Trace({source_.root, std::move(path)}, {hlo::kNoId, 0, true}));
  }
  NodeId root = target_.root;
  const PlanNode& last = Node(root);
  if (last.role == NodeRole::kPacking && last.opcode == Opcode::kGetTupleElement) {
    const PlanNode& tuple = Node(last.operands[0]);
    const bool wrapped = tuple.role == NodeRole::kPacking && tuple.opcode == Opcode::kTuple;
    if (wrapped) root = tuple.operands[0];
  }
  std::vector<NodeId> results = Elements(root);
  if (target_.is_loop_body) results = Pick(results, target_.parameter_leaves[0]);
  if (results.size() != leaves.size()) return;
  for (size_t i = 0; i < leaves.size(); ++i) AddSlot(hlo::kNoId, kNoNode, leaves[i], results[i]);
}

}  // namespace tessera::pipeline::writers
