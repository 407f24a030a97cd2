// The key of a visit is a list of words. It has the class and the shardings of the instruction. For
// each operand it has shape, shardings, the fingerprint of its node, and whether it is the same
// node as an earlier operand.

#include "tessera/sharding/partition/repeats/visit_cache.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::partition {
namespace {

// The words of a key: one for the instruction, then two for each operand. `first` is the place of
// the first operand with the same node.
uint64_t ClassWord(const VisitKey& key_parts) { return Pair(key_parts.class_id, key_parts.leaves); }
uint64_t LyingWord(const ValueState& value) { return Pair(value.shape, value.leaves); }
uint64_t StateWord(NodeFingerprints::State state, size_t first, const ValueState& value) {
  return Pair(state, static_cast<uint32_t>(first) << 1 | value.is_constant);
}

}  // namespace

// No other operand before it leads to the node.
bool VisitCache::IsApart(NodeId node) const {
  const FingerprintGroups& clusters = graph_.fingerprint_groups();
  for (size_t i = 0; i < num_operands_; ++i) {
    if (clusters.Of(nodes_[i]) == clusters.Of(node)) return false;
  }
  return true;
}

// False: there is no key to find it by.
bool VisitCache::ReadKey(const VisitKey& key_parts, Values& values) {
  num_operands_ = 0;
  if (key_parts.operands.size() > kMaxOperands) return false;
  uint64_t* word = key_.data();
  *word++ = ClassWord(key_parts);
  for (const hlo::InstructionId operand : key_parts.operands) {
    const ValueState& state = values.Of(operand);
    size_t first = 0;  // of the operands that are this node
    while (first < num_operands_ && nodes_[first] != state.node) ++first;
    if (first == num_operands_ && first != 0 && !IsApart(state.node)) return false;
    *word++ = LyingWord(state);
    *word++ = StateWord(states_.Of(state.node), first, state);
    nodes_[num_operands_++] = state.node;
  }
  return true;
}

// Whether ReadKey would read this one, whose operands are all different.
inline bool VisitCache::IsKey(Numbering::Words key, const VisitKey& key_parts, Values& values) {
  const size_t size = key_parts.operands.size();
  const uint64_t* word = key.data();
  if (key.size() != 1 + 2 * size || *word++ != ClassWord(key_parts)) return false;
  num_operands_ = 0;
  for (size_t i = 0; i < size; ++i) {
    const ValueState& state = values.Of(key_parts.operands[i]);
    const uint64_t other = word[0] ^ LyingWord(state);
    if ((other | (word[1] ^ StateWord(states_.Of(state.node), i, state))) != 0) return false;
    word += 2;
    if (i != 0 && !IsApart(state.node)) return false;
    nodes_[num_operands_++] = state.node;
  }
  return true;
}

inline NodeId VisitCache::CopyDirectly(const RecordedVisit& record) {
  const RecordedNode& node = writer_.pools().nodes[record.nodes.begin];
  const size_t size = graph_.node(node.model).operands.size;
  NodeId* const operands = graph_.RoomForOperands(size);
  const Ref* const refs = writer_.pools().operands.data() + node.operands;
  for (size_t i = 0; i < size; ++i) operands[i] = nodes_[static_cast<size_t>(~refs[i])];
  return graph_.AddLike(node.model, node.marks);
}

// Most often the key equals one of the last two of the class.
NodeId VisitCache::Replay(const VisitKey& key_parts, Values& values) {
  is_new_ = false;
  scope_ = key_parts.scope;
  Latest& latest = latest_[key_parts.class_id];
  if (latest.first == 0 || !IsKey(keys_.list(latest.first - 1), key_parts, values)) {
    if (!ReadKey(key_parts, values)) return kNone;
    FindKey(latest);
  }
  const RecordedVisit& record = records_[latest.first - 1];
  if (!record.is_known) return kNone;
  return record.is_direct ? CopyDirectly(record) : Copy(record);
}

// A new one has no record yet.
void VisitCache::FindKey(Latest& latest) {
  if (latest.second == 0 || !keys_.IsList(latest.second - 1, Key())) {
    const auto [number, is_new] = keys_.Of(Key());
    latest.second = number + 1;
    is_new_ = is_new;
    if (is_new) records_.emplace_back();
  }
  std::swap(latest.first, latest.second);
}

NodeId VisitCache::Copy(const RecordedVisit& record) {
  const RecordPools& pools = writer_.pools();
  before_.clear();
  for (const NodePath& path : RecordPools::Part(pools.before, record.before)) {
    const NodeId start = nodes_[static_cast<size_t>(path.start)];
    before_.push_back(path.IsOperand() ? start : Follow(path, start, graph_));
  }
  first_ = static_cast<NodeId>(graph_.size());
  for (const RecordedNode& node : RecordPools::Part(pools.nodes, record.nodes)) {
    const size_t size = graph_.node(node.model).operands.size;
    NodeId* const operands = graph_.RoomForOperands(size);
    const Ref* const refs = pools.operands.data() + node.operands;
    for (size_t i = 0; i < size; ++i) operands[i] = Resolve(refs[i]);
    graph_.AddLike(node.model, node.marks);
  }
  if (record.touches) CopyMarks(record);
  return Resolve(record.result);
}

void VisitCache::CopyMarks(const RecordedVisit& record) {
  const RecordPools& pools = writer_.pools();
  for (const auto& [ref, marks] : RecordPools::Part(pools.marked, record.marked)) {
    graph_.MarkLike(Resolve(ref), marks);
  }
  CopyMemory(record);
  for (const auto& [ref, state] : RecordPools::Part(pools.states, record.states)) {
    states_.Set(Resolve(ref), state);
  }
}

void VisitCache::CopyMemory(const RecordedVisit& record) {
  for (const DeviceGroupScope::Line& line :
       RecordPools::Part(writer_.pools().memory, record.memory)) {
    ReshardCache::Entry entry = line.entry;
    const NodeId node = Resolve(line.node);
    entry.node = Resolve(entry.node);
    if (entry.at != nullptr) {
      entry.at = &scope_->Numbered(graph_.reshard_cache().form(entry.form).scope);
    }
    graph_.Remember(node, entry);
    graph_.fingerprint_groups().Join(node, entry.node);
  }
}

void VisitCache::BeginRecord() {
  if (!is_new_) return;
  writer_.Begin(*scope_);
  for (size_t i = 0; i < num_operands_; ++i) {
    const NodeId* const first = std::find(nodes_.data(), nodes_.data() + i, nodes_[i]);
    if (first == nodes_.data() + i) writer_.Reach(static_cast<int32_t>(i), nodes_[i]);
  }
}

void VisitCache::EndRecord(NodeId result) {
  if (is_new_) records_.back() = writer_.End(result);
}

}  // namespace tessera::sharding::partition
