#include "tessera/hlo/module.h"

#include <algorithm>
#include <deque>

namespace tessera::hlo {

// Text that is not in the source. A copy of a module starts an arena of its own and keeps the old
// one, so that two copies never write to one arena.
class Module::Arena {
 public:
  explicit Arena(std::shared_ptr<const Arena> older = nullptr) : older_(std::move(older)) {}

  absl::string_view Keep(absl::string_view text) {
    bytes_ += text.size();
    return texts_.emplace_back(text);
  }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const Arena> older_;
  std::deque<std::string> texts_;
  size_t bytes_ = 0;
};

Module::Module() : arena_(std::make_shared<Arena>()) {}
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

Module::Module(const Module& other)
    : header_(other.header_),
      header_attributes_(other.header_attributes_),
      text_(other.text_),
      source_(other.source_),
      computations_(other.computations_),
      entry_(other.entry_),
      instructions_(other.instructions_),
      id_pool_(other.id_pool_),
      attribute_pool_(other.attribute_pool_),
      literals_(other.literals_),
      shapes_(other.shapes_),
      shape_ids_(other.shape_ids_),
      arena_(std::make_shared<Arena>(other.arena_)) {}

Module& Module::operator=(const Module& other) {
  if (this != &other) *this = Module(other);
  return *this;
}

std::optional<SourceRange> Module::RangeOf(absl::string_view view) const {
  const absl::string_view all = source_text();
  if (view.data() < all.data() || view.data() + view.size() > all.data() + all.size()) {
    return std::nullopt;
  }
  const uint32_t begin = static_cast<uint32_t>(view.data() - all.data());
  return SourceRange{begin, begin + static_cast<uint32_t>(view.size())};
}

ComputationId Module::FindComputation(absl::string_view name) const {
  for (ComputationId id = 0; id < computations_.size(); ++id) {
    if (!computations_[id].removed && computations_[id].name == name) return id;
  }
  return kNoId;
}

InstructionId Module::FindInstruction(absl::string_view name) const {
  for (InstructionId id = 0; id < instructions_.size(); ++id) {
    if (instructions_[id].name == name) return id;
  }
  return kNoId;
}

std::optional<absl::string_view> Module::FindAttribute(InstructionId id, AttributeName name) const {
  for (const Attribute& a : attributes(id)) {
    if (a.name() == name) return a.value();
  }
  return std::nullopt;
}

absl::string_view Module::LiteralText(InstructionId id) const {
  const Instruction& i = instructions_[id];
  return i.opcode == Opcode::kConstant ? literals_[i.literal] : absl::string_view();
}

size_t Module::MemoryBytes() const {
  size_t bytes = instructions_.capacity() * sizeof(Instruction) +
                 id_pool_.capacity() * sizeof(uint32_t) +
                 attribute_pool_.capacity() * sizeof(Attribute) +
                 literals_.capacity() * sizeof(absl::string_view) +
                 computations_.capacity() * sizeof(Computation) + arena_->bytes() +
                 shapes_.size() * 2 * (sizeof(layout::Shape) + 32);
  for (const Computation& c : computations_) {
    bytes += (c.instructions.capacity() + c.parameters.capacity()) * sizeof(InstructionId);
  }
  return bytes;
}

void Module::SetSource(std::shared_ptr<const text::Source> text, SourceRange range) {
  text_ = std::move(text);
  source_ = range;
}

absl::string_view Module::Keep(absl::string_view text) { return arena_->Keep(text); }

ShapeId Module::InternShape(const layout::Shape& shape) {
  const auto [it, added] = shape_ids_.try_emplace(shape, static_cast<ShapeId>(shapes_.size()));
  if (added) shapes_.push_back(std::make_shared<const layout::Shape>(shape));
  return it->second;
}

ComputationId Module::AddComputation(absl::string_view name) {
  Computation& c = computations_.emplace_back();
  c.name = Keep(name);
  return static_cast<ComputationId>(computations_.size() - 1);
}

void Module::RemoveComputation(ComputationId id) {
  computations_[id].removed = true;
  computations_[id].instructions.clear();
  computations_[id].parameters.clear();
}

InstructionId Module::AddDetached(Instruction instruction) {
  instruction.form = TextForm::kOther;
  instructions_.push_back(instruction);
  return static_cast<InstructionId>(instructions_.size() - 1);
}

InstructionId Module::AddInstruction(ComputationId computation, Opcode opcode,
                                     absl::string_view name, ShapeId shape,
                                     absl::Span<const InstructionId> operands) {
  Instruction i;
  i.name = Keep(name);
  i.opcode = opcode;
  i.shape = shape;
  i.computation = computation;
  i.operands = PutIds(operands);
  Computation& c = computations_[computation];
  if (opcode == Opcode::kParameter) {
    i.parameter_number = static_cast<uint32_t>(c.parameters.size());
  }
  if (opcode == Opcode::kConstant) i.literal = PutLiteral({});
  const InstructionId id = AddDetached(i);
  if (opcode == Opcode::kParameter) c.parameters.push_back(id);
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

// `ids` may be a part of the pool.
PoolRange Module::PutIds(absl::Span<const uint32_t> ids) {
  PoolRange range;
  const bool is_own =
      ids.data() >= id_pool_.data() && ids.data() < id_pool_.data() + id_pool_.size();
  if (is_own) {
    ReplaceIds(&range, ids);
  } else {
    range = {static_cast<uint32_t>(id_pool_.size()), static_cast<uint32_t>(ids.size())};
    id_pool_.insert(id_pool_.end(), ids.begin(), ids.end());
  }
  return range;
}

// Overwrites in place when there is room; `ids` may be a part of the pool.
void Module::ReplaceIds(PoolRange* range, absl::Span<const uint32_t> ids) {
  if (ids.size() <= range->size) {
    std::copy(ids.begin(), ids.end(), id_pool_.begin() + range->begin);
    range->size = static_cast<uint32_t>(ids.size());
    return;
  }
  const std::vector<uint32_t> copy(ids.begin(), ids.end());
  range->begin = static_cast<uint32_t>(id_pool_.size());
  range->size = static_cast<uint32_t>(copy.size());
  id_pool_.insert(id_pool_.end(), copy.begin(), copy.end());
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
  const std::vector<Attribute> copy(attributes.begin(), attributes.end());
  PoolRange& range = mutable_instruction(id).attributes;
  if (copy.size() > range.size) {
    range.begin = static_cast<uint32_t>(attribute_pool_.size());
    attribute_pool_.insert(attribute_pool_.end(), copy.begin(), copy.end());
  } else {
    std::copy(copy.begin(), copy.end(), attribute_pool_.begin() + range.begin);
  }
  range.size = static_cast<uint32_t>(copy.size());
}

void Module::SetAttribute(InstructionId id, AttributeName name, absl::string_view value) {
  const Attribute fresh(name, Keep(value), 0);
  std::vector<Attribute> list(attributes(id).begin(), attributes(id).end());
  const auto old =
      std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.name() == name; });
  if (old != list.end()) {
    *old = fresh;
  } else {
    list.push_back(fresh);
  }
  SetAttributes(id, list);
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
  mutable_instruction(id).literal = PutLiteral(Keep(text));
}

void Module::RemoveInstruction(InstructionId id) {
  Computation& c = computations_[instructions_[id].computation];
  c.instructions.erase(std::remove(c.instructions.begin(), c.instructions.end(), id),
                       c.instructions.end());
  c.parameters.erase(std::remove(c.parameters.begin(), c.parameters.end(), id), c.parameters.end());
}

void Module::Reserve(size_t instructions) {
  instructions_.reserve(instructions);
  id_pool_.reserve(2 * instructions);
  attribute_pool_.reserve(2 * instructions);
}

}  // namespace tessera::hlo
