#include "tessera/sharding/partition/emit/kept_computations.h"

#include <utility>

namespace tessera::sharding::partition {

using hlo::ComputationId;
using hlo::InstructionId;

std::vector<hlo::Attribute> HeldAttributes(const hlo::Module& input, InstructionId id,
                                           hlo::Module* module) {
  std::vector<hlo::Attribute> held;
  for (const hlo::Attribute& attribute : input.attributes(id)) {
    if (attribute.name() == hlo::AttributeName::kSharding) continue;
    held.emplace_back(attribute.name(), module->Held(attribute.value()), 0);
  }
  return held;
}

ComputationId KeptComputations::Of(ComputationId computation) {
  const auto [known, is_new] = copies_.try_emplace(computation, hlo::kNoId);
  if (is_new) {
    known->second = output_.AddComputation(input_.computation(computation).name);
    open_.push_back(computation);
  }
  return known->second;
}

KeptComputations::Ids KeptComputations::Of(absl::Span<const ComputationId> computations) {
  Ids copies;
  for (const ComputationId computation : computations) copies.push_back(Of(computation));
  return copies;
}

void KeptComputations::Fill() {
  while (!open_.empty()) {
    const ComputationId from = open_.back();
    open_.pop_back();
    Fill(from, Of(from));
  }
}

void KeptComputations::Fill(ComputationId from, ComputationId to) {
  hlo::Computation copy = input_.computation(from);
  copy.name = output_.computation(to).name;
  made_.resize(input_.num_instructions(), hlo::kNoId);
  for (InstructionId& id : copy.instructions) id = made_[id] = Copy(id, to);
  for (InstructionId& id : copy.parameters) id = made_[id];
  copy.root = made_[copy.root];
  for (const InstructionId id : input_.computation(from).instructions) Connect(id, made_[id]);
  output_.mutable_computation(to) = std::move(copy);
}

hlo::ShapeId KeptComputations::ShapeOf(hlo::ShapeId of_input) {
  shapes_.resize(input_.num_shapes(), kNoShape);
  hlo::ShapeId& known = shapes_[of_input];
  if (known == kNoShape) known = output_.InternShape(input_.interned_shape(of_input));
  return known;
}

// Alone.
InstructionId KeptComputations::Copy(InstructionId from, ComputationId to) {
  hlo::Instruction copy = input_.instruction(from);
  copy.name = output_.Held(copy.name);
  copy.shape = ShapeOf(copy.shape);
  copy.computation = to;
  copy.operands = copy.attributes = copy.called = copy.control_predecessors = {};
  const InstructionId id = output_.AddDetached(copy);
  copied_.emplace_back(from, id);
  if (copy.opcode == hlo::Opcode::kConstant) output_.SetLiteralText(id, input_.LiteralText(from));
  return id;
}

void KeptComputations::Connect(InstructionId from, InstructionId to) {
  const auto copies = [&](absl::Span<const InstructionId> ids) {
    absl::InlinedVector<InstructionId, 4> out;
    for (const InstructionId id : ids) out.push_back(made_[id]);
    return out;
  };
  output_.SetOperands(to, copies(input_.operands(from)));
  output_.SetControlPredecessors(to, copies(input_.control_predecessors(from)));
  output_.SetCalled(to, Of(input_.called(from)));
  for (const hlo::Attribute& attribute : HeldAttributes(input_, from, &output_)) {
    output_.AddAttribute(to, attribute);
  }
}

}  // namespace tessera::sharding::partition
