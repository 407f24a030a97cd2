// Instructions that are more, or less, than one op of their own shape.

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/import/build/block_builder.h"

namespace tessera::sharding::passes {

using hlo::InstructionId;
using hlo::Opcode;
using layout::ElementType;
using layout::Shape;

BlockBuilder::Handler BlockBuilder::HandlerOf(Opcode opcode) {
  static constexpr std::pair<Opcode, Handler> kSpecial[] = {
      {Opcode::kTuple, &BlockBuilder::Tuple},
      {Opcode::kGetTupleElement, &BlockBuilder::GetElement},
      {Opcode::kConstant, &BlockBuilder::Constant},
      {Opcode::kWhile, &BlockBuilder::While},
      {Opcode::kConditional, &BlockBuilder::Conditional},
      {Opcode::kCall, &BlockBuilder::Call},
      {Opcode::kOptBarrier, &BlockBuilder::OptBarrier},
      {Opcode::kConvert, &BlockBuilder::Convert},
      {Opcode::kBroadcast, &BlockBuilder::Broadcast},
      {Opcode::kConvolution, &BlockBuilder::Convolution},
      {Opcode::kRngBitGenerator, &BlockBuilder::RngBitGenerator},
  };
  static constexpr auto kHandlers = [] {
    std::array<Handler, hlo::kNumOpcodes> handlers = {};
    for (Handler& handler : handlers) handler = &BlockBuilder::Generic;
    for (const auto& [special, handler] : kSpecial)
      handlers[static_cast<size_t>(special)] = handler;
    return handlers;
  }();
  return kHandlers[static_cast<size_t>(opcode)];
}

void BlockBuilder::Generic(InstructionId id) {
  Enter(id, AddWhole(OpKind::kHlo, id, OperandLeaves(id)));
}

void BlockBuilder::Tuple(InstructionId id) { table_->Set(id, OperandLeaves(id)); }

void BlockBuilder::GetElement(InstructionId id) {
  const InstructionId tuple = module_.operands(id)[0];
  const int64_t index = hlo::GetTupleIndex(module_, id);
  const Shape& shape = module_.shape(tuple);
  table_->SetPart(id, tuple, leaf_numbers_.Of(shape, {index}),
                  leaf_numbers_.Count(module_.shape(id)));
}

void BlockBuilder::Constant(InstructionId id) {
  const OpKind kind = module_.shape(id).is_array() ? OpKind::kConstant : OpKind::kHlo;
  Enter(id, AddWhole(kind, id, {}));
}

// To PRED: a comparison with a zero of its own.
void BlockBuilder::Convert(InstructionId id) {
  if (module_.shape(id).element_type() != ElementType::kPred) return Generic(id);
  Value* operand = Operand(id, 0);
  Op* zero = Add(OpKind::kConstant, id, {}, {&operand->shape()}, OpPart::kPredZero);
  Enter(id, AddWhole(OpKind::kHlo, id, {operand, zero->result()}));
}

// Dimensions out of order: a transpose that sorts them, then a broadcast.
void BlockBuilder::Broadcast(InstructionId id) {
  const auto dims = hlo::GetInts(module_, id, hlo::AttributeName::kDimensions);
  if (!dims.has_value() || std::is_sorted(dims->begin(), dims->end())) return Generic(id);
  Value* operand = Operand(id, 0);
  std::vector<size_t> order(dims->size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return (*dims)[a] < (*dims)[b]; });
  std::vector<int64_t> sizes;
  for (size_t i : order) sizes.push_back(operand->shape().dim(static_cast<int64_t>(i)));
  const Shape* shape = program_.KeepShape(Shape::Array(operand->shape().element_type(), sizes));
  Op* transpose = Add(OpKind::kHlo, id, {operand}, {shape}, OpPart::kSortTranspose);
  Op* broadcast =
      Add(OpKind::kHlo, id, {transpose->result()}, {&module_.shape(id)}, OpPart::kSortedBroadcast);
  Enter(id, broadcast);
}

// `value`, converted to the element type of `other` if that is wider.
Value* BlockBuilder::Widened(InstructionId id, Value* value, const Value* other) {
  const ElementType type = other->shape().element_type();
  if (layout::BitWidth(value->shape().element_type()) >= layout::BitWidth(type)) return value;
  const Shape* shape = program_.KeepShape(Shape::Array(type, value->shape().dims()));
  return Add(OpKind::kHlo, id, {value}, {shape}, OpPart::kWiden)->result();
}

void BlockBuilder::Convolution(InstructionId id) {
  Value* lhs = Operand(id, 0);
  Value* rhs = Operand(id, 1);
  if (lhs->shape().element_type() == rhs->shape().element_type()) return Generic(id);
  Value* wide_lhs = Widened(id, lhs, rhs);
  Enter(id, AddWhole(OpKind::kHlo, id, {wide_lhs, Widened(id, rhs, lhs)}));
}

// The form with one array as result gets the new state as a first one.
void BlockBuilder::RngBitGenerator(InstructionId id) {
  if (module_.shape(id).is_tuple()) return Generic(id);
  Value* state = Operand(id, 0);
  Op* op = Add(OpKind::kHlo, id, {state}, {&state->shape(), &module_.shape(id)});
  table_->Set(id, op->result(1));
}

}  // namespace tessera::sharding::passes
