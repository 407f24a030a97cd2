// How orders spread from what is settled (layout_constraints.h): depth first, to operands and to readers.

#include <algorithm>
#include <cstdint>

#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/gpu/layouts/order_rules.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {

void LayoutConstraints::TakeAdded() {
  for (const Added& added : added_) {
    if (added.force.deep) {
      open_.push_front(added);
    } else {
      open_.push_back(added);
    }
  }
  added_.clear();
}

void LayoutConstraints::Spread() {
  TakeAdded();
  while (!open_.empty()) {
    const Added next = open_.front();
    open_.pop_front();
    if (next.kind == Added::Kind::kBuffer) {
      SpreadBuffer(next.buffer);
    } else if (next.kind == Added::Kind::kOperand) {
      SpreadOperand(next.operand);
    } else {
      SetResults();
    }
    TakeAdded();
  }
}

void LayoutConstraints::SpreadBuffer(const BufferId& buffer) {
  const Constraint now = orders_.at(buffer);
  const auto [id, leaf] = buffer;
  if (program_.opcode(id) == Opcode::kAllReduce) {
    SetOperand({id, static_cast<size_t>(leaf)}, now.order, {true, true, now.force.rank});
  } else {
    for (size_t k = 0; k < program_.operands(id).size(); ++k) SpreadToOperand(buffer, k, now);
  }
  for (const OperandId& use : buffers_.UsesOf(buffer))
    SetOperand(use, now.order, {false, true, now.force.rank});
  SpreadToCarried(buffer, now.order);
}

// The order of an operand that follows from one of the result.
void LayoutConstraints::SpreadToOperand(const BufferId& buffer, size_t k, const Constraint& now) {
  const InstructionId id = buffer.first;
  const int rank = now.force.rank;
  const layout::Shape& shape = program_.shape(program_.operand(id, k));
  if (!shape.is_array() || shape.rank() <= 1) return;
  if (HasOneOrder(program_, id)) {
    if (static_cast<size_t>(shape.rank()) == now.order.size())
      SetOperand({id, k}, now.order, {true, true, rank});
  } else if (!program_.shape(id).is_array()) {
    return;
  } else if (program_.opcode(id) == Opcode::kBroadcast) {
    SetOperand({id, k}, Kept(now.order, DimensionsOf(program_, id)), {true, false, rank});
  } else if (const auto preference = OperandFor(program_, id, k, now.order);
             preference.has_value()) {
    SetOperand({id, k}, *preference, {false, GoesDeep(program_, id), rank});
  }
}

void LayoutConstraints::SpreadOperand(const OperandId& operand) {
  const auto [id, k] = operand;
  const Constraint preference = preferences_.at(operand);
  const InstructionId read = program_.operand(id, k);
  if (program_.shape(read).rank() <= 1) return;
  const BufferId source = buffers_.Of(read);
  const bool is_of_reduction =
      program_.opcode(source.first) == Opcode::kReduce && program_.shape(source.first).is_tuple();
  if (!is_of_reduction) SetBuffer(source, preference.order, {false, true, preference.force.rank});
  if (program_.opcode(id) == Opcode::kAllReduce)
    SetBuffer({id, static_cast<int64_t>(program_.shape(id).is_tuple() ? k : 0)}, preference.order,
              kMust);
  if (HasOneOrder(program_, id) || program_.opcode(id) == Opcode::kReduce)
    return SpreadToSiblings(operand, preference);
  if (!program_.shape(id).is_array() || program_.shape(id).rank() <= 1) return;
  const auto result = ResultFor(program_, id, preference.order);
  if (!result.has_value()) return;
  SetBuffer(
      {id, 0}, *result,
      {program_.opcode(id) == Opcode::kTranspose, GoesDeep(program_, id), preference.force.rank});
}

void LayoutConstraints::SpreadToSiblings(const OperandId& operand, const Constraint& preference) {
  const auto [id, k] = operand;
  const int64_t rank = program_.shape(program_.operand(id, k)).rank();
  const auto [spread, is_new] = spread_.try_emplace({id, rank});
  if (!is_new && spread->second == preference.order) return;
  if (!IsLargest(operand)) return;
  const Force force = {true, true, preference.force.rank};
  for (size_t s = 0; s < program_.operands(id).size(); ++s) {
    const layout::Shape& sibling = program_.shape(program_.operand(id, s));
    if (program_.operand(id, s) == program_.operand(id, k)) continue;
    if (sibling.is_array() && sibling.rank() == rank) SetOperand({id, s}, preference.order, force);
  }
  spread_[{id, rank}] = preference.order;
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    const BufferId result = {id, static_cast<int64_t>(leaf)};
    const layout::Shape& shape = buffers_.ShapeOf(result);
    if (shape.is_array() && shape.rank() == rank) SetBuffer(result, preference.order, force);
  }
}

// Along the dimension of a concatenate; of another operation each operand.
bool LayoutConstraints::IsLargest(const OperandId& operand) {
  const auto [id, k] = operand;
  if (program_.opcode(id) != Opcode::kConcatenate) return true;
  const int64_t d = DimensionsOf(program_, id)[0];
  const auto [largest, is_new] = largest_.try_emplace(id, 0);
  for (size_t s = 0; is_new && s < program_.operands(id).size(); ++s)
    largest->second = std::max(largest->second, program_.shape(program_.operand(id, s)).dim(d));
  return program_.shape(program_.operand(id, k)).dim(d) == largest->second;
}

}  // namespace tessera::target
