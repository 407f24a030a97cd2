#include "tessera/target/gpu/layouts/layout_constraints.h"

#include <algorithm>
#include <utility>

namespace tessera::target {
namespace {

// Orders that must be so may replace each other in a circle.
constexpr int kMostReplaced = 32;

}  // namespace

LayoutConstraints::LayoutConstraints(DeviceProgram& program,
                                     std::vector<ComputationId> computations,
                                     int compute_capability)
    : program_(program),
      computations_(std::move(computations)),
      compute_capability_(compute_capability),
      buffers_(program, computations_) {
  for (const ComputationId c : computations_) {
    AddCalls(c);
    AddWanted(c);
  }
  SpreadAll();
  for (const BufferId& buffer : buffers_.all()) {
    if (orders_.contains(buffer)) continue;
    SetBuffer(buffer, DefaultOrder(buffers_.ShapeOf(buffer).dims().size()), kMay);
    SpreadAll();
  }
  Agree();
}

const Order* LayoutConstraints::PreferenceOf(const OperandId& operand) const {
  const auto found = preferences_.find(operand);
  return found == preferences_.end() ? nullptr : &found->second.order;
}

std::vector<Order> LayoutConstraints::OrdersOf(InstructionId id) const {
  std::vector<Order> orders;
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    const auto found = orders_.find(buffers_.Of(id, static_cast<int64_t>(leaf)));
    orders.push_back(found == orders_.end() ? Order() : found->second.order);
  }
  return orders;
}

BorderOrders LayoutConstraints::BordersOf(ComputationId c) const {
  BorderOrders borders;
  const hlo::Computation& computation = program_.module().computation(c);
  for (const InstructionId p : computation.parameters) {
    for (Order& order : OrdersOf(p)) borders.arguments.push_back(std::move(order));
  }
  borders.results = ResultsOf(c);
  return borders;
}

void LayoutConstraints::SetBuffer(const BufferId& buffer, const Order& order, Force force) {
  const auto [found, is_new] = orders_.try_emplace(buffer, Constraint{order, force});
  Constraint& now = found->second;
  if (!is_new && now.order == order) {
    const Force stronger = {now.force.must || force.must, now.force.deep || force.deep,
                            std::max(now.force.rank, force.rank)};
    if (stronger.must == now.force.must && stronger.deep == now.force.deep &&
        stronger.rank == now.force.rank) {
      return;
    }
    now.force = stronger;
  } else if (!is_new) {
    if (!force.must && force.rank <= now.force.rank) return;
    if (now.replaced == kMostReplaced) return;
    now = {order, force, now.replaced + 1};
  }
  NoteNews(buffer);
  Add({Added::Kind::kBuffer, buffer, {}, now.force});
}

void LayoutConstraints::SetOperand(const OperandId& operand, const Order& order, Force force) {
  const auto [id, k] = operand;
  const Opcode opcode = program_.opcode(id);
  const bool decides_last = (opcode == Opcode::kDynamicUpdateSlice && k > 0) ||
                            (opcode == Opcode::kReshape &&
                             program_.opcode(program_.operand(id, 0)) == Opcode::kDynamicSlice);
  if (!force.must && decides_last) force = {false, false, force.rank - 1};
  const auto [found, is_new] = preferences_.try_emplace(operand, Constraint{order, force});
  Constraint& now = found->second;
  if (!is_new) {
    if (now.order == order || !force.must || now.force.rank > force.rank) return;
    if (now.replaced == kMostReplaced) return;
    now = {order, force, now.replaced + 1};
    spread_.erase({id, program_.shape(program_.operand(id, k)).rank()});
  }
  Add({Added::Kind::kOperand, {}, operand, force});
}

// One that is not spread at once stands in front of those of a lower rank.
void LayoutConstraints::Add(const Added& added) {
  auto place = added_.end();
  while (!added.force.deep && place != added_.begin() &&
         std::prev(place)->force.rank < added.force.rank) {
    --place;
  }
  added_.insert(place, added);
}

}  // namespace tessera::target
