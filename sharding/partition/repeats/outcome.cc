#include "tessera/sharding/partition/repeats/outcome.h"

#include <algorithm>

namespace tessera::sharding::partition {

void OutcomeWriter::Begin(Scope& scope, const std::vector<std::pair<int32_t, NodeId>>& operands) {
  scope_ = &scope;
  first_ = static_cast<NodeId>(graph_.size());
  operands_.clear();
  reached_.clear();
  for (const auto& [place, node] : operands) {
    operands_.push_back(node);
    const auto reached = states_.Reach(node, place);
    reached_.insert(reached_.end(), reached.begin(), reached.end());
  }
  journal_.clear();
  marked_.clear();
  scope.KeepJournal(&journal_);
  graph_.ListMarked(&marked_);
}

std::unique_ptr<Outcome> OutcomeWriter::End(NodeId result) {
  scope_->KeepJournal(nullptr);
  graph_.ListMarked(nullptr);
  out_ = std::make_unique<Outcome>();
  before_.clear();
  is_good_ = true;
  NumberNodes(result);
  out_->result = RefOf(result);
  for (NodeId id : marked_) {
    if (id < first_) out_->marked.emplace_back(RefOf(id), graph_.node(id));
  }
  WriteMemory();
  states_.Of(result);  // copies of its node know it, too
  WriteNodes();
  if (!is_good_) return nullptr;
  WriteStates(result);
  out_->touches = !out_->memory.empty() || !out_->marked.empty();
  FindDirect();
  return std::move(out_);
}

void OutcomeWriter::Need(NodeId id) {
  if (id >= first_) At(index_, id - first_) = 0;
}

void OutcomeWriter::NumberNodes(NodeId result) {
  index_.assign(static_cast<size_t>(graph_.size() - first_), -1);
  Need(result);
  for (const Scope::Line& line : journal_) {
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

Ref OutcomeWriter::RefOf(NodeId id) {
  if (id >= first_) return At(index_, id - first_);
  const auto known = std::find(before_.begin(), before_.end(), id);
  if (known != before_.end()) return ~static_cast<Ref>(known - before_.begin());
  const auto is_it = [id](const NodeStates::Reached& reached) { return reached.node == id; };
  const auto found = std::find_if(reached_.begin(), reached_.end(), is_it);
  // Where two ways lead to the node they may lead to different ones another time.
  if (found == reached_.end() || std::any_of(found + 1, reached_.end(), is_it)) {
    is_good_ = false;
    return ~0;
  }
  before_.push_back(id);
  out_->before.push_back(found->path);
  return ~static_cast<Ref>(before_.size() - 1);
}

void OutcomeWriter::WriteMemory() {
  out_->memory = journal_;
  for (Scope::Line& line : out_->memory) {
    is_good_ &= line.entry.at == nullptr || !ScopeNumbers::IsPrivate(line.entry.at->number());
    line.node = RefOf(line.node);
    line.entry.node = RefOf(line.entry.node);
  }
}

void OutcomeWriter::WriteNodes() {
  for (int64_t i = 0; i < Size(index_); ++i) {
    if (At(index_, i) < 0) continue;
    const NodeId id = first_ + static_cast<NodeId>(i);
    Node& node = out_->nodes.emplace_back(graph_.node(id));
    is_good_ &= node.site < 0;
    node.has_memory = false;  // until it is copied, too
    node.operands.begin = static_cast<uint32_t>(out_->operands.size());
    for (NodeId operand : graph_.operands(id)) out_->operands.push_back(RefOf(operand));
  }
}

void OutcomeWriter::FindDirect() {
  const auto is_operand = [](const NodePath& path) { return path.IsOperand(); };
  const std::vector<NodePath>& before = out_->before;
  out_->is_direct = !out_->touches && out_->nodes.size() == 1 && out_->result == 0 &&
                    std::all_of(before.begin(), before.end(), is_operand);
  if (!out_->is_direct) return;
  for (Ref& ref : out_->operands) ref = ~At(before, ~ref).start;
}

void OutcomeWriter::WriteStates(NodeId result) {
  const auto write = [this](NodeId node) {
    if (graph_.node(node).has_memory) out_->states.emplace_back(RefOf(node), states_.Of(node));
  };
  if (out_->memory.empty() && out_->marked.empty()) return;
  write(result);
  for (NodeId operand : operands_) write(operand);
}

}  // namespace tessera::sharding::partition
