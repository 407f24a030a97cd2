// Copies are what users and values are matched through. Between a value and its user there may be
// copies that the text has (constraints, copies) and ones that were inserted:
//
//   text    v -> constraint -> user
//   plan    v -> copy {a} (inserted) -> copy {b} (the constraint) -> user
//
// Which of the two is called the constraint makes no difference to the program. With an op_name it
// is the one of that name. Without, the reference's result does not tell them apart, and the one
// nearer to the value takes the name: TradeCopies does so.
//
// Each pair of an instruction and a node that stands for it is taken once: the leaves that the
// instruction reads are put beside the nodes that the node reads. That may show that a value is
// one with an equal one, which makes a further pair.
//
// Cost: linear in leaves read and nodes passed. Tested by writers_test.cc.

#include "tessera/pipeline/writers/keep_matching.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"

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
                   const sharding::graph::ExportPlan& plan, int counterpart, NodeLists* lists)
    : module_(module),
      source_(module.computation(computation)),
      plan_(plan),
      target_(plan.computations[static_cast<size_t>(counterpart)]),
      lists_(*lists) {
  if (target_.nodes.empty()) return;
  used_nodes_.assign(target_.nodes.size(), false);
  IndexNodes();
  TradeCopies();
  MatchAll();
  DropUnusedCopies();
  for (const Slot& slot : slots_) NoteUse(slot);
  KeepChanges();
}

bool Matching::HasUser(InstructionId id) const {
  const auto is_used = [&](NodeId node) { return used_nodes_[static_cast<size_t>(node)]; };
  return used_constraints_.contains(id) || absl::c_any_of(NodesOf(id), is_used);
}

NodeId Matching::ConversionOf(InstructionId id, int64_t number) const {
  const auto it = conversions_.find({id, number});
  return it == conversions_.end() ? kNoNode : it->second;
}

void Matching::IndexNodes() {
  for (NodeId id = 0; id < static_cast<NodeId>(target_.nodes.size()); ++id) {
    const PlanNode& node = Node(id);
    if (node.source == hlo::kNoId) continue;
    if (node.role == NodeRole::kCounterpart) lists_.Add(node.source, id);
    // A constraint that made axes unreduced ends in the conversion back to the whole shape.
    const bool ends_change = node.role == NodeRole::kConversion &&
                             node.opcode == Opcode::kCustomCall &&
                             absl::StrContains(node.attributes[0].second, "ShardToFull");
    if (ends_change) lists_.Add(node.source, id);
    if (node.role == NodeRole::kBoundary && node.opcode == Opcode::kCustomCall) {
      conversions_[{node.source, node.number}] = id;
    }
  }
}

// --- leaves of the plan
// ------------------------------------------------------------------------------

void Matching::AddElements(NodeId packed, std::vector<NodeId>* elements) const {
  const PlanNode& node = Node(packed);
  if (node.opcode == Opcode::kTuple && node.role == NodeRole::kPacking) {
    elements->insert(elements->end(), node.operands.begin(), node.operands.end());
  } else {
    elements->push_back(packed);
  }
}

void Matching::AddPicked(NodeId packed, const LeafMap& map, std::vector<NodeId>* nodes) const {
  std::vector<NodeId> elements;
  AddElements(packed, &elements);
  for (int element : map) {
    const bool there = element >= 0 && static_cast<size_t>(element) < elements.size();
    nodes->push_back(there ? elements[static_cast<size_t>(element)] : kNoNode);
  }
}

void Matching::AddOperandNodes(const PlanNode& user, size_t num_leaves,
                               std::vector<NodeId>* nodes) const {
  if (user.opcode == Opcode::kWhile) {
    return AddPicked(user.operands[0], Called(user, 0).parameter_leaves[0], nodes);
  }
  if (user.opcode == Opcode::kConditional) {
    nodes->push_back(user.operands[0]);
    for (size_t b = 0; b < user.called.size(); ++b) {
      AddPicked(user.operands[b + 1], Called(user, b).parameter_leaves[0], nodes);
    }
    return;
  }
  for (NodeId operand : user.operands) AddElements(operand, nodes);
  if (user.opcode != Opcode::kCall || nodes->size() == num_leaves) return;
  const std::vector<NodeId> all = std::move(*nodes);
  nodes->clear();
  for (const LeafMap& map : Called(user, 0).parameter_leaves) {
    for (int element : map) {
      const bool there = element >= 0 && static_cast<size_t>(element) < all.size();
      nodes->push_back(there ? all[static_cast<size_t>(element)] : kNoNode);
    }
  }
}

// --- matching
// ----------------------------------------------------------------------------------------

bool Matching::MayLieBetween(NodeId id) const {
  const PlanNode& node = Node(id);
  if (node.opcode == Opcode::kCopy) return true;
  return node.role == NodeRole::kConversion && node.opcode == Opcode::kCustomCall;
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
    if (NodesOf(id).size() != 1) continue;
    NodeId& own = lists_.Of(id)[0];
    if (!MayLieBetween(own)) continue;
    const bool is_copy = Node(own).opcode == Opcode::kCopy;
    if (is_copy && !hlo::GetOpName(module_, id).empty()) continue;
    const InstructionId value = SourceOf(module_, module_.operands(id)[0]);
    for (NodeId node = Behind(own); MayLieBetween(node) && !StandsFor(node, value);
         node = Behind(node)) {
      if (Node(node).opcode == Opcode::kCopy) own = node;
    }
  }
}

void Matching::AddPair(InstructionId id, NodeId node) {
  lists_.Add(id, node);
  todo_.emplace_back(id, node);
}

void Matching::MatchAll() {
  const auto ids = lists_.instructions();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    for (NodeId node : NodesOf(*id)) todo_.emplace_back(*id, node);
  }
  for (const auto& [key, node] : conversions_) MatchConversions(key.first, node);
  MatchResult();
  while (!todo_.empty()) {
    const auto [id, node] = todo_.back();
    todo_.pop_back();
    MatchUser(id, node);
  }
}

// Equal constants, and broadcasts of one scalar, become one node.
bool Matching::HaveMerged(InstructionId id, NodeId node) const {
  const auto may_merge = [](Opcode opcode) {
    return opcode == Opcode::kConstant || opcode == Opcode::kBroadcast;
  };
  const PlanNode& other = Node(node);
  return other.source != id && other.source != hlo::kNoId && may_merge(other.opcode) &&
         may_merge(module_.instruction(id).opcode) && !StandsFor(node, id);
}

// The value behind copies of the text that the plan does without.
InstructionId Matching::Remaining(InstructionId id) const {
  while (NodesOf(id).empty() && (module_.instruction(id).opcode == Opcode::kCopy ||
                                 CallKindOf(module_, id) == CallKind::kConstraint)) {
    id = SourceOf(module_, module_.operands(id)[0]);
  }
  return id;
}

// A reshape that changes nothing but the layout, and the one that the result got in its place.
bool Matching::LaysOut(InstructionId id, NodeId node) const {
  return module_.instruction(id).opcode == Opcode::kReshape &&
         Node(node).opcode == Opcode::kReshape && Node(node).source == hlo::kNoId &&
         !StandsFor(node, id);
}

void Matching::AddSlot(InstructionId id, NodeId user, const TextLeaf& leaf, NodeId operand) {
  if (operand == kNoNode) return;
  Slot slot;
  slot.reader = id;
  slot.user = user;
  slot.holder = leaf.holder;
  slot.source = leaf.source;
  if (!leaf.holder.exists) {
    slot.untaken = static_cast<uint32_t>(untaken_.size());
    untaken_.push_back(leaf.within);
  }
  slot.first_inserted = static_cast<uint32_t>(inserted_.size());
  const InstructionId source = Remaining(slot.source);
  while (!StandsFor(operand, source)) {
    const PlanNode& node = Node(operand);
    const bool own_part = node.role == NodeRole::kPart && node.source == id && id != hlo::kNoId &&
                          !node.operands.empty();
    if (MayLieBetween(operand)) inserted_.push_back(operand);
    if (!MayLieBetween(operand) && !own_part) break;
    operand = Behind(operand);
  }
  slot.num_inserted = static_cast<uint32_t>(inserted_.size()) - slot.first_inserted;
  slot.value = operand;
  if (HaveMerged(slot.source, operand) || LaysOut(slot.source, operand)) {
    AddPair(slot.source, operand);
  }
  if (source != slot.source && !TakeCopy(&slot)) AddSlotBehind(slot.source, operand);
  if (IsSettled(slot)) return NoteUse(slot);
  slots_.push_back(slot);
}

// A copy of the text that the plan does without, and that no op_name tells from others, stands for
// the inserted one nearest to the value.
bool Matching::TakeCopy(Slot* slot) {
  if (slot->num_inserted == 0 || !hlo::GetOpName(module_, slot->source).empty()) return false;
  const NodeId nearest = inserted_.back();
  if (Node(nearest).opcode != Opcode::kCopy) return false;
  inserted_.pop_back();
  --slot->num_inserted;
  slot->value = nearest;
  AddPair(slot->source, nearest);
  return true;
}

// Copies of the text that the plan does without still read something: what their user reads.
void Matching::AddSlotBehind(InstructionId copy, NodeId value) {
  std::vector<TextLeaf> leaves;
  AddOperandLeaves(module_, copy, 0, &leaves);
  AddSlot(copy, kNoNode, leaves[0], value);
}

// Constants, broadcasts, reshapes and copies can turn out to be one with others, see AddPair.
bool Matching::MayGetMore(InstructionId id) const {
  const Opcode opcode = module_.instruction(id).opcode;
  return NodesOf(id).size() != 1 || opcode == Opcode::kConstant || opcode == Opcode::kBroadcast ||
         opcode == Opcode::kReshape || opcode == Opcode::kCopy || opcode == Opcode::kCustomCall;
}

bool Matching::IsSettled(const Slot& slot) const {
  return slot.num_inserted == 0 && !MayGetMore(slot.source) &&
         (slot.reader == hlo::kNoId || !MayGetMore(slot.reader));
}

void Matching::MatchUser(InstructionId id, NodeId user) {
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kIota)
    return;
  leaves_.clear();
  operands_.clear();
  const uint32_t n = static_cast<uint32_t>(module_.operands(id).size());
  for (uint32_t k = 0; k < n; ++k) AddOperandLeaves(module_, id, k, &leaves_);
  AddOperandNodes(Node(user), leaves_.size(), &operands_);
  for (size_t i = 0; i < leaves_.size() && i < operands_.size(); ++i) {
    AddSlot(id, user, leaves_[i], operands_[i]);
  }
}

void Matching::MatchConversions(InstructionId id, NodeId conversion) {
  std::vector<TextLeaf> leaves;
  const uint32_t n = static_cast<uint32_t>(module_.operands(id).size());
  for (uint32_t k = 0; k < n; ++k) AddOperandLeaves(module_, id, k, &leaves);
  const size_t number = static_cast<size_t>(Node(conversion).number);
  if (number < leaves.size()) {
    AddSlot(id, conversion, leaves[number], Node(conversion).operands[0]);
  }
}

void Matching::MatchResult() {
  std::vector<TextLeaf> leaves;
  AddResultLeaves(module_, source_.root, &leaves);
  NodeId root = target_.root;
  const PlanNode& last = Node(root);
  if (last.role == NodeRole::kPacking && last.opcode == Opcode::kGetTupleElement) {
    const PlanNode& tuple = Node(last.operands[0]);
    const bool wrapped = tuple.role == NodeRole::kPacking && tuple.opcode == Opcode::kTuple;
    if (wrapped) root = tuple.operands[0];
  }
  std::vector<NodeId> results;
  if (target_.is_loop_body) {
    AddPicked(root, target_.parameter_leaves[0], &results);
  } else {
    AddElements(root, &results);
  }
  if (results.size() != leaves.size()) return;
  for (size_t i = 0; i < leaves.size(); ++i) AddSlot(hlo::kNoId, kNoNode, leaves[i], results[i]);
}

// --- what the text must say
// ----------------------------------------------------------------------------------------

// A loop that reads two copies of one constant has room for one of them in the text. The other one
// then has no user there, and neither have the copies of what it was made from: users first, they
// are dropped.
void Matching::DropUnusedCopies() {
  absl::flat_hash_map<InstructionId, std::vector<const Slot*>> uses;  // of what has copies
  for (const Slot& slot : slots_) {
    if (NodesOf(slot.source).size() > 1) uses[slot.source].push_back(&slot);
  }
  bool dropped = false;
  for (auto id = source_.instructions.rbegin(); id != source_.instructions.rend(); ++id) {
    if (NodesOf(*id).size() < 2) continue;
    NodeLists::List used;
    for (NodeId node : NodesOf(*id)) {
      const bool is_used = absl::c_any_of(
          uses[*id], [&](const Slot* slot) { return slot->value == node && HasReader(*slot); });
      if (is_used) used.push_back(node);
    }
    if (used.empty() || used.size() == NodesOf(*id).size()) continue;
    lists_.Of(*id) = std::move(used);
    dropped = true;
  }
  if (!dropped) return;
  const auto is_lost = [&](const Slot& slot) { return !HasReader(slot); };
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_lost), slots_.end());
}

// The reader of the slot is still there: the result, a border of a shard_map, or an instruction.
bool Matching::HasReader(const Slot& slot) const {
  return slot.user == kNoNode || Node(slot.user).role == NodeRole::kBoundary ||
         StandsFor(slot.user, slot.reader);
}

void Matching::NoteUse(const Slot& slot) {
  used_nodes_[static_cast<size_t>(slot.value)] = true;
  if (CallKindOf(module_, slot.source) == CallKind::kConstraint) {
    used_constraints_.insert(slot.source);
  }
}

void Matching::KeepChanges() {
  const auto is_plain = [&](const Slot& slot) {
    return slot.num_inserted == 0 && NodesOf(slot.source).size() < 2;
  };
  slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_plain), slots_.end());
  std::stable_sort(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) {
    return std::make_pair(a.holder.instruction, a.holder.operand) <
           std::make_pair(b.holder.instruction, b.holder.operand);
  });
}

}  // namespace tessera::pipeline::writers
