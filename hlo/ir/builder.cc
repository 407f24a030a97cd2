#include "tessera/hlo/builder.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"

namespace tessera::hlo {

using layout::Shape;

Builder::Builder(Module* module) : module_(module) {
  untaken_.reserve(module->num_instructions());
  for (ComputationId c = 0; c < module->num_computations(); ++c) {
    if (module->computation(c).removed) continue;
    computation_names_.Take(module->computation(c).name);
    for (InstructionId i : module->computation(c).instructions) {
      untaken_.push_back(module->instruction(i).name);
    }
  }
}

UniqueNames& Builder::InstructionNames() {
  for (const absl::string_view name : untaken_) instruction_names_.Take(name);
  untaken_.clear();
  return instruction_names_;
}

std::string Builder::UniqueInstructionName(absl::string_view wanted) {
  UniqueNames& names = InstructionNames();
  return IsSaneName(wanted) ? names.Unique(wanted) : names.Unique(SanitizeName(wanted));
}

std::string Builder::UniqueComputationName(absl::string_view wanted) {
  return computation_names_.Unique(SanitizeName(wanted));
}

InstructionId Builder::Add(ComputationId computation, Opcode opcode, absl::string_view name_hint,
                           absl::Span<const InstructionId> operands) {
  const Shape shape = module_->shape(operands[0]);
  return Add(computation, opcode, name_hint, shape, operands);
}

InstructionId Builder::Add(ComputationId computation, Opcode opcode, absl::string_view name_hint,
                           const Shape& shape, absl::Span<const InstructionId> operands) {
  return module_->AddInstruction(computation, opcode, UniqueInstructionName(name_hint),
                                 module_->InternShape(shape), operands);
}

InstructionId Builder::AddParameter(ComputationId computation, absl::string_view name_hint,
                                    const Shape& shape) {
  return Add(computation, Opcode::kParameter, name_hint, shape, {});
}

InstructionId Builder::AddConstant(ComputationId computation, absl::string_view name_hint,
                                   const Shape& shape, absl::string_view literal) {
  const InstructionId id = Add(computation, Opcode::kConstant, name_hint, shape, {});
  module_->SetLiteralText(id, literal);
  return id;
}

InstructionId Builder::AddTuple(ComputationId computation, absl::string_view name_hint,
                                absl::Span<const InstructionId> elements) {
  std::vector<Shape> shapes;
  for (InstructionId e : elements) shapes.push_back(module_->shape(e));
  return Add(computation, Opcode::kTuple, name_hint, Shape::Tuple(std::move(shapes)), elements);
}

InstructionId Builder::AddGetTupleElement(ComputationId computation, absl::string_view name_hint,
                                          InstructionId tuple, int64_t index) {
  const Shape shape = module_->shape(tuple).tuple_elements()[index];
  const InstructionId id = Add(computation, Opcode::kGetTupleElement, name_hint, shape, {tuple});
  module_->SetAttribute(id, AttributeName::kIndex, absl::StrCat(index));
  return id;
}

ComputationId Builder::AddComputation(absl::string_view name_hint) {
  return module_->AddComputation(UniqueComputationName(name_hint));
}

InstructionId Builder::CloneInstruction(InstructionId id, ComputationId computation,
                                        absl::Span<const InstructionId> operands,
                                        absl::string_view name_hint) {
  const Instruction original = module_->instruction(id);
  const absl::InlinedVector<Attribute, 8> attributes(module_->attributes(id).begin(),
                                                     module_->attributes(id).end());
  const absl::InlinedVector<ComputationId, 2> called(module_->called(id).begin(),
                                                     module_->called(id).end());
  const InstructionId clone = module_->AddInstruction(
      computation, original.opcode, UniqueInstructionName(name_hint), original.shape, operands);
  module_->SetAttributes(clone, attributes);
  module_->SetCalled(clone, called);
  module_->mutable_instruction(clone).literal = original.literal;
  return clone;
}

ComputationId Builder::CloneComputation(
    ComputationId id, absl::string_view suffix,
    absl::flat_hash_map<InstructionId, InstructionId>* mapping) {
  absl::flat_hash_map<InstructionId, InstructionId> local;
  auto& map = mapping == nullptr ? local : *mapping;
  const ComputationId clone =
      AddComputation(absl::StrCat(module_->computation(id).name, ".", suffix));
  const auto copied = [](absl::Span<const InstructionId> ids) {
    return std::vector<InstructionId>(ids.begin(), ids.end());
  };
  const auto mapped = [&](absl::Span<const InstructionId> ids) {
    std::vector<InstructionId> out;
    for (InstructionId i : ids) out.push_back(map.at(i));
    return out;
  };
  const std::vector<InstructionId> order = module_->computation(id).instructions;
  for (InstructionId i : order) {
    map[i] = CloneInstruction(i, clone, copied(module_->operands(i)), module_->instruction(i).name);
    module_->mutable_instruction(map[i]).parameter_number =
        module_->instruction(i).parameter_number;
  }
  // Now that all are there: an operand may stand after its user.
  for (InstructionId i : order) {
    const std::vector<InstructionId> operands = mapped(module_->operands(i));
    for (size_t k = 0; k < operands.size(); ++k) module_->SetOperand(map[i], k, operands[k]);
    module_->SetControlPredecessors(map[i], mapped(module_->control_predecessors(i)));
  }
  Computation& c = module_->mutable_computation(clone);
  c.parameters = mapped(module_->computation(id).parameters);
  c.execution_thread = module_->computation(id).execution_thread;
  c.backend_config = module_->computation(id).backend_config;
  c.names_elements = module_->computation(id).names_elements;
  module_->SetRoot(clone, map.at(module_->computation(id).root));
  return clone;
}

void Builder::ReplaceUses(InstructionId from, InstructionId to) {
  ReplaceUsesExcept(from, to, {to});
}

void Builder::ReplaceUsesExcept(InstructionId from, InstructionId to,
                                absl::Span<const InstructionId> except) {
  const ComputationId c = module_->instruction(from).computation;
  for (InstructionId user : module_->computation(c).instructions) {
    if (std::find(except.begin(), except.end(), user) != except.end()) continue;
    for (size_t i = 0; i < module_->operands(user).size(); ++i) {
      if (module_->operands(user)[i] == from) module_->SetOperand(user, i, to);
    }
    const auto before = module_->control_predecessors(user);
    if (std::find(before.begin(), before.end(), from) == before.end()) continue;
    std::vector<InstructionId> changed(before.begin(), before.end());
    std::replace(changed.begin(), changed.end(), from, to);
    module_->SetControlPredecessors(user, changed);
  }
  if (module_->computation(c).root == from) module_->SetRoot(c, to);
}

void Builder::RemoveUnreachableComputations() {
  std::vector<bool> reached(module_->num_computations(), false);
  reached[module_->entry_id()] = true;
  std::vector<ComputationId> todo = {module_->entry_id()};
  while (!todo.empty()) {
    const ComputationId c = todo.back();
    todo.pop_back();
    for (InstructionId i : module_->computation(c).instructions) {
      for (ComputationId callee : module_->called(i)) {
        if (reached[callee]) continue;
        reached[callee] = true;
        todo.push_back(callee);
      }
    }
  }
  for (ComputationId c = 0; c < module_->num_computations(); ++c) {
    if (!reached[c] && !module_->computation(c).removed) module_->RemoveComputation(c);
  }
}

}  // namespace tessera::hlo
