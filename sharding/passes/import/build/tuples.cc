#include "tessera/sharding/passes/import/build/tuples.h"

#include <vector>

namespace tessera::sharding::passes {
namespace {

Value* MakeTupleFrom(HloProgram* program, Block* block, const layout::Shape* shape,
                     absl::Span<Value* const>* leaves) {
  if (!shape->is_tuple()) {
    Value* leaf = leaves->front();
    leaves->remove_prefix(1);
    return leaf;
  }
  std::vector<Value*> elements;
  for (const layout::Shape& element : shape->tuple_elements()) {
    elements.push_back(MakeTupleFrom(program, block, &element, leaves));
  }
  OpHead head;
  head.kind = OpKind::kTuple;
  return program->AddOp(head, elements, {shape}, InsertPoint::AtEnd(block))->result();
}

using ShapeList = absl::InlinedVector<const layout::Shape*, 2>;

void CollectLeaves(const layout::Shape& shape, ShapeList* leaves) {
  if (!shape.is_tuple()) return leaves->push_back(&shape);
  for (const layout::Shape& element : shape.tuple_elements()) CollectLeaves(element, leaves);
}

bool IsRead(const Op* op) { return op->kind == OpKind::kGetElement; }

}  // namespace

Value* MakeTuple(HloProgram* program, Block* block, const layout::Shape* shape,
                 absl::Span<Value* const> leaves) {
  return MakeTupleFrom(program, block, shape, &leaves);
}

Value* ReadElement(HloProgram* program, Block* block, Value* tuple, int64_t index,
                   hlo::InstructionId source) {
  const layout::Shape* shape = &tuple->shape().tuple_elements()[static_cast<size_t>(index)];
  OpHead head;
  head.kind = OpKind::kGetElement;
  head.source = source;
  Op* op = program->AddOp(head, {tuple}, {shape}, InsertPoint::AtEnd(block));
  op->attribute = index;
  return op->result();
}

void TakeApart(HloProgram* program, Block* block, Value* value, ValueList* leaves) {
  if (!value->shape().is_tuple()) return leaves->push_back(value);
  const int64_t n = static_cast<int64_t>(value->shape().tuple_elements().size());
  for (int64_t i = 0; i < n; ++i) {
    TakeApart(program, block, ReadElement(program, block, value, i), leaves);
  }
}

void ResolveTuples(HloProgram* program, Block* block) {
  for (Op *op = block->first, *next; op != nullptr; op = next) {
    next = op->next;
    if (!IsRead(op)) continue;
    const Op* tuple = op->operand(0)->def();
    if (tuple == nullptr || tuple->kind != OpKind::kTuple) continue;
    program->Replace(op, {tuple->operand(static_cast<int>(op->attribute))});
  }
  for (Op *op = block->last, *prev; op != nullptr; op = prev) {
    prev = op->prev;
    if (op->kind == OpKind::kTuple && !op->has_uses()) program->Erase(op);
  }
}

absl::InlinedVector<const layout::Shape*, 2> LeafShapes(const layout::Shape& shape) {
  ShapeList leaves;
  CollectLeaves(shape, &leaves);
  return leaves;
}

}  // namespace tessera::sharding::passes
