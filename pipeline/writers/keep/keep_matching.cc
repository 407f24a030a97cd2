// Copies are what users and values are matched through. Between a value and its user there may be
// copies that the text has (constraints, copies) and ones that were inserted:
//
//   text    v -> constraint -> user
//   form    v -> copy {a} (inserted) -> copy {b} (the constraint) -> user
//
// Which of the two is called the constraint makes no difference to the program. With an op_name it
// is the one of that name. Without, the reference's result does not tell them apart, and the one
// nearer to the value takes the name: RematCopies does so. The same where a shard_map has the
// op_name of the constraint at its border: what was inserted for the shard_map, with the border's
// sharding, has that name, too.
//
// Each pair of an instruction and a node that stands for it is taken once: the leaves that the
// instruction reads are put beside the nodes that the node reads. That may show that a value is
// one with an equal one, which makes a further pair.
//
// What a slot is, once its leaf and its node are known, is in keep_slots.cc; keep_changes.cc leaves
// those that the text must change for.
//
// Cost: linear in leaves read and nodes passed. Tested by writers_test.cc.

#include "tessera/pipeline/writers/keep/keep_matching.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"

namespace tessera::pipeline::writers {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::kNoNode;
using sharding::passes::NodeId;

Matching::Matching(const hlo::Module& module, hlo::ComputationId computation,
                   const sharding::passes::HloForm& form, int counterpart, NodeLists* lists)
    : module_(module),
      source_(module.computation(computation)),
      view_(form, counterpart),
      lists_(*lists) {
  if (view_.num_nodes() == 0) return;
  used_nodes_.assign(view_.num_nodes(), false);
  IndexNodes();
  RematCopies();
  MatchAll();
  DropUnusedCopies();
  NoteUses();
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
  for (NodeId id = 0; id < static_cast<NodeId>(view_.num_nodes()); ++id) {
    const HloNode node = Node(id);
    if (node.source() == hlo::kNoId) continue;
    if (node.role() == HloRole::kCounterpart) lists_.Add(node.source(), id);
    // A constraint that made axes unreduced ends in the conversion back to the whole shape, or
    // where its padding is cut off.
    const bool is_call = node.opcode() == Opcode::kCustomCall;
    const bool ends_change =
        node.role() == HloRole::kConversion &&
        (node.opcode() == Opcode::kSlice ||
         (is_call && absl::StrContains(node.attributes()[0].second, "ShardToFull")));
    if (ends_change) lists_.Add(node.source(), id);
    if (node.role() == HloRole::kBoundary && node.opcode() == Opcode::kCustomCall) {
      conversions_[{node.source(), node.number()}] = id;
      if (SharesNameWithReader(node)) nameless_.insert(node.operands()[0]);
    }
  }
}

// Whether the copy at the border of a shard_map has its op_name.
bool Matching::SharesNameWithReader(const HloNode& border) const {
  const InstructionId copy = Node(border.operands()[0]).source();
  return copy != hlo::kNoId &&
         hlo::GetOpName(module_, copy) == hlo::GetOpName(module_, border.source());
}

bool Matching::StandsFor(NodeId node, InstructionId id) const { return lists_.Has(id, node); }

void Matching::RematCopies() {
  for (InstructionId id : source_.instructions) {
    if (NodesOf(id).size() != 1) continue;
    NodeId& own = lists_.Of(id)[0];
    if (!view_.MayLieBetween(own)) continue;
    const bool is_copy = Node(own).opcode() == Opcode::kCopy;
    const bool is_named = is_copy && !hlo::GetOpName(module_, id).empty();
    if (is_named && !nameless_.contains(own)) continue;
    const auto may_trade = [&](NodeId node) {
      return Node(node).opcode() == Opcode::kCopy &&
             (!is_named || Node(node).sharding() == Node(own).sharding());
    };
    const InstructionId next = SourceOf(module_, module_.operands(id)[0]);
    // Copies of the text that the form does without, nearer to the value, take theirs first.
    const size_t taken = NumVanished(next);
    const InstructionId value = Remaining(next);
    std::vector<NodeId> copies = {own};
    for (NodeId node = view_.SourceOf(own); view_.MayLieBetween(node) && !StandsFor(node, value);
         node = view_.SourceOf(node)) {
      if (may_trade(node)) copies.push_back(node);
    }
    own = copies.size() > taken ? copies[copies.size() - 1 - taken] : own;
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

// Operand k of the instruction is operand k of its node: what most instructions are like.
bool Matching::HasSameOperands(InstructionId id, const HloNode& user) const {
  const auto operands = module_.operands(id);
  const bool has_regions = user.opcode() == Opcode::kWhile ||
                           user.opcode() == Opcode::kConditional || user.opcode() == Opcode::kCall;
  if (has_regions || user.operands().size() != operands.size()) return false;
  return absl::c_none_of(operands, [&](InstructionId o) { return module_.shape(o).is_tuple(); }) &&
         absl::c_none_of(user.operands(), [&](NodeId o) { return Node(o).shape().is_tuple(); });
}

// The text names what the node reads, and neither can come to be more: such a slot is settled.
bool Matching::IsNamed(InstructionId operand, NodeId node) const {
  const Opcode opcode = module_.instruction(operand).opcode;
  return opcode != Opcode::kGetTupleElement && !MayGetMore(operand) && NodesOf(operand)[0] == node;
}

void Matching::MatchUser(InstructionId id, NodeId user) {
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant || opcode == Opcode::kIota)
    return;
  if (HasSameOperands(id, Node(user))) return MatchOperands(id, user);
  leaves_.clear();
  operands_.clear();
  const uint32_t n = static_cast<uint32_t>(module_.operands(id).size());
  for (uint32_t k = 0; k < n; ++k) AddOperandLeaves(module_, id, k, &leaves_);
  view_.AddOperands(Node(user), leaves_.size(), &operands_);
  for (size_t i = 0; i < leaves_.size() && i < operands_.size(); ++i) {
    AddSlot(id, user, leaves_[i], operands_[i]);
  }
}

void Matching::MatchOperands(InstructionId id, NodeId user) {
  for (uint32_t k = 0; k < module_.operands(id).size(); ++k) {
    const NodeId operand = Node(user).operands()[k];
    if (IsNamed(module_.operands(id)[k], operand)) {
      used_nodes_[static_cast<size_t>(operand)] = true;
      continue;
    }
    leaves_.clear();
    AddOperandLeaves(module_, id, k, &leaves_);
    AddSlot(id, user, leaves_[0], operand);
  }
}

void Matching::MatchConversions(InstructionId id, NodeId conversion) {
  std::vector<TextLeaf> leaves;
  const uint32_t n = static_cast<uint32_t>(module_.operands(id).size());
  for (uint32_t k = 0; k < n; ++k) AddOperandLeaves(module_, id, k, &leaves);
  const size_t number = static_cast<size_t>(Node(conversion).number());
  if (number < leaves.size()) {
    AddSlot(id, conversion, leaves[number], Node(conversion).operands()[0]);
  }
}

void Matching::MatchResult() {
  std::vector<TextLeaf> leaves;
  AddResultLeaves(module_, source_.root, &leaves);
  std::vector<NodeId> results;
  view_.AddResults(&results);
  if (results.size() != leaves.size()) return;
  for (size_t i = 0; i < leaves.size(); ++i) AddSlot(hlo::kNoId, kNoNode, leaves[i], results[i]);
}

}  // namespace tessera::pipeline::writers
