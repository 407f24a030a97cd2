#include "tessera/target/program/device_program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/order.h"
#include "tessera/target/program/add_once.h"

namespace tessera::target {

DeviceProgram::DeviceProgram(hlo::Module module)
    : module_(std::make_unique<hlo::Module>(std::move(module))),
      builder_(std::make_unique<hlo::Builder>(module_.get())),
      effects_(std::make_unique<hlo::SideEffects>(*module_)),
      listed_(module_->num_computations()) {
  nodes_.resize(module_->num_instructions());
  edges_.reserve(2 * module_->num_instructions());
  for (InstructionId id = 0; id < module_->num_instructions(); ++id) AddEdges(id);
  for (InstructionId id = 0; id < module_->num_instructions(); ++id) {
    for (const InstructionId before : module_->control_predecessors(id)) {
      nodes_[id].pinned = nodes_[before].pinned = true;
    }
  }
}

DeviceProgram::DeviceProgram(const DeviceProgram& other)
    : module_(std::make_unique<hlo::Module>(*other.module_)),
      builder_(std::make_unique<hlo::Builder>(*other.builder_, module_.get())),
      effects_(std::make_unique<hlo::SideEffects>(*module_)),
      nodes_(other.nodes_),
      edges_(other.edges_),
      listed_(other.listed_),
      knows_calls_(other.knows_calls_),
      remembers_replacements_(other.remembers_replacements_),
      replacements_(other.replacements_),
      computations_(other.computations_) {}

// --- Uses ----------------------------------------------------------------------------------------

DeviceProgram::Listed& DeviceProgram::ListedAt(ComputationId c) {
  if (listed_.size() <= c) listed_.resize(c + 1);
  return listed_[c];
}

DeviceProgram::Listed& DeviceProgram::Changed(InstructionId id) {
  Listed& listed = ListedAt(computation(id));
  listed.is_known = false;
  if (!module_->called(id).empty()) knows_calls_ = false;
  return listed;
}

void DeviceProgram::Register(InstructionId id) {
  Changed(id);
  if (nodes_.size() <= id) nodes_.resize(id + 1);
  AddEdges(id);
}

void DeviceProgram::AddEdges(InstructionId id) {
  nodes_[id].first_edge = static_cast<uint32_t>(edges_.size());
  for (const InstructionId operand : module_->operands(id)) {
    const auto edge = static_cast<uint32_t>(edges_.size());
    edges_.emplace_back();
    edges_[edge].user = id;
    if (nodes_.size() <= operand) nodes_.resize(operand + 1);
    Link(edge, operand);
  }
}

void DeviceProgram::Link(uint32_t edge, InstructionId used) {
  Node& node = nodes_[used];
  edges_[edge].next = kNoEdge;
  edges_[edge].previous = node.last_use;
  (node.last_use == kNoEdge ? node.first_use : edges_[node.last_use].next) = edge;
  node.last_use = edge;
}

void DeviceProgram::Unlink(uint32_t edge, InstructionId used) {
  Node& node = nodes_[used];
  const Edge& e = edges_[edge];
  (e.previous == kNoEdge ? node.first_use : edges_[e.previous].next) = e.next;
  (e.next == kNoEdge ? node.last_use : edges_[e.next].previous) = e.previous;
}

InstructionId DeviceProgram::OnlyUser(InstructionId id) const {
  const uint32_t first = nodes_[id].first_use;
  if (first == kNoEdge || IsRoot(id)) return kNoId;
  for (uint32_t e = first; e != kNoEdge; e = edges_[e].next) {
    if (edges_[e].user != edges_[first].user) return kNoId;
  }
  return edges_[first].user;
}

std::vector<InstructionId> DeviceProgram::Users(InstructionId id) const {
  std::vector<InstructionId> users;
  absl::flat_hash_set<InstructionId> seen;
  ForEachUse(id, [&](InstructionId user) { AddOnce(user, &users, &seen); });
  return users;
}

// --- Order ---------------------------------------------------------------------------------------

void DeviceProgram::DropRemoved(ComputationId c) {
  Listed& listed = ListedAt(c);
  if (!listed.has_removed) return;
  auto& list = module_->mutable_computation(c).instructions;
  const auto is_removed = [&](InstructionId id) { return nodes_[id].removed; };
  list.erase(std::remove_if(list.begin(), list.end(), is_removed), list.end());
  listed.has_removed = false;
}

const std::vector<InstructionId>& DeviceProgram::PostOrder(ComputationId c) {
  DropRemoved(c);
  Listed& listed = ListedAt(c);
  if (std::exchange(listed.is_known, true)) return listed.order;
  const auto& list = module_->computation(c).instructions;
  listed.order.clear();
  listed.order.reserve(list.size());
  for (const InstructionId id : list) nodes_[id].visited = false;
  for (const InstructionId id : list) {
    if (!HasUsers(id)) VisitFrom(id, &listed.order);
  }
  return listed.order;
}

// An instruction stands on the stack a second time, marked, until all before it are through. Those whose operands are
// all through come at once.
void DeviceProgram::VisitFrom(InstructionId start, std::vector<InstructionId>* order) {
  constexpr uint32_t kDone = 0x80000000u;
  stack_.push_back(start);
  while (!stack_.empty()) {
    const InstructionId top = stack_.back();
    if ((top & kDone) != 0) {
      order->push_back(top & ~kDone);
      stack_.pop_back();
      continue;
    }
    if (std::exchange(nodes_[top].visited, true)) {
      stack_.pop_back();
      continue;
    }
    const size_t before_operands = stack_.size();
    const auto push = [&](InstructionId id) {
      if (!nodes_[id].visited) stack_.push_back(id);
    };
    const auto operands = module_->operands(top);
    for (size_t k = operands.size(); k-- > 0;) push(operands[k]);
    if (nodes_[top].pinned) {
      for (const InstructionId before : module_->control_predecessors(top)) push(before);
    }
    if (stack_.size() == before_operands) {
      order->push_back(top);
      stack_.pop_back();
    } else {
      stack_[before_operands - 1] |= kDone;
    }
  }
}

std::vector<ComputationId> DeviceProgram::Computations() {
  Tidy();
  if (!std::exchange(knows_calls_, true)) computations_ = hlo::ComputationPostOrder(*module_);
  return computations_;
}

// --- Changes -------------------------------------------------------------------------------------

InstructionId DeviceProgram::Add(ComputationId c, Opcode opcode, absl::string_view name,
                                 const layout::Shape& shape,
                                 absl::Span<const InstructionId> operands) {
  const InstructionId id = builder_->Add(c, opcode, name, shape, operands);
  Register(id);
  return id;
}

InstructionId DeviceProgram::Clone(InstructionId id, absl::Span<const InstructionId> operands,
                                   const layout::Shape& shape) {
  const std::string name(module_->instruction(id).name);
  const InstructionId clone = builder_->CloneInstruction(id, computation(id), operands, name);
  module_->SetShape(clone, shape);
  Register(clone);
  return clone;
}

InstructionId DeviceProgram::CloneInto(ComputationId c, InstructionId id,
                                       absl::Span<const InstructionId> operands) {
  const std::string name(module_->instruction(id).name);
  const InstructionId clone = builder_->CloneInstruction(id, c, operands, name);
  Register(clone);
  return clone;
}

InstructionId DeviceProgram::AddConstant(ComputationId c, const layout::Shape& shape,
                                         absl::string_view literal) {
  const InstructionId id = builder_->AddConstant(c, "constant", shape, literal);
  Register(id);
  return id;
}

InstructionId DeviceProgram::AddGetTupleElement(InstructionId tuple, int64_t index) {
  const InstructionId id =
      builder_->AddGetTupleElement(computation(tuple), "get-tuple-element", tuple, index);
  Register(id);
  return id;
}

void DeviceProgram::SetOperand(InstructionId user, size_t k, InstructionId operand) {
  const uint32_t edge = nodes_[user].first_edge + static_cast<uint32_t>(k);
  ListedAt(computation(user)).is_known = false;
  Unlink(edge, module_->operands(user)[k]);
  module_->SetOperand(user, k, operand);
  Link(edge, operand);
}

void DeviceProgram::ReplaceOperand(InstructionId user, InstructionId from, InstructionId to) {
  for (size_t k = 0; k < operands(user).size(); ++k) {
    if (operand(user, k) == from) SetOperand(user, k, to);
  }
}

void DeviceProgram::SetOperands(InstructionId user, absl::Span<const InstructionId> operands) {
  const uint32_t first = nodes_[user].first_edge;
  const auto before = module_->operands(user);
  for (size_t k = 0; k < before.size(); ++k) Unlink(first + static_cast<uint32_t>(k), before[k]);
  module_->SetOperands(user, operands);
  Register(user);
}

void DeviceProgram::ReplaceUses(InstructionId from, InstructionId to) {
  for (uint32_t edge = nodes_[from].first_use; edge != kNoEdge;) {
    const uint32_t next = edges_[edge].next;
    const InstructionId user = edges_[edge].user;
    if (user != to) SetOperand(user, edge - nodes_[user].first_edge, to);
    edge = next;
  }
  if (IsRoot(from)) module_->SetRoot(computation(from), to);
  if (remembers_replacements_ && from != to) replacements_[from] = to;
}

InstructionId DeviceProgram::Replacement(InstructionId id) const {
  for (auto next = replacements_.find(id); next != replacements_.end();
       next = replacements_.find(id)) {
    id = next->second;
  }
  return id;
}

void DeviceProgram::Remove(InstructionId id) {
  const auto operands = module_->operands(id);
  for (size_t k = 0; k < operands.size(); ++k) {
    Unlink(nodes_[id].first_edge + static_cast<uint32_t>(k), operands[k]);
  }
  nodes_[id].removed = true;
  Changed(id).has_removed = true;
}

bool DeviceProgram::IsDead(InstructionId id) {
  const Node& node = nodes_[id];
  return !node.removed && !node.pinned && node.first_use == kNoEdge && !IsRoot(id) &&
         opcode(id) != Opcode::kParameter && !effects_->Of(id);
}

bool DeviceProgram::RemoveDead(InstructionId id) {
  if (!IsDead(id)) return false;
  work_.push_back(id);
  while (!work_.empty()) {
    const InstructionId dead = work_.back();
    work_.pop_back();
    if (!IsDead(dead)) continue;
    Remove(dead);
    for (const InstructionId operand : module_->operands(dead)) work_.push_back(operand);
  }
  return true;
}

void DeviceProgram::Tidy() {
  for (ComputationId c = 0; c < module_->num_computations(); ++c) DropRemoved(c);
}

void DeviceProgram::RemoveUnreachableComputations() {
  Tidy();
  knows_calls_ = false;
  builder_->RemoveUnreachableComputations();
}

hlo::Module DeviceProgram::Release() && {
  RemoveUnreachableComputations();
  return std::move(*module_);
}

}  // namespace tessera::target
