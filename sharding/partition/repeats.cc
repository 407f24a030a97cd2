// The key of a visit is a list of numbers: opcode and marks, shape and shardings, and for each operand
// shape, shardings, the state of its node, and whether it is the same node as an earlier one. The
// texts of attributes are hashed, and compared with those of the first instruction of the key.

#include "tessera/sharding/partition/repeats.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/hash/hash.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

using hlo::AttributeName;

// Beside element-wise operations: what looks at the instruction itself, the values of its operands,
// and the root of the computation that it calls. Not who uses it.
constexpr Opcode kRepeatable[] = {
    Opcode::kBitcastConvert,
    Opcode::kBroadcast,
    Opcode::kConcatenate,
    Opcode::kConstant,
    Opcode::kConvolution,
    Opcode::kDot,
    Opcode::kDynamicUpdateSlice,
    Opcode::kDynamicSlice,
    Opcode::kIota,
    Opcode::kPad,
    Opcode::kParameter,
    Opcode::kReduce,
    Opcode::kReduceWindow,
    Opcode::kReshape,
    Opcode::kReverse,
    Opcode::kSlice,
    Opcode::kTranspose,
};

// More operands are no layer's.
constexpr size_t kMostOperands = 8;

std::array<bool, hlo::kNumOpcodes> MakeTable() {
  std::array<bool, hlo::kNumOpcodes> table = {};
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    table[static_cast<size_t>(i)] = rules::IsElementWiseOpcode(static_cast<Opcode>(i));
  }
  for (Opcode opcode : kRepeatable) table[static_cast<size_t>(opcode)] = true;
  return table;
}

bool IsRepeatable(Opcode opcode) {
  static const std::array<bool, hlo::kNumOpcodes> table = MakeTable();
  return table[static_cast<size_t>(opcode)];
}

// Of no meaning for the partitioner; shardings are in the key as lists of leaves.
bool IsRead(AttributeName name) {
  switch (name) {
    case AttributeName::kSharding:
    case AttributeName::kFrontendAttributes:
    case AttributeName::kStatistics:
    case AttributeName::kOrigin:
    case AttributeName::kMetadata:
    case AttributeName::kBackendConfig:
    case AttributeName::kToApply:  // its root is in the key
      return false;
    default:
      return true;
  }
}

// The next attribute that is read, from `i` on.
size_t SkipUnread(absl::Span<const hlo::Attribute> attributes, size_t i) {
  while (i < attributes.size() && !IsRead(attributes[i].name())) ++i;
  return i;
}

uint64_t Pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

// Calls `each(place, operand)` for every node among the operands once.
template <typename Each>
void Repeats::ForEachOperand(Each each) const {
  for (size_t i = 0; i < visited_->operands.size(); ++i) {
    const NodeId node = visited_->operands[i].node;
    bool is_first = true;
    for (size_t k = 0; k < i; ++k) is_first &= visited_->operands[k].node != node;
    if (is_first) each(static_cast<int32_t>(i), node);
  }
}

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

bool Repeats::CanRepeat() const {
  const Opcode opcode = module_.instruction(visited_->id).opcode;
  // Large constants are compared by nobody.
  if (opcode == Opcode::kConstant && module_.shape(visited_->id).rank() > 0) return false;
  return IsRepeatable(opcode) && visited_->operands.size() <= kMostOperands && OperandsAreApart();
}

void Repeats::MakeKey() {
  const hlo::Instruction& instruction = module_.instruction(visited_->id);
  key_.clear();
  uint32_t marks = static_cast<uint32_t>(instruction.opcode) | uint32_t{visited_->unreduced} << 8;
  for (hlo::ComputationId called : module_.called(visited_->id)) {
    const hlo::InstructionId root = module_.computation(called).root;
    marks = marks << 8 | static_cast<uint32_t>(module_.instruction(root).opcode);
  }
  key_.push_back(Pair(marks, static_cast<uint32_t>(visited_->operands.size())));
  key_.push_back(Pair(instruction.shape, visited_->leaves));
  for (size_t i = 0; i < visited_->operands.size(); ++i) {
    const Held& operand = visited_->operands[i];
    const hlo::InstructionId id = visited_->operand_ids[i];
    uint32_t same = 0;
    while (visited_->operands[same].node != operand.node) ++same;
    const bool is_constant = module_.instruction(id).opcode == Opcode::kConstant;
    key_.push_back(Pair(module_.shape_id(id), operand.leaves));
    key_.push_back(Pair(states_.Of(operand.node, *visited_->scope), same << 1 | is_constant));
  }
  hash_ = absl::HashOf(key_);
  ForEachLiteral(visited_->id,
                 [this](absl::string_view text) { hash_ = absl::HashOf(hash_, text); });
  const auto attributes = module_.attributes(visited_->id);
  for (size_t i = SkipUnread(attributes, 0); i < attributes.size();
       i = SkipUnread(attributes, i + 1)) {
    hash_ = absl::HashOf(hash_, static_cast<int>(attributes[i].name()), attributes[i].value());
  }
}

// The texts of constants that the visit reads: its own, or what is known of where an update begins.
template <typename Each>
void Repeats::ForEachLiteral(hlo::InstructionId id, Each each) const {
  const Opcode opcode = module_.instruction(id).opcode;
  if (opcode == Opcode::kConstant) each(module_.LiteralText(id));
  if (opcode != Opcode::kDynamicUpdateSlice) return;
  for (hlo::InstructionId start : module_.operands(id).subspan(2)) {
    const bool is_known = module_.instruction(start).opcode == Opcode::kConstant;
    if (is_known) each(module_.LiteralText(start));
  }
}

bool Repeats::SameLiterals(hlo::InstructionId a, hlo::InstructionId b) const {
  absl::InlinedVector<absl::string_view, 4> of_a, of_b;
  ForEachLiteral(a, [&of_a](absl::string_view text) { of_a.push_back(text); });
  ForEachLiteral(b, [&of_b](absl::string_view text) { of_b.push_back(text); });
  return of_a == of_b;
}

bool Repeats::SameAttributes(hlo::InstructionId a, hlo::InstructionId b) const {
  const auto of_a = module_.attributes(a), of_b = module_.attributes(b);
  size_t i = SkipUnread(of_a, 0), k = SkipUnread(of_b, 0);
  while (i < of_a.size() && k < of_b.size()) {
    if (of_a[i].name() != of_b[k].name() || of_a[i].value() != of_b[k].value()) return false;
    i = SkipUnread(of_a, i + 1);
    k = SkipUnread(of_b, k + 1);
  }
  return i == of_a.size() && k == of_b.size();
}

const Repeats::Entry* Repeats::Find() const {
  const auto newest = newest_.find(hash_);
  int32_t i = newest == newest_.end() ? -1 : newest->second;
  while (i >= 0) {
    const Entry& entry = At(entries_, i);
    if (entry.key == key_ && SameAttributes(entry.like, visited_->id) &&
        SameLiterals(entry.like, visited_->id)) {
      return &entry;
    }
    i = entry.next;
  }
  return nullptr;
}

void Repeats::Ask(const Visited& visited) {
  visited_ = &visited;
  may_repeat_ = CanRepeat();
  if (may_repeat_) MakeKey();
}

std::optional<NodeId> Repeats::Again() {
  if (!may_repeat_) return std::nullopt;
  const Entry* found = Find();
  if (found == nullptr) return std::nullopt;
  may_repeat_ = false;  // known, if only as what cannot be copied
  if (found->outcome == nullptr) return std::nullopt;
  return Copy(*found->outcome);
}

NodeId Repeats::Copy(const Outcome& outcome) {
  before_.clear();
  for (const NodePath& path : outcome.before) {
    before_.push_back(Follow(path, At(visited_->operands, path.start).node, *visited_->scope));
  }
  first_ = static_cast<NodeId>(graph_.size());
  const auto operands = absl::MakeConstSpan(outcome.operands);
  for (const Node& node : outcome.nodes) {
    graph_.AddLike(node, operands.subspan(node.operands.begin, node.operands.size),
                   [this](Ref ref) { return Resolve(ref); });
  }
  for (const auto& [ref, model] : outcome.marked) graph_.MarkLike(Resolve(ref), model);
  CopyMemory(outcome);
  for (const auto& [ref, state] : outcome.states) states_.Set(Resolve(ref), state);
  return Resolve(outcome.result);
}

void Repeats::CopyMemory(const Outcome& outcome) {
  Scope& scope = *visited_->scope;
  for (const auto& line : outcome.journal.reshards) {
    Value value = line.entry.second;
    value.node = Resolve(value.node);
    value.scope = &scope.Numbered(value.scope->number());
    scope.Numbered(line.scope).Remember(Resolve(line.node), line.entry.first, value);
  }
  for (const auto& line : outcome.journal.windows) {
    Scope::Memory::Window window = line.entry;
    window.result.input = Resolve(window.result.input);
    scope.Numbered(line.scope).RememberWindow(Resolve(line.node), std::move(window));
  }
}

void Repeats::Watch() {
  is_watching_ = may_repeat_;
  if (!is_watching_) return;
  first_ = static_cast<NodeId>(graph_.size());
  journal_ = {};
  marked_.clear();
  reached_.clear();
  ForEachOperand([this](int32_t place, NodeId node) {
    const auto reached = states_.Reach(node, place, *visited_->scope);
    reached_.insert(reached_.end(), reached.begin(), reached.end());
  });
  visited_->scope->KeepJournal(&journal_);
  graph_.ListMarked(&marked_);
}

// Puts an outcome together. Nodes that nothing leads to are left out.
class Repeats::Writer {
 public:
  Writer(Repeats& of, NodeId result)
      : of_(of), graph_(of.graph_), first_(of.first_), result_(result) {}

  // Null if something was used that cannot be found again.
  std::unique_ptr<Outcome> Run() {
    NumberNodes();
    out_->result = RefOf(result_);
    for (NodeId id : of_.marked_) {
      if (id < first_) out_->marked.emplace_back(RefOf(id), graph_.node(id));
    }
    out_->journal = of_.journal_;
    WriteJournal(out_->journal);
    WriteNodes();
    if (!is_good_) return nullptr;
    WriteStates();
    return std::move(out_);
  }

 private:
  void Need(NodeId id) {
    if (id >= first_) At(index_, id - first_) = 0;
  }

  void NumberNodes() {
    index_.assign(static_cast<size_t>(graph_.size() - first_), -1);
    Need(result_);
    for (const auto& line : of_.journal_.reshards) {
      Need(line.node);
      Need(line.entry.second.node);
    }
    for (const auto& line : of_.journal_.windows) {
      Need(line.node);
      Need(line.entry.result.input);
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

  Ref RefOf(NodeId id) {
    if (id >= first_) return At(index_, id - first_);
    const auto known = std::find(before_.begin(), before_.end(), id);
    if (known != before_.end()) return ~static_cast<Ref>(known - before_.begin());
    const auto is_it = [id](const NodeStates::Reached& reached) { return reached.node == id; };
    const auto& all = of_.reached_;
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    // Where two ways lead to the node they may lead to different ones another time.
    if (found == all.end() || std::any_of(found + 1, all.end(), is_it)) {
      is_good_ = false;
      return ~0;
    }
    before_.push_back(id);
    out_->before.push_back(found->path);
    return ~static_cast<Ref>(before_.size() - 1);
  }

  void WriteJournal(Scope::Journal& journal) {
    for (auto& line : journal.reshards) {
      Value& value = line.entry.second;
      is_good_ &= value.scope->number() != ScopeNumbers::kNone;
      line.node = RefOf(line.node);
      value.node = RefOf(value.node);
    }
    for (auto& line : journal.windows) {
      line.node = RefOf(line.node);
      line.entry.result.input = RefOf(line.entry.result.input);
    }
  }

  void WriteNodes() {
    for (int64_t i = 0; i < Size(index_); ++i) {
      if (At(index_, i) < 0) continue;
      const NodeId id = first_ + static_cast<NodeId>(i);
      Node& node = out_->nodes.emplace_back(graph_.node(id));
      is_good_ &= node.site < 0;
      node.operands.begin = static_cast<uint32_t>(out_->operands.size());
      for (NodeId operand : graph_.operands(id)) out_->operands.push_back(RefOf(operand));
    }
  }

  void WriteStates() {
    const auto write = [this](NodeId node) {
      out_->states.emplace_back(RefOf(node), of_.states_.Of(node, *of_.visited_->scope));
    };
    write(result_);
    const Scope::Journal& journal = out_->journal;
    if (journal.reshards.empty() && journal.windows.empty() && out_->marked.empty()) return;
    of_.ForEachOperand([&](int32_t, NodeId node) { write(node); });
  }

  Repeats& of_;
  Graph& graph_;
  const NodeId first_, result_;
  std::unique_ptr<Outcome> out_ = std::make_unique<Outcome>();
  std::vector<int32_t> index_;  // of new nodes; -1: left out
  std::vector<NodeId> before_;
  bool is_good_ = true;
};

void Repeats::Keep(NodeId result) {
  if (!is_watching_) return;
  is_watching_ = false;
  visited_->scope->KeepJournal(nullptr);
  graph_.ListMarked(nullptr);
  const auto [newest, is_new] = newest_.try_emplace(hash_, -1);
  entries_.push_back({key_, visited_->id, newest->second, Writer(*this, result).Run()});
  newest->second = static_cast<int32_t>(entries_.size()) - 1;
}

}  // namespace tessera::sharding::partition
