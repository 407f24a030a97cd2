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

uint64_t Repeats::StateWord(size_t operand) {
  const Held& held = visited_->operands[operand];
  const auto same = static_cast<uint32_t>(FirstOf(*visited_, held.node));
  return Pair(states_.Of(held.node), same << 1 | held.is_constant);
}

Numbering::Words Repeats::Key() {
  uint64_t* at = key_.data();
  *at++ = Pair(visited_->kind, visited_->leaves);
  for (size_t i = 0; i < visited_->operands.size(); ++i) {
    *at++ = Pair(visited_->operands[i].shape, visited_->operands[i].leaves);
    *at++ = StateWord(i);
  }
  return {key_.data(), static_cast<size_t>(at - key_.data())};
}

// Whether Key would be this one.
bool Repeats::IsKey(Numbering::Words key) {
  const auto& operands = visited_->operands;
  const uint64_t* at = key.data();
  if (key.size() != 1 + 2 * operands.size()) return false;
  if (*at++ != Pair(visited_->kind, visited_->leaves)) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (*at++ != Pair(operands[i].shape, operands[i].leaves)) return false;
    if (*at++ != StateWord(i)) return false;
  }
  return true;
}

std::optional<NodeId> Repeats::Directly(Kinds::Id kind, LeafLists::Id leaves,
                                        absl::Span<const hlo::InstructionId> operand_ids,
                                        Values& values) {
  const uint32_t number = direct_[kind];
  if (number == 0) return std::nullopt;
  const Numbering::Words key = keys_.list(number - 1);
  if (key.size() != 1 + 2 * operand_ids.size() || key[0] != Pair(kind, leaves)) return std::nullopt;
  const Clusters& clusters = graph_.clusters();
  const uint64_t* word = key.data() + 1;
  uint32_t place = 0;
  for (const hlo::InstructionId operand : operand_ids) {
    const Held& held = values.Of(operand);
    if (*word++ != Pair(held.shape, held.leaves)) return std::nullopt;
    if (*word++ != Pair(states_.Of(held.node), place << 1 | held.is_constant)) return std::nullopt;
    for (uint32_t i = 0; i < place; ++i) {
      if (clusters.Of(nodes_[i]) == clusters.Of(held.node)) return std::nullopt;
    }
    nodes_[place++] = held.node;
  }
  const Outcome& outcome = *outcomes_[number - 1];
  return graph_.AddLike(outcome.nodes[0], absl::MakeConstSpan(outcome.operands),
                        [this](Ref ref) { return nodes_[static_cast<size_t>(~ref)]; });
}

std::optional<NodeId> Repeats::Again(const Visited& visited) {
  visited_ = &visited;
  is_new_ = false;
  if (visited.operands.size() > kMaxOperands || !OperandsAreApart()) return std::nullopt;
  const uint32_t number = NumberOfKey();
  if (is_new_ || outcomes_[number] == nullptr) return std::nullopt;
  return Copy(number);
}

// What followed the last time often follows again, or what was done with the last one of the kind.
uint32_t Repeats::NumberOfKey() {
  const auto is_it = [this](uint32_t guess) { return guess != 0 && IsKey(keys_.list(guess - 1)); };
  uint32_t number = followers_[last_];
  uint32_t& of_kind = of_kind_[visited_->kind];
  if (!is_it(number)) {
    number = of_kind;
    if (!is_it(number)) {
      const auto [found, is_new] = keys_.Of(Key());
      number = found + 1;
      is_new_ = is_new;
      if (is_new) followers_.push_back(0);
    }
    followers_[last_] = number;
  }
  last_ = of_kind = number;
  return number - 1;
}

NodeId Repeats::Copy(uint32_t number) {
  const Outcome& outcome = *outcomes_[number];
  const Ref* operands = outcome.operands.data();
  if (outcome.is_direct) {
    direct_[visited_->kind] = number + 1;
    return graph_.AddLike(outcome.nodes[0], absl::MakeConstSpan(outcome.operands), [this](Ref ref) {
      return visited_->operands[static_cast<size_t>(~ref)].node;
    });
  }
  before_.clear();
  for (const NodePath& path : outcome.before) {
    const NodeId start = visited_->operands[static_cast<size_t>(path.start)].node;
    before_.push_back(path.IsOperand() ? start : Follow(path, start, graph_));
  }
  first_ = static_cast<NodeId>(graph_.size());
  for (const Node& node : outcome.nodes) {
    graph_.AddLike(node, absl::MakeConstSpan(operands + node.operands.begin, node.operands.size),
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
