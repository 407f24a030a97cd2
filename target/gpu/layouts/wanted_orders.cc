// What layout assignment starts from: orders that must be so (layout_constraints.h).
//
//   d = f32[4,8,8] dot(x: f32[4,8,16], y), lhs_batch_dims={0}, ..    // row-major operands and result
//   g = f32[32,8] all-gather(x), dimensions={0}                      // dimension 0 is the most major one
//
// Borders first, then instructions, the last one first, as in XLA: a product with a batch takes the order
// that a reader wants of it. Cost: linear. Tested by layout_constraints_test.cc.

#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/target/gpu/layouts/layout_constraints.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/simplify/dot_parts.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using layout::ElementType;

Order RowsOf(const DotSide& side) {
  Order order = side.batch;
  order.insert(order.end(), side.free.begin(), side.free.end());
  order.insert(order.end(), side.contracting.begin(), side.contracting.end());
  return order;
}

// A product of 8-bit integers reads both sides along what it contracts.
bool WantsRows(const DeviceProgram& program, InstructionId dot) {
  const auto type = [&](size_t k) { return program.shape(program.operand(dot, k)).element_type(); };
  return program.shape(dot).element_type() == ElementType::kS32 && type(0) == ElementType::kS8 &&
         type(1) == ElementType::kS8;
}

}  // namespace

void LayoutConstraints::AddBorders(const BorderOrders& borders,
                                   const OrdersOfComputations& called) {
  AddArguments(borders.arguments);
  for (const InstructionId id : program_.module().computation(c_).instructions) {
    if (!program_.IsRemoved(id)) AddOfCalls(id, called);
  }
  const InstructionId root = program_.module().computation(c_).root;
  for (size_t leaf = 0; leaf < borders.results.size(); ++leaf) {
    const BufferId buffer = buffers_.Of(root, static_cast<int64_t>(leaf));
    if (buffers_.ShapeOf(buffer).is_array()) SetSource(buffer, borders.results[leaf]);
  }
}

void LayoutConstraints::AddArguments(const std::vector<Order>& arguments) {
  size_t k = 0;
  for (const InstructionId p : program_.module().computation(c_).parameters) {
    for (size_t leaf = 0; leaf < LeavesOf(program_.shape(p)) && k < arguments.size(); ++leaf, ++k) {
      const BufferId buffer = {p, static_cast<int64_t>(leaf)};
      if (buffers_.ShapeOf(buffer).is_array()) SetBuffer(buffer, arguments[k], true);
    }
  }
}

void LayoutConstraints::AddOfCalls(InstructionId id, const OrdersOfComputations& called) {
  const auto& callees = program_.module().called(id);
  if (program_.opcode(id) == Opcode::kWhile) {
    AddOfCall(id, called.at(callees.front()), 0);
  } else if (program_.opcode(id) == Opcode::kConditional) {
    for (size_t b = 0; b < callees.size(); ++b) AddOfCall(id, called.at(callees[b]), b + 1);
  }
}

void LayoutConstraints::AddOfCall(InstructionId id, const BorderOrders& callee, size_t operand) {
  const InstructionId taken = program_.operand(id, operand);
  if (program_.shape(taken).is_array()) SetOperand({id, operand}, callee.arguments.front(), true);
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
  const bool wants_rows = WantsRows(program_, id);
  for (size_t k = 0; k < 2; ++k) {
    const DotSide& side = k == 0 ? parts.left : parts.right;
    const auto sizes = program_.shape(program_.operand(id, k)).dims();
    if (wants_rows) {
      SetOperand({id, k}, RowsOf(side), true);
    } else if (!side.batch.empty()) {
      SetOperand({id, k}, DefaultOrder(sizes.size()), true);
    }
  }
  if (!parts.left.batch.empty()) AddOfBatchedProduct(id);
}

// Its result lies as a reader wants it.
void LayoutConstraints::AddOfBatchedProduct(InstructionId id) {
  for (const OperandId& use : buffers_.UsesOf({id, 0})) {
    if (const Order* const wish = WishOf(use); wish != nullptr)
      return SetBuffer({id, 0}, *wish, true);
  }
  SetBuffer({id, 0}, DefaultOrder(program_.shape(id).dims().size()), true);
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

// A collective over a dimension has it in front.
void LayoutConstraints::AddOfCollective(InstructionId id) {
  const layout::Shape& shape = program_.shape(id);
  if (!shape.is_array()) return;
  SetBuffer({id, 0}, WithMajor(CollectiveDimension(program_, id), shape.dims().size()), true);
}

// It reads rows.
void LayoutConstraints::AddDefaultOperands(InstructionId id) {
  for (size_t k = 0; k < program_.operands(id).size(); ++k) {
    const layout::Shape& operand = program_.shape(program_.operand(id, k));
    if (operand.is_array()) SetOperand({id, k}, DefaultOrder(operand.dims().size()), true);
  }
}

// A custom call that says the layouts of its operands has rows; another one takes what comes.
void LayoutConstraints::AddOfCustomCall(InstructionId id) {
  if (!program_.module().HasAttribute(id, hlo::AttributeName::kOperandLayoutConstraints)) return;
  AddDefaultOperands(id);
  for (size_t leaf = 0; leaf < LeavesOf(program_.shape(id)); ++leaf) {
    const BufferId buffer = {id, static_cast<int64_t>(leaf)};
    const layout::Shape& shape = buffers_.ShapeOf(buffer);
    if (shape.is_array()) SetBuffer(buffer, DefaultOrder(shape.dims().size()), true);
  }
}

void LayoutConstraints::AddOfInstruction(InstructionId id) {
  switch (program_.opcode(id)) {
    case Opcode::kDot:
      return AddOfDot(id);
    case Opcode::kTranspose:
      return AddOfTranspose(id);
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
      return AddOfCollective(id);
    case Opcode::kSort:
    case Opcode::kFft:
      return AddDefaultOperands(id);
    case Opcode::kCustomCall:
      return AddOfCustomCall(id);
    default:
      return;
  }
}

}  // namespace tessera::target
