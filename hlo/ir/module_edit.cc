// The mutators of Module (module.h): instructions, attributes, and lists of ids in the flat pools.

#include <algorithm>

#include "tessera/hlo/module.h"

namespace tessera::hlo {

InstructionId Module::AddDetached(Instruction instruction) {
  instruction.form = SpellingState::kOther;
  instruction.attributes_alike = 0;
  instructions_.push_back(instruction);
  return static_cast<InstructionId>(instructions_.size() - 1);
}

InstructionId Module::AddInstruction(ComputationId computation, Opcode opcode,
                                     absl::string_view name, ShapeId shape,
                                     absl::Span<const InstructionId> operands,
                                     absl::Span<const Attribute> attributes) {
  return AddHeld(computation, opcode, Held(name), shape, operands, attributes, {});
}

InstructionId Module::AddHeld(ComputationId computation, Opcode opcode, absl::string_view name,
                              ShapeId shape, absl::Span<const InstructionId> operands,
                              absl::Span<const Attribute> attributes, absl::string_view metadata) {
  const InstructionId id = static_cast<InstructionId>(instructions_.size());
  Instruction& i = instructions_.emplace_back();
  i.name = name;
  i.opcode = opcode;
  i.shape = shape;
  i.computation = computation;
  i.operands = PutIds(operands);
  i.attributes.begin = static_cast<uint32_t>(attribute_pool_.size());
  for (const Attribute& attribute : attributes) attribute_pool_.push_back(attribute);
  if (!metadata.empty()) attribute_pool_.emplace_back(AttributeName::kMetadata, metadata, 0);
  i.attributes.size = static_cast<uint32_t>(attribute_pool_.size()) - i.attributes.begin;
  Computation& c = computations_[computation];
  if (opcode == Opcode::kParameter) {
    i.parameter_number = static_cast<uint32_t>(c.parameters.size());
    c.parameters.push_back(id);
  }
  if (opcode == Opcode::kConstant) i.literal = PutLiteral({});
  c.instructions.push_back(id);
  return id;
}

void Module::SetRoot(ComputationId computation, InstructionId root) {
  Computation& c = computations_[computation];
  if (c.root != kNoId) mutable_instruction(c.root).is_root = false;
  c.root = root;
  mutable_instruction(root).is_root = true;
}

void Module::SetName(InstructionId id, absl::string_view name) {
  mutable_instruction(id).name = Keep(name);
}

void Module::SetShape(InstructionId id, const layout::Shape& shape) {
  mutable_instruction(id).shape = InternShape(shape);
}

// `ids` may be a part of the pool. Most lists have one or two.
PoolRange Module::PutIds(absl::Span<const uint32_t> ids) {
  const bool is_in_pool =
      ids.data() >= id_pool_.data() && ids.data() < id_pool_.data() + id_pool_.size();
  if (is_in_pool) return PutIds(std::vector<uint32_t>(ids.begin(), ids.end()));
  const PoolRange range = {static_cast<uint32_t>(id_pool_.size()),
                           static_cast<uint32_t>(ids.size())};
  for (const uint32_t id : ids) id_pool_.push_back(id);
  return range;
}

// Overwrites in place when there is room; `ids` may be a part of the pool.
void Module::ReplaceIds(PoolRange* range, absl::Span<const uint32_t> ids) {
  if (ids.size() <= range->size) {
    std::copy(ids.begin(), ids.end(), id_pool_.begin() + range->begin);
    range->size = static_cast<uint32_t>(ids.size());
    return;
  }
  *range = PutIds(ids);
}

void Module::SetOperands(InstructionId id, absl::Span<const InstructionId> operands) {
  ReplaceIds(&mutable_instruction(id).operands, operands);
}

void Module::SetOperand(InstructionId id, size_t index, InstructionId operand) {
  id_pool_[mutable_instruction(id).operands.begin + index] = operand;
}

void Module::SetCalled(InstructionId id, absl::Span<const ComputationId> called) {
  ReplaceIds(&mutable_instruction(id).called, called);
}

void Module::SetControlPredecessors(InstructionId id,
                                    absl::Span<const InstructionId> predecessors) {
  ReplaceIds(&mutable_instruction(id).control_predecessors, predecessors);
}

void Module::SetAttributes(InstructionId id, absl::Span<const Attribute> attributes) {
  const bool is_in_pool = attributes.data() >= attribute_pool_.data() &&
                          attributes.data() < attribute_pool_.data() + attribute_pool_.size();
  if (!is_in_pool && instructions_[id].attributes.size == 0) {
    mutable_instruction(id).attributes = PutAttributes(attributes);
    return;
  }
  const std::vector<Attribute> copy(attributes.begin(), attributes.end());
  PoolRange& range = mutable_instruction(id).attributes;
  if (copy.size() > range.size) {
    // A list at the end of the pool grows in place; another one moves to the end.
    const bool is_last = range.begin + range.size == attribute_pool_.size();
    if (is_last)
      attribute_pool_.erase(attribute_pool_.begin() + range.begin, attribute_pool_.end());
    range.begin = static_cast<uint32_t>(attribute_pool_.size());
    attribute_pool_.insert(attribute_pool_.end(), copy.begin(), copy.end());
  } else {
    std::copy(copy.begin(), copy.end(), attribute_pool_.begin() + range.begin);
  }
  range.size = static_cast<uint32_t>(copy.size());
}

void Module::SetAttribute(InstructionId id, AttributeName name, absl::string_view value) {
  const Attribute fresh(name, Keep(value), 0);
  PoolRange& range = mutable_instruction(id).attributes;
  for (uint32_t i = 0; i < range.size; ++i) {
    Attribute& old = attribute_pool_[range.begin + i];
    if (old.name() == name) {
      old = fresh;
      return;
    }
  }
  AddAttribute(id, fresh);
}

void Module::AddAttribute(InstructionId id, const Attribute& attribute) {
  PoolRange& range = mutable_instruction(id).attributes;
  // A list at the end of the pool grows in place; another one moves to the end first.
  const uint32_t end = static_cast<uint32_t>(attribute_pool_.size());
  if (range.begin + range.size != end) {
    for (uint32_t i = 0; i < range.size; ++i) {
      const Attribute moved = attribute_pool_[range.begin + i];
      attribute_pool_.push_back(moved);
    }
    range.begin = end;
  }
  attribute_pool_.push_back(attribute);
  ++range.size;
}

void Module::RemoveAttribute(InstructionId id, AttributeName name) {
  std::vector<Attribute> list(attributes(id).begin(), attributes(id).end());
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const Attribute& a) { return a.name() == name; }),
             list.end());
  SetAttributes(id, list);
}

PoolRange Module::PutAttributes(absl::Span<const Attribute> attributes) {
  const PoolRange range = {static_cast<uint32_t>(attribute_pool_.size()),
                           static_cast<uint32_t>(attributes.size())};
  attribute_pool_.insert(attribute_pool_.end(), attributes.begin(), attributes.end());
  return range;
}

uint32_t Module::PutLiteral(absl::string_view text) {
  literals_.push_back(text);
  return static_cast<uint32_t>(literals_.size() - 1);
}

void Module::SetLiteralText(InstructionId id, absl::string_view text) {
  SetKeptLiteralText(id, Keep(text));
}

void Module::SetKeptLiteralText(InstructionId id, absl::string_view text) {
  mutable_instruction(id).literal = PutLiteral(text);
}

void Module::RemoveInstruction(InstructionId id) {
  Computation& c = computations_[instructions_[id].computation];
  c.instructions.erase(std::remove(c.instructions.begin(), c.instructions.end(), id),
                       c.instructions.end());
  c.parameters.erase(std::remove(c.parameters.begin(), c.parameters.end(), id), c.parameters.end());
}

void Module::Reserve(size_t instructions, size_t attributes) {
  instructions_.reserve(instructions);
  id_pool_.reserve(instructions + instructions / 2);
  attribute_pool_.reserve(attributes);
}

}  // namespace tessera::hlo
