// The key of a visit is a list of words: kind and shardings, and for each operand shape, shardings,
// the state of its node, and whether it is the same node as an earlier one.

#include "tessera/sharding/partition/repeats.h"

#include <utility>

namespace tessera::sharding::partition {
namespace {

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

// Which of the operands is the first one of the same node.
size_t FirstOf(const Visited& visited, NodeId node) {
  size_t i = 0;
  while (visited.operands[i].node != node) ++i;
  return i;
}

}  // namespace

bool Repeats::OperandsAreApart() const {
  const Clusters& clusters = graph_.clusters();
  for (size_t i = 1; i < visited_->operands.size(); ++i) {
    const NodeId node = visited_->operands[i].node;
    for (size_t k = 0; k < i; ++k) {
      const NodeId other = visited_->operands[k].node;
      if (other != node && clusters.Of(other) == clusters.Of(node)) return false;
    }
  }
  return true;
}

Numbering::Words Repeats::Key() {
  uint64_t* at = key_.data();
  *at++ = Pair(visited_->kind, visited_->leaves);
  for (const Held& operand : visited_->operands) {
    const auto same = static_cast<uint32_t>(FirstOf(*visited_, operand.node));
    *at++ = Pair(operand.shape, operand.leaves);
    *at++ = Pair(states_.Of(operand.node), same << 1 | operand.is_constant);
  }
  return {key_.data(), static_cast<size_t>(at - key_.data())};
}

std::optional<NodeId> Repeats::Again(const Visited& visited) {
  visited_ = &visited;
  is_new_ = false;
  if (visited.operands.size() > kMaxOperands || !OperandsAreApart()) return std::nullopt;
  const uint32_t number = NumberOf(Key());
  if (is_new_ || outcomes_[number] == nullptr) return std::nullopt;
  return Copy(*outcomes_[number]);
}

// What followed the last time, often follows again.
uint32_t Repeats::NumberOf(Numbering::Words key) {
  uint32_t& follower = followers_[last_];
  if (follower == 0 || !keys_.IsList(follower - 1, key)) {
    const auto [number, is_new] = keys_.Of(key);
    follower = number + 1;
    is_new_ = is_new;
    last_ = number + 1;
    if (is_new) followers_.push_back(0);  // `follower` is no more
    return number;
  }
  last_ = follower;
  return last_ - 1;
}

NodeId Repeats::Copy(const Outcome& outcome) {
  before_.clear();
  for (const NodePath& path : outcome.before) {
    const NodeId start = visited_->operands[static_cast<size_t>(path.start)].node;
    before_.push_back(path.IsOperand() ? start : Follow(path, start, graph_));
  }
  first_ = static_cast<NodeId>(graph_.size());
  const Ref* operands = outcome.operands.data();
  for (const Node& node : outcome.nodes) {
    graph_.AddLike(node, {operands + node.operands.begin, node.operands.size},
                   [this](Ref ref) { return Resolve(ref); });
  }
  if (outcome.touches) CopyMarks(outcome);
  return Resolve(outcome.result);
}

void Repeats::CopyMarks(const Outcome& outcome) {
  for (const auto& [ref, model] : outcome.marked) graph_.MarkLike(Resolve(ref), model);
  CopyMemory(outcome);
  for (const auto& [ref, state] : outcome.states) states_.Set(Resolve(ref), state);
}

void Repeats::CopyMemory(const Outcome& outcome) {
  Memory& memory = graph_.memory();
  for (const Scope::Line& line : outcome.memory) {
    Memory::Entry entry = line.entry;
    const NodeId node = Resolve(line.node);
    entry.node = Resolve(entry.node);
    if (entry.at != nullptr) entry.at = &visited_->scope->Numbered(memory.form(entry.form).scope);
    memory.Put(node, entry);
    graph_.clusters().Join(node, entry.node);
  }
}

void Repeats::Watch() {
  if (!is_new_) return;
  std::vector<std::pair<int32_t, NodeId>> operands;
  for (size_t i = 0; i < visited_->operands.size(); ++i) {
    const NodeId node = visited_->operands[i].node;
    if (FirstOf(*visited_, node) == i) operands.emplace_back(static_cast<int32_t>(i), node);
  }
  writer_.Begin(*visited_->scope, operands);
}

void Repeats::Keep(NodeId result) {
  if (is_new_) outcomes_.push_back(writer_.End(result));
}

}  // namespace tessera::sharding::partition
