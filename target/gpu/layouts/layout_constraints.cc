#include "tessera/target/gpu/layouts/layout_constraints.h"

#include <utility>

#include "tessera/target/gpu/layouts/order_rules.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {

LayoutConstraints::LayoutConstraints(const DeviceProgram& program, ComputationId c,
                                     const BorderOrders& borders,
                                     const OrdersOfComputations& called)
    : program_(program), c_(c), buffers_(program, c) {
  AddBorders(borders, called);
  const auto& instructions = program.module().computation(c).instructions;
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    if (!program.IsRemoved(*it)) AddOfInstruction(*it);
  }
  Spread();
  for (const BufferId& buffer : buffers_.all()) {
    if (orders_.contains(buffer)) continue;
    SetBuffer(buffer, DefaultOrder(buffers_.ShapeOf(buffer).dims().size()), false);
    Spread();
  }
}

const Order* LayoutConstraints::WishOf(const OperandId& operand) const {
  const auto found = wishes_.find(operand);
  return found == wishes_.end() ? nullptr : &found->second.order;
}

std::vector<Order> LayoutConstraints::OrdersOf(InstructionId id) const {
  std::vector<Order> orders;
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    const auto found = orders_.find(buffers_.Of(id, static_cast<int64_t>(leaf)));
    orders.push_back(found == orders_.end() ? Order() : found->second.order);
  }
  return orders;
}

BorderOrders LayoutConstraints::Borders() const {
  BorderOrders borders;
  const hlo::Computation& computation = program_.module().computation(c_);
  for (const InstructionId p : computation.parameters) {
    for (Order& order : OrdersOf(p)) borders.arguments.push_back(std::move(order));
  }
  borders.results = OrdersOf(computation.root);
  return borders;
}

void LayoutConstraints::SetBuffer(const BufferId& buffer, Order order, bool must, bool goes_deep) {
  const auto found = orders_.find(buffer);
  if (found != orders_.end()) {
    if (found->second.must && !must) return;
    if (found->second.order == order && found->second.must == must) return;
  }
  orders_[buffer] = {std::move(order), must, goes_deep};
  added_.push_back({false, buffer, {}, goes_deep});
}

void LayoutConstraints::SetOperand(const OperandId& operand, Order order, bool must,
                                   bool goes_deep) {
  const Opcode opcode = program_.opcode(operand.first);
  if (!must && opcode == Opcode::kDynamicUpdateSlice && operand.second > 0) goes_deep = false;
  if (!must && opcode == Opcode::kReshape &&
      program_.opcode(program_.operand(operand.first, 0)) == Opcode::kDynamicSlice) {
    goes_deep = false;
  }
  const auto found = wishes_.find(operand);
  if (found != wishes_.end() && (found->second.order == order || (found->second.must && !must)))
    return;
  wishes_[operand] = {std::move(order), must, goes_deep};
  added_.push_back({true, {}, operand, goes_deep});
}

void LayoutConstraints::SetSource(const BufferId& buffer, const Order& order) {
  if (!orders_.contains(buffer)) SetBuffer(buffer, order, true);
}

void LayoutConstraints::TakeAdded() {
  for (const Added& added : added_) {
    if (added.goes_deep) {
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
    if (next.is_operand) {
      SpreadOperand(next.operand);
    } else {
      SpreadBuffer(next.buffer);
    }
    TakeAdded();
  }
}

void LayoutConstraints::SpreadBuffer(const BufferId& buffer) {
  const Order order = orders_.at(buffer).order;
  const auto [id, leaf] = buffer;
  const bool is_array = program_.shape(id).is_array();
  for (size_t k = 0; is_array && k < program_.operands(id).size(); ++k)
    SpreadToOperand({id, k}, order);
  for (const OperandId& use : buffers_.UsesOf(buffer)) {
    if (!wishes_.contains(use)) SetOperand(use, order, false);
  }
}

// What an order of the result says of an operand.
void LayoutConstraints::SpreadToOperand(const OperandId& operand, const Order& result) {
  const auto [id, k] = operand;
  const Opcode opcode = program_.opcode(id);
  const layout::Shape& shape = program_.shape(program_.operand(id, k));
  if (!shape.is_array() || shape.rank() <= 1) return;
  if (HasOneOrder(program_, id)) {
    if (shape.rank() == program_.shape(id).rank()) SetOperand(operand, result, true);
  } else if (opcode == Opcode::kBroadcast) {
    SetOperand(operand, Kept(result, DimensionsOf(program_, id)), true, false);
  } else if (const auto wish = OperandFor(program_, id, k, result); wish.has_value()) {
    SetOperand(operand, *wish, false, opcode == Opcode::kTranspose);
  }
}

void LayoutConstraints::SpreadOperand(const OperandId& operand) {
  const auto [id, k] = operand;
  const Order order = wishes_.at(operand).order;
  SetSource(buffers_.Of(program_.operand(id, k)), order);
  const layout::Shape& shape = program_.shape(program_.operand(id, k));
  if (shape.rank() <= 1) return;
  if (HasOneOrder(program_, id)) return SpreadToSiblings(operand, order);
  if (!program_.shape(id).is_array() || program_.shape(id).rank() <= 1) return;
  const auto found = orders_.find({id, 0});
  if (found != orders_.end() && found->second.must) return;
  const auto result = ResultFor(program_, id, k, order);
  if (!result.has_value()) return;
  const Opcode opcode = program_.opcode(id);
  SetBuffer({id, 0}, *result, opcode == Opcode::kReduce, opcode == Opcode::kTranspose);
}

void LayoutConstraints::SpreadToSiblings(const OperandId& operand, const Order& order) {
  const auto [id, k] = operand;
  const int64_t rank = program_.shape(program_.operand(id, k)).rank();
  const size_t siblings = spread_.emplace(id, rank).second ? program_.operands(id).size() : 0;
  for (size_t s = 0; s < siblings; ++s) {
    const layout::Shape& sibling = program_.shape(program_.operand(id, s));
    if (s == k || !sibling.is_array() || sibling.rank() != rank) continue;
    if (!wishes_.contains({id, s})) SetOperand({id, s}, order, false);
  }
  const layout::Shape& shape = program_.shape(id);
  if (shape.is_array() && shape.rank() == rank) SetBuffer({id, 0}, order, false);
}

}  // namespace tessera::target
