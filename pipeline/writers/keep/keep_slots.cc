// One slot of a matching, see keep_matching.cc: the instructions between the user and the value,
// and whether the text has copies of its own there.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/writers/custom_calls.h"
#include "tessera/pipeline/writers/keep/keep_matching.h"

namespace tessera::pipeline::writers {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloNode;
using sharding::passes::HloRole;
using sharding::passes::kNoNode;
using sharding::passes::NodeId;

namespace {

// The reshape that gives a result its layout; it stays out of the text.
bool GivesLayout(const HloNode& node) {
  return node.opcode() == Opcode::kReshape && node.source() == hlo::kNoId;
}

}  // namespace

// Equal constants, and broadcasts of one scalar, become one node.
bool Matching::HaveMerged(InstructionId id, NodeId node) const {
  const auto may_merge = [](Opcode opcode) {
    return opcode == Opcode::kConstant || opcode == Opcode::kBroadcast;
  };
  const HloNode other = Node(node);
  return other.source() != id && other.source() != hlo::kNoId && may_merge(other.opcode()) &&
         may_merge(module_.instruction(id).opcode) && !StandsFor(node, id);
}

// A copy of the text that the form does without.
bool Matching::HasVanished(InstructionId id) const {
  return NodesOf(id).empty() && (module_.instruction(id).opcode == Opcode::kCopy ||
                                 CallKindOf(module_, id) == CallKind::kConstraint);
}

// The value after such copies.
InstructionId Matching::Remaining(InstructionId id) const {
  while (HasVanished(id)) id = SourceOf(module_, module_.operands(id)[0]);
  return id;
}

size_t Matching::NumVanished(InstructionId id) const {
  size_t count = 0;
  for (; HasVanished(id); ++count) id = SourceOf(module_, module_.operands(id)[0]);
  return count;
}

// A reshape that changes nothing but the layout, and the one that the result got in its place.
bool Matching::LaysOut(InstructionId id, NodeId node) const {
  return module_.instruction(id).opcode == Opcode::kReshape && GivesLayout(Node(node)) &&
         !StandsFor(node, id);
}

// Steps to the operand of a copy of the text, or to the initial value of a loop that is gone.
bool Matching::StepToSource(TextLeaf* leaf) const {
  const bool is_copy = module_.instruction(leaf->source).opcode == Opcode::kCopy ||
                       CallKindOf(module_, leaf->source) == CallKind::kConstraint;
  if (!is_copy && !IsGoneLoop(leaf->source)) return false;
  std::vector<TextLeaf> leaves;
  AddOperandLeaves(module_, leaf->source, 0, &leaves);
  const size_t number = layout::LeafNumbers().Of(module_.shape(leaf->source), leaf->path);
  *leaf = leaves[number];
  return true;
}

bool Matching::LeadsTo(InstructionId id, TextLeaf leaf) const {
  while (leaf.source != id) {
    if (!StepToSource(&leaf)) return false;
  }
  return true;
}

// The way from the user has led past the value without meeting it. The copies of the text after the
// value stay where they are. The last one before them need not be there if the value is a copy like
// it.
//
//   text: c = constraint(v); k = constraint(c); add(k)     form: v, c, k = copy(c); add(copy(c))
NodeId Matching::LeaveOut(const Slot& slot, const TextLeaf& leaf, NodeId value) {
  const InstructionId source = Remaining(leaf.source);
  const auto is_of_text = [&](NodeId node) {
    const InstructionId id = Node(node).source();
    return id != hlo::kNoId && id != source && StandsFor(node, id) && LeadsTo(id, leaf);
  };
  const auto begin = inserted_.begin() + slot.first_inserted;
  const auto first = std::find_if(begin, inserted_.end(), is_of_text);
  if (first != inserted_.end()) value = *first;
  inserted_.erase(first, inserted_.end());
  const auto is_like = [&](NodeId own) {
    const NodeId last = inserted_.back();
    return Node(own).opcode() == Node(last).opcode() &&
           Node(own).sharding() == Node(last).sharding() && view_.MayLieBetween(own) &&
           view_.SourceOf(own) == view_.SourceOf(last);
  };
  const NodeLists::List& nodes = NodesOf(source);
  if (inserted_.size() == slot.first_inserted || nodes.size() != 1 || !is_like(nodes[0])) {
    return value;
  }
  inserted_.pop_back();
  return nodes[0];
}

void Matching::AddSlot(InstructionId id, NodeId user, const TextLeaf& leaf, NodeId operand) {
  if (operand == kNoNode) return;
  Slot slot;
  slot.reader = id;
  slot.user = user;
  slot.holder = leaf.holder;
  slot.source = leaf.source;
  if (!leaf.holder.exists) {
    slot.packed = static_cast<uint32_t>(packed_.size());
    packed_.push_back(leaf.within);
  }
  slot.first_inserted = static_cast<uint32_t>(inserted_.size());
  const InstructionId source = Remaining(slot.source);
  while (!StandsFor(operand, source)) {
    const HloNode node = Node(operand);
    const bool own_part = node.role() == HloRole::kPart && node.source() == id &&
                          id != hlo::kNoId && !node.operands().empty();
    const bool lays_out =
        GivesLayout(node) && module_.instruction(source).opcode != Opcode::kReshape;
    if (view_.MayLieBetween(operand)) inserted_.push_back(operand);
    if (!view_.MayLieBetween(operand) && !own_part && !lays_out) break;
    operand = view_.SourceOf(operand);
  }
  if (!StandsFor(operand, source)) operand = LeaveOut(slot, leaf, operand);
  slot.num_inserted = static_cast<uint32_t>(inserted_.size()) - slot.first_inserted;
  slot.value = operand;
  if (HaveMerged(slot.source, operand) || LaysOut(slot.source, operand)) {
    AddPair(slot.source, operand);
  }
  if (source != slot.source && !TakeCopy(&slot)) AddSlotAfter(slot.source, operand);
  if (IsSettled(slot)) return NoteUse(slot);
  slots_.push_back(slot);
}

// A copy of the text without an op_name, which the form lacks, stands for the inserted one nearest
// to the value.
bool Matching::TakeCopy(Slot* slot) {
  if (slot->num_inserted == 0 || !hlo::GetOpName(module_, slot->source).empty()) return false;
  const NodeId nearest = inserted_.back();
  if (Node(nearest).opcode() != Opcode::kCopy) return false;
  inserted_.pop_back();
  --slot->num_inserted;
  slot->value = nearest;
  AddPair(slot->source, nearest);
  return true;
}

// Copies of the text that the form lacks still read the operand of their user.
void Matching::AddSlotAfter(InstructionId copy, NodeId value) {
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

}  // namespace tessera::pipeline::writers
