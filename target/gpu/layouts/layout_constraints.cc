#include "tessera/target/gpu/layouts/layout_constraints.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using layout::ElementType;

// Beside what works on cells: operands of its rank lie as its result.
constexpr Opcode kOneOrder[] = {
    Opcode::kAllGather,        Opcode::kAllReduce,          Opcode::kAllToAll,
    Opcode::kCholesky,         Opcode::kCollectivePermute,  Opcode::kConcatenate,
    Opcode::kDynamicSlice,     Opcode::kDynamicUpdateSlice, Opcode::kFft,
    Opcode::kMap,              Opcode::kPad,                Opcode::kReduceScatter,
    Opcode::kReduceWindow,     Opcode::kReverse,            Opcode::kScatter,
    Opcode::kSelectAndScatter, Opcode::kSlice,              Opcode::kSort,
    Opcode::kTriangularSolve};

bool HasOneOrder(const DeviceProgram& program, InstructionId id) {
  const Opcode opcode = program.opcode(id);
  if (opcode == Opcode::kCopy) return false;
  return projection::IsElementwise(opcode) || absl::c_linear_search(kOneOrder, opcode);
}

// What a reduction must at least take in for XLA to want it along rows.
constexpr int64_t kLongReduction = 32;

}  // namespace

LayoutConstraints::LayoutConstraints(const DeviceProgram& program, ComputationId c,
                                     const BorderOrders& borders,
                                     const OrdersOfComputations& called)
    : program_(program), c_(c), buffers_(program, c) {
  AddBorders(borders, called);
  const auto& list = program.module().computation(c).instructions;
  std::vector<InstructionId> order;
  for (const InstructionId id : list) {
    if (!program.IsRemoved(id)) order.push_back(id);
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) AddOfInstruction(*it);
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

BorderOrders LayoutConstraints::Borders() const {
  BorderOrders borders;
  const hlo::Computation& computation = program_.module().computation(c_);
  for (const InstructionId p : computation.parameters) {
    const layout::Shape& shape = program_.shape(p);
    const size_t count = shape.is_tuple() ? shape.tuple_elements().size() : 1;
    for (size_t leaf = 0; leaf < count; ++leaf) {
      const auto found = orders_.find({p, static_cast<int64_t>(leaf)});
      borders.arguments.push_back(found == orders_.end() ? Order() : found->second.order);
    }
  }
  const layout::Shape& root = program_.shape(computation.root);
  const size_t count = root.is_tuple() ? root.tuple_elements().size() : 1;
  for (size_t leaf = 0; leaf < count; ++leaf) {
    const auto found = orders_.find(buffers_.Of(computation.root, static_cast<int64_t>(leaf)));
    borders.results.push_back(found == orders_.end() ? Order() : found->second.order);
  }
  return borders;
}

// --- What must be so -------------------------------------------------------------------------------

void LayoutConstraints::AddBorders(const BorderOrders& borders, const OrdersOfComputations& called) {
  const hlo::Computation& computation = program_.module().computation(c_);
  size_t k = 0;
  for (const InstructionId p : computation.parameters) {
    const layout::Shape& shape = program_.shape(p);
    const size_t count = shape.is_tuple() ? shape.tuple_elements().size() : 1;
    for (size_t leaf = 0; leaf < count && k < borders.arguments.size(); ++leaf, ++k) {
      const BufferId buffer = {p, static_cast<int64_t>(leaf)};
      if (buffers_.ShapeOf(buffer).is_array()) SetBuffer(buffer, borders.arguments[k], true);
    }
  }
  for (const InstructionId id : computation.instructions) {
    if (program_.IsRemoved(id)) continue;
    const auto& callees = program_.module().called(id);
    if (program_.opcode(id) == Opcode::kWhile) {
      AddOfCall(id, called.at(callees.front()), 0);
    } else if (program_.opcode(id) == Opcode::kConditional) {
      for (size_t b = 0; b < callees.size(); ++b) AddOfCall(id, called.at(callees[b]), b + 1);
    }
  }
  for (size_t leaf = 0; leaf < borders.results.size(); ++leaf) {
    const BufferId buffer = buffers_.Of(computation.root, static_cast<int64_t>(leaf));
    if (buffers_.ShapeOf(buffer).is_array()) SetSource(buffer, borders.results[leaf]);
  }
}

void LayoutConstraints::AddOfCall(InstructionId id, const BorderOrders& callee, size_t operand) {
  const InstructionId taken = program_.operand(id, operand);
  for (size_t leaf = 0; leaf < callee.arguments.size(); ++leaf) {
    const BufferId source = buffers_.Of(taken, static_cast<int64_t>(leaf));
    if (buffers_.ShapeOf(source).is_array()) SetSource(source, callee.arguments[leaf]);
  }
  for (size_t leaf = 0; leaf < callee.results.size(); ++leaf) {
    const BufferId result = {id, static_cast<int64_t>(leaf)};
    if (buffers_.ShapeOf(result).is_array()) SetBuffer(result, callee.results[leaf], true);
  }
}

void LayoutConstraints::AddOfDot(InstructionId id) {
  const DotParts parts = PartsOf(program_, id);
  const auto type = [&](size_t k) { return program_.shape(program_.operand(id, k)).element_type(); };
  const bool wants_rows = program_.shape(id).element_type() == ElementType::kS32 &&
                          type(0) == ElementType::kS8 && type(1) == ElementType::kS8;
  for (size_t k = 0; k < 2; ++k) {
    const DotSide& side = k == 0 ? parts.left : parts.right;
    const auto sizes = program_.shape(program_.operand(id, k)).dims();
    if (wants_rows) {
      Order order = side.batch;
      order.insert(order.end(), side.free.begin(), side.free.end());
      order.insert(order.end(), side.contracting.begin(), side.contracting.end());
      SetOperand({id, k}, std::move(order), true);
    } else if (!side.batch.empty()) {
      SetOperand({id, k}, DefaultOrder(sizes.size()), true);
    }
  }
  if (!parts.left.batch.empty()) {
    for (const OperandId& use : buffers_.UsesOf({id, 0})) {
      if (const Order* const wish = WishOf(use); wish != nullptr) return SetBuffer({id, 0}, *wish, true);
    }
    SetBuffer({id, 0}, DefaultOrder(program_.shape(id).dims().size()), true);
  }
}

// A product that only a transpose reads is made so that the transpose is free.
void LayoutConstraints::AddOfTranspose(InstructionId id) {
  const InstructionId dot = program_.operand(id, 0);
  if (program_.opcode(dot) != Opcode::kDot || program_.OnlyUser(dot) == kNoId) return;
  const IntList order = DimensionsOf(program_, id);
  const size_t batch = PartsOf(program_, dot).left.batch.size();
  for (size_t k = 0; k < batch; ++k) {
    if (order[k] != static_cast<int64_t>(k)) return;
  }
  SetOperand({id, 0}, Renumbered(DefaultOrder(program_.shape(id).dims().size()), order), true);
}

void LayoutConstraints::AddOfInstruction(InstructionId id) {
  const layout::Shape& shape = program_.shape(id);
  switch (program_.opcode(id)) {
    case Opcode::kDot:
      return AddOfDot(id);
    case Opcode::kTranspose:
      return AddOfTranspose(id);
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
      if (shape.is_array()) SetBuffer({id, 0}, WithMajor(CollectiveDimension(program_, id), shape.dims().size()), true);
      return;
    case Opcode::kSort:
    case Opcode::kFft:
    case Opcode::kCustomCall:
      for (size_t k = 0; k < program_.operands(id).size(); ++k) {
        const layout::Shape& operand = program_.shape(program_.operand(id, k));
        if (operand.is_array()) SetOperand({id, k}, DefaultOrder(operand.dims().size()), true);
      }
      return;
    default:
      return;
  }
}

// --- What follows ----------------------------------------------------------------------------------

void LayoutConstraints::SetBuffer(const BufferId& buffer, Order order, bool must, bool goes_deep) {
  const auto found = orders_.find(buffer);
  if (found != orders_.end()) {
    if (found->second.must && !must) return;
    if (found->second.order == order && found->second.must == must) return;
  }
  orders_[buffer] = {std::move(order), must, goes_deep};
  added_.push_back({false, buffer, {}, goes_deep});
}

void LayoutConstraints::SetOperand(const OperandId& operand, Order order, bool must, bool goes_deep) {
  const Opcode opcode = program_.opcode(operand.first);
  if (!must && opcode == Opcode::kDynamicUpdateSlice && operand.second > 0) goes_deep = false;
  if (!must && opcode == Opcode::kReshape &&
      program_.opcode(program_.operand(operand.first, 0)) == Opcode::kDynamicSlice) {
    goes_deep = false;
  }
  const auto found = wishes_.find(operand);
  if (found != wishes_.end() && (found->second.order == order || (found->second.must && !must))) return;
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
  for (size_t k = 0; is_array && k < program_.operands(id).size(); ++k) {
    const layout::Shape& operand = program_.shape(program_.operand(id, k));
    if (!operand.is_array() || operand.rank() <= 1) continue;
    if (HasOneOrder(program_, id)) {
      if (operand.rank() == program_.shape(id).rank()) SetOperand({id, k}, order, true);
    } else if (program_.opcode(id) == Opcode::kBroadcast) {
      SetOperand({id, k}, Kept(order, DimensionsOf(program_, id)), true, false);
    } else {
      const auto found = wishes_.find({id, k});
      if (found != wishes_.end() && found->second.must) continue;
      const auto wish = OperandFor(id, k, order);
      const bool is_transpose = program_.opcode(id) == Opcode::kTranspose;
      if (wish.has_value()) SetOperand({id, k}, *wish, false, is_transpose);
    }
  }
  for (const OperandId& use : buffers_.UsesOf(buffer)) {
    if (!wishes_.contains(use)) SetOperand(use, order, false);
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
  const auto result = ResultFor(id, k, order);
  if (!result.has_value()) return;
  const Opcode opcode = program_.opcode(id);
  SetBuffer({id, 0}, *result, opcode == Opcode::kReduce, opcode == Opcode::kTranspose);
}

void LayoutConstraints::SpreadToSiblings(const OperandId& operand, const Order& order) {
  const auto [id, k] = operand;
  const int64_t rank = program_.shape(program_.operand(id, k)).rank();
  for (size_t s = 0; s < program_.operands(id).size(); ++s) {
    const layout::Shape& sibling = program_.shape(program_.operand(id, s));
    if (s == k || !sibling.is_array() || sibling.rank() != rank) continue;
    if (!wishes_.contains({id, s})) SetOperand({id, s}, order, false);
  }
  const layout::Shape& shape = program_.shape(id);
  if (shape.is_array() && shape.rank() == rank) SetBuffer({id, 0}, order, false);
}

std::optional<Order> LayoutConstraints::OperandFor(InstructionId id, size_t k,
                                                   const Order& result) const {
  const layout::Shape &made = program_.shape(id), &read = program_.shape(program_.operand(id, k));
  switch (program_.opcode(id)) {
    case Opcode::kReshape:
      return Reshaped(result, made.dims(), read.dims());
    case Opcode::kTranspose:
      return Renumbered(result, DimensionsOf(program_, id));
    case Opcode::kReduce: {
      const IntList reduced = DimensionsOf(program_, id);
      IntList kept;
      int64_t length = 1;
      for (int64_t d = 0; d < read.rank(); ++d) {
        if (!absl::c_linear_search(reduced, d)) {
          kept.push_back(d);
        } else {
          length *= read.dim(d);
        }
      }
      if (length < kLongReduction || k > 0) return std::nullopt;
      Order order = Renumbered(result, kept);
      order.insert(order.end(), reduced.begin(), reduced.end());
      return order;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Order> LayoutConstraints::ResultFor(InstructionId id, size_t k,
                                                  const Order& operand) const {
  const layout::Shape &made = program_.shape(id), &read = program_.shape(program_.operand(id, k));
  switch (program_.opcode(id)) {
    case Opcode::kReshape:
      return Reshaped(operand, read.dims(), made.dims());
    case Opcode::kTranspose:
      return Kept(operand, DimensionsOf(program_, id));
    case Opcode::kReduce: {
      if (k > 0) return std::nullopt;
      const IntList reduced = DimensionsOf(program_, id);
      IntList kept;
      for (int64_t d = 0; d < read.rank(); ++d) {
        if (!absl::c_linear_search(reduced, d)) kept.push_back(d);
      }
      return Kept(operand, kept);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::target
