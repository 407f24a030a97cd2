// Single ops in the form of HLO: made, made anew, packed into tuples and taken apart; and the
// numbers that they get in the end.

#include <utility>

#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/emit/result_layouts.h"

namespace tessera::sharding::passes {

using hlo::Opcode;

Value* Lowering::Add(const Frame& frame, const NewNode& node, absl::Span<Value* const> operands) {
  const OpHead head = {OpKind::kHlo, node.source, OpPart::kInserted, /*pure=*/true};
  Value* const made = program_.AddOp(head, operands, {node.shape}, frame.at)->result();
  Set(made, node.opcode, node.role, node.sharding);
  if (node.role == HloRole::kPacking) form_.packing.push_back(made->def());
  return made;
}

void Lowering::Set(Value* value, Opcode opcode, HloRole role, HloShardingId sharding) {
  Op* const op = value->def();
  op->opcode = opcode;
  op->role = role;
  op->pure = true;
  SetHloSharding(value, sharding);
}

HloInfo& Lowering::InfoOf(Value* value) {
  Op* const op = value->def();
  HloInfo* known = op->has_extra ? dynamic_cast<HloInfo*>(op->extra->payload) : nullptr;
  return known != nullptr ? *known : *program_.NewPayload<HloInfo>(op);
}

Value* Lowering::AddParameter(Block* block, const layout::Shape* shape, HloShardingId sharding) {
  Value* const parameter = program_.AddArg(block, RowMajor(shape));
  SetHloSharding(parameter, sharding);
  return parameter;
}

const layout::Shape* Lowering::RowMajor(const layout::Shape* shape) {
  return HasDefaultLayout(*shape) ? shape : program_.KeepShape(WithDefaultLayout(*shape));
}

const layout::Shape* Lowering::KeepTuple(std::vector<layout::Shape> elements) {
  layout::Shape tuple = layout::Shape::Tuple(std::move(elements));
  const layout::Shape*& last = last_tuples_[tuple.tuple_elements().size()];
  if (last == nullptr || *last != tuple) last = program_.KeepShape(std::move(tuple));
  return last;
}

Value* Lowering::AddTuple(const Frame& frame, absl::Span<Value* const> elements,
                          HloShardingId sharding) {
  std::vector<layout::Shape> shapes;
  shapes.reserve(elements.size());
  for (const Value* element : elements) shapes.push_back(element->shape());
  NewNode node;
  node.shape = KeepTuple(std::move(shapes));
  node.sharding = sharding;
  return Add(frame, node, elements);
}

Value* Lowering::AddElement(const Frame& frame, Value* tuple, int64_t index,
                            HloShardingId sharding) {
  NewNode node;
  node.opcode = Opcode::kGetTupleElement;
  node.shape = &tuple->shape().tuple_elements()[static_cast<size_t>(index)];
  node.sharding = sharding;
  Value* const element = Add(frame, node, {tuple});
  element->def()->attribute = index;
  return element;
}

Value* Lowering::AddCopy(const Frame& frame, Value* of, HloShardingId sharding, HloRole role,
                         hlo::InstructionId source) {
  NewNode node;
  node.opcode = Opcode::kCopy;
  node.role = role;
  node.source = source;
  node.shape = &of->shape();
  node.sharding = sharding;
  return Add(frame, node, {of});
}

Value* Lowering::AddConstant(const Frame& frame, NewNode node, std::string literal) {
  node.opcode = Opcode::kConstant;
  Value* const constant = Add(frame, node, {});
  InfoOf(constant).literal = std::move(literal);
  return constant;
}

Value* Lowering::Pack(const Frame& frame, absl::Span<Value* const> elements,
                      const std::vector<HloShardingId>& shardings) {
  if (elements.size() == 1) return elements[0];
  return AddTuple(frame, elements, form_.shardings.Tuple(shardings));
}

Value* Lowering::Rebuild(const Frame& frame, Op* op, Opcode opcode,
                         absl::Span<Value* const> operands, const layout::Shape* shape,
                         HloShardingId sharding) {
  NewNode node;
  node.opcode = opcode;
  node.role = HloRole::kCounterpart;
  node.source = op->source;
  node.shape = shape;
  node.sharding = sharding;
  Value* const made = Add(frame, node, operands);
  made->def()->like_source = true;
  if (!op->blocks().empty()) program_.MoveExtra(op, made->def());
  return made;
}

Lowering::Values Lowering::ResultsOf(const Frame& frame, const Op* op, Value* made,
                                     const std::vector<HloShardingId>& shardings) {
  if (!made->shape().is_tuple()) return op->num_results() > 0 ? Values{made} : Values();
  Values results;
  for (int i = 0; i < op->num_results(); ++i) {
    results.push_back(AddElement(frame, made, i, shardings[static_cast<size_t>(i)]));
  }
  return results;
}

void Lowering::SeeOperands(const Frame& frame, Op* op) {
  for (Use& use : op->operands) {
    Value* const here = Here(frame, use.value());
    if (here != use.value()) use.Set(here);
  }
}

Lowering::Values Lowering::OperandsOf(const Op* op) {
  Values operands;
  operands.reserve(op->operands.size());
  for (const Use& use : op->operands) operands.push_back(use.value());
  return operands;
}

void NumberNodes(HloForm& form) {
  for (HloComputation& c : form.computations) {
    if (c.block == nullptr || c.block->last == nullptr) continue;
    c.nodes.clear();
    const auto add = [&](Value* value) {
      value->set_number(c.num_nodes());
      c.nodes.push_back(value);
    };
    for (Value* parameter : c.block->args) add(parameter);
    c.num_parameters = c.nodes.size();
    for (Op* op = c.block->first; op != c.block->last; op = op->next) add(op->result());
    c.root = NodeOf(c.block->last->operand(0));
  }
}

}  // namespace tessera::sharding::passes
