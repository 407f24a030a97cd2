#include "tessera/sharding/partition/repeats/recorded_visit.h"

#include <algorithm>

namespace tessera::sharding::partition {
namespace {

// Calls `each(pool, part)` for every pool and the part of it that the record has.
template <typename Each>
void ForEachPart(const RecordPools& pools, RecordedVisit& record, Each each) {
  each(pools.nodes, record.nodes);
  each(pools.before, record.before);
  each(pools.memory, record.memory);
  each(pools.marked, record.marked);
  each(pools.states, record.states);
}

template <typename T>
uint32_t SizeOf(const std::vector<T>& pool) {
  return static_cast<uint32_t>(pool.size());
}

}  // namespace

void VisitRecorder::Begin(DeviceGroupScope& scope) {
  scope_ = &scope;
  first_ = static_cast<NodeId>(graph_.size());
  operands_.clear();
  reached_.clear();
  journal_.clear();
  marked_.clear();
  scope.KeepJournal(&journal_);
  graph_.ListMarked(&marked_);
}

void VisitRecorder::Reach(int32_t place, NodeId operand) {
  operands_.push_back(operand);
  states_.Reach(operand, place, &reached_);
}

// What is written of one that cannot be found again stays in the pools, of no use.
RecordedVisit VisitRecorder::End(NodeId result) {
  scope_->KeepJournal(nullptr);
  graph_.ListMarked(nullptr);
  before_.clear();
  is_good_ = true;
  RecordedVisit out;
  ForEachPart(pools_, out, [](const auto& pool, auto& part) { part.begin = SizeOf(pool); });
  NumberNodes(result);
  out.result = RefOf(result);
  WriteMarked();
  WriteMemory();
  states_.Of(result);  // copies of its node know it, too
  WriteNodes();
  out.touches =
      SizeOf(pools_.memory) != out.memory.begin || SizeOf(pools_.marked) != out.marked.begin;
  if (out.touches) WriteStates(result);
  ForEachPart(pools_, out,
              [](const auto& pool, auto& part) { part.size = SizeOf(pool) - part.begin; });
  out.is_known = is_good_;
  out.is_direct = is_good_ && IsDirect(out);
  if (out.is_direct) NameByPlace(out);
  return out;
}

void VisitRecorder::Need(NodeId id) {
  if (id >= first_) At(index_, id - first_) = 0;
}

void VisitRecorder::NumberNodes(NodeId result) {
  index_.assign(static_cast<size_t>(graph_.size() - first_), -1);
  Need(result);
  for (const DeviceGroupScope::Line& line : journal_) {
    Need(line.node);
    Need(line.entry.node);
  }
  for (int64_t i = Size(index_); i-- > 0;) {
    if (At(index_, i) < 0) continue;
    for (NodeId operand : graph_.operands(first_ + static_cast<NodeId>(i))) Need(operand);
  }
  int32_t next = 0;
  for (int32_t& index : index_) {
    if (index == 0) index = next++;
  }
}

Ref VisitRecorder::RefOf(NodeId id) {
  if (id >= first_) return At(index_, id - first_);
  const auto known = std::find(before_.begin(), before_.end(), id);
  if (known != before_.end()) return ~static_cast<Ref>(known - before_.begin());
  const auto is_it = [id](const NodeFingerprints::Reached& reached) { return reached.node == id; };
  const auto found = std::find_if(reached_.begin(), reached_.end(), is_it);
  // Where two ways lead to the node they may lead to different ones another time.
  if (found == reached_.end() || std::any_of(found + 1, reached_.end(), is_it)) {
    is_good_ = false;
    return ~0;
  }
  before_.push_back(id);
  pools_.before.push_back(found->path);
  return ~static_cast<Ref>(before_.size() - 1);
}

void VisitRecorder::WriteMarked() {
  for (NodeId id : marked_) {
    if (id < first_) pools_.marked.emplace_back(RefOf(id), graph_.node(id));
  }
}

void VisitRecorder::WriteMemory() {
  for (DeviceGroupScope::Line line : journal_) {
    is_good_ &= line.entry.at == nullptr || !ScopeNumbers::IsPrivate(line.entry.at->number());
    line.node = RefOf(line.node);
    line.entry.node = RefOf(line.entry.node);
    pools_.memory.push_back(line);
  }
}

void VisitRecorder::WriteNodes() {
  for (int64_t i = 0; i < Size(index_); ++i) {
    if (At(index_, i) < 0) continue;
    const NodeId id = first_ + static_cast<NodeId>(i);
    const Node& model = graph_.node(id);
    is_good_ &= model.site < 0;
    RecordedNode& node =
        pools_.nodes.emplace_back(RecordedNode{id, SizeOf(pools_.operands), model});
    node.marks.has_reshards = false;  // until it is copied, too
    for (NodeId operand : graph_.operands(id)) pools_.operands.push_back(RefOf(operand));
  }
}

void VisitRecorder::WriteStates(NodeId result) {
  const auto write = [this](NodeId node) {
    if (graph_.node(node).has_reshards) pools_.states.emplace_back(RefOf(node), states_.Of(node));
  };
  write(result);
  for (NodeId operand : operands_) write(operand);
}

bool VisitRecorder::IsDirect(const RecordedVisit& out) const {
  const auto before = RecordPools::Part(pools_.before, out.before);
  return !out.touches && out.nodes.size == 1 && out.result == 0 &&
         std::all_of(before.begin(), before.end(),
                     [](const NodePath& path) { return path.IsOperand(); });
}

void VisitRecorder::NameByPlace(const RecordedVisit& direct) {
  const RecordedNode& node = pools_.nodes[direct.nodes.begin];
  for (size_t i = 0, size = graph_.node(node.model).operands.size; i < size; ++i) {
    Ref& ref = pools_.operands[node.operands + i];
    ref = ~pools_.before[direct.before.begin + static_cast<uint32_t>(~ref)].start;
  }
}

}  // namespace tessera::sharding::partition
