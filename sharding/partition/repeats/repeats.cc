// The key of a visit is a list of words: kind and shardings, and for each operand shape, shardings,
// the state of its node, and whether it is the same node as an earlier one.

#include "tessera/sharding/partition/repeats/repeats.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

// The words of a key: what the instruction is, then two for each operand. `first` is the place of
// the first operand of the same node.
uint64_t KindWord(const Asked& asked) { return Pair(asked.kind, asked.leaves); }
uint64_t LyingWord(const Held& held) { return Pair(held.shape, held.leaves); }
uint64_t StateWord(NodeStates::State state, size_t first, const Held& held) {
  return Pair(state, static_cast<uint32_t>(first) << 1 | held.is_constant);
}

}  // namespace

// No other operand before it leads to the node.
bool Repeats::IsApart(NodeId node) const {
  const Clusters& clusters = graph_.clusters();
  for (size_t i = 0; i < num_operands_; ++i) {
    if (clusters.Of(nodes_[i]) == clusters.Of(node)) return false;
  }
  return true;
}

// False: there is no key to find it by.
bool Repeats::ReadKey(const Asked& asked, Values& values) {
  num_operands_ = 0;
  if (asked.operands.size() > kMaxOperands) return false;
  uint64_t* word = key_.data();
  *word++ = KindWord(asked);
  for (const hlo::InstructionId operand : asked.operands) {
    const Held& held = values.Of(operand);
    size_t first = 0;  // of the operands that are this node
    while (first < num_operands_ && nodes_[first] != held.node) ++first;
    if (first == num_operands_ && first != 0 && !IsApart(held.node)) return false;
    *word++ = LyingWord(held);
    *word++ = StateWord(states_.Of(held.node), first, held);
    nodes_[num_operands_++] = held.node;
  }
  return true;
}

// Whether ReadKey would read this one, whose operands are all different.
inline bool Repeats::IsKey(Numbering::Words key, const Asked& asked, Values& values) {
  const size_t size = asked.operands.size();
  const uint64_t* word = key.data();
  if (key.size() != 1 + 2 * size || *word++ != KindWord(asked)) return false;
  num_operands_ = 0;
  for (size_t i = 0; i < size; ++i) {
    const Held& held = values.Of(asked.operands[i]);
    const uint64_t other = word[0] ^ LyingWord(held);
    if ((other | (word[1] ^ StateWord(states_.Of(held.node), i, held))) != 0) return false;
    word += 2;
    if (i != 0 && !IsApart(held.node)) return false;
    nodes_[num_operands_++] = held.node;
  }
  return true;
}

inline NodeId Repeats::CopyDirectly(const Outcome& outcome) {
  const Node& node = writer_.pools().nodes[outcome.nodes.begin];
  const size_t size = node.operands.size;
  NodeId* const operands = graph_.RoomForOperands(size);
  const Ref* const refs = writer_.pools().operands.data() + node.operands.begin;
  for (size_t i = 0; i < size; ++i) operands[i] = nodes_[static_cast<size_t>(~refs[i])];
  return graph_.AddLike(node, size);
}

// Most often it is what was done with one of the last two of the kind.
NodeId Repeats::Again(const Asked& asked, Values& values) {
  is_new_ = false;
  scope_ = asked.scope;
  Latest& latest = latest_[asked.kind];
  if (latest.first == 0 || !IsKey(keys_.list(latest.first - 1), asked, values)) {
    if (!ReadKey(asked, values)) return kNone;
    FindKey(latest);
  }
  const Outcome& outcome = outcomes_[latest.first - 1];
  if (!outcome.is_known) return kNone;
  return outcome.is_direct ? CopyDirectly(outcome) : Copy(outcome);
}

// A new one has no outcome yet.
void Repeats::FindKey(Latest& latest) {
  if (latest.second == 0 || !keys_.IsList(latest.second - 1, Key())) {
    const auto [number, is_new] = keys_.Of(Key());
    latest.second = number + 1;
    is_new_ = is_new;
    if (is_new) outcomes_.emplace_back();
  }
  std::swap(latest.first, latest.second);
}

NodeId Repeats::Copy(const Outcome& outcome) {
  const OutcomePools& pools = writer_.pools();
  before_.clear();
  for (const NodePath& path : OutcomePools::Part(pools.before, outcome.before)) {
    const NodeId start = nodes_[static_cast<size_t>(path.start)];
    before_.push_back(path.IsOperand() ? start : Follow(path, start, graph_));
  }
  first_ = static_cast<NodeId>(graph_.size());
  for (const Node& node : OutcomePools::Part(pools.nodes, outcome.nodes)) {
    const size_t size = node.operands.size;
    NodeId* const operands = graph_.RoomForOperands(size);
    const Ref* const refs = pools.operands.data() + node.operands.begin;
    for (size_t i = 0; i < size; ++i) operands[i] = Resolve(refs[i]);
    graph_.AddLike(node, size);
  }
  if (outcome.touches) CopyMarks(outcome);
  return Resolve(outcome.result);
}

void Repeats::CopyMarks(const Outcome& outcome) {
  const OutcomePools& pools = writer_.pools();
  for (const auto& [ref, model] : OutcomePools::Part(pools.marked, outcome.marked)) {
    graph_.MarkLike(Resolve(ref), model);
  }
  CopyMemory(outcome);
  for (const auto& [ref, state] : OutcomePools::Part(pools.states, outcome.states)) {
    states_.Set(Resolve(ref), state);
  }
}

void Repeats::CopyMemory(const Outcome& outcome) {
  for (const Scope::Line& line : OutcomePools::Part(writer_.pools().memory, outcome.memory)) {
    Memory::Entry entry = line.entry;
    const NodeId node = Resolve(line.node);
    entry.node = Resolve(entry.node);
    if (entry.at != nullptr) {
      entry.at = &scope_->Numbered(graph_.memory().form(entry.form).scope);
    }
    graph_.Remember(node, entry);
    graph_.clusters().Join(node, entry.node);
  }
}

void Repeats::Watch() {
  if (!is_new_) return;
  writer_.Begin(*scope_);
  for (size_t i = 0; i < num_operands_; ++i) {
    const NodeId* const first = std::find(nodes_.data(), nodes_.data() + i, nodes_[i]);
    if (first == nodes_.data() + i) writer_.Reach(static_cast<int32_t>(i), nodes_[i]);
  }
}

void Repeats::Keep(NodeId result) {
  if (is_new_) outcomes_.back() = writer_.End(result);
}

}  // namespace tessera::sharding::partition
