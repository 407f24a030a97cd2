#include "tessera/sharding/rules/hlo_op_view.h"

#include <algorithm>
#include <vector>

#include "tessera/sharding/rules/no_rule.h"

namespace tessera::sharding::rules {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

void AppendLeaves(const layout::Shape& shape, ShapeList* leaves) {
  layout::ForEachLeaf(shape, [leaves](const layout::Shape& leaf) { leaves->push_back(&leaf); });
}

// The instruction whose value `id` passes on, looking through get-tuple-element of tuple.
InstructionId Resolve(const Module& module, InstructionId id) {
  std::vector<InstructionId> pending;  // get-tuple-elements whose tuple is not found yet
  while (true) {
    const Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kGetTupleElement) {
      pending.push_back(id);
      id = module.operands(id)[0];
    } else if (opcode == Opcode::kTuple && !pending.empty()) {
      const int64_t index = hlo::GetTupleIndex(module, pending.back());
      const absl::Span<const InstructionId> elements = module.operands(id);
      if (index < 0 || index >= static_cast<int64_t>(elements.size())) return pending.front();
      pending.pop_back();
      id = elements[index];
    } else {
      return pending.empty() ? id : pending.front();
    }
  }
}

absl::InlinedVector<JoinedOperand, 4> JoinedOperands(const Module& module, InstructionId id) {
  absl::InlinedVector<JoinedOperand, 4> joined;
  for (InstructionId operand : module.operands(id)) {
    InstructionId source = Resolve(module, operand);
    const bool is_slice = module.instruction(source).opcode == Opcode::kSlice;
    if (is_slice) source = Resolve(module, module.operands(source)[0]);
    joined.push_back({is_slice, &module.instruction(source)});
  }
  return joined;
}

bool FindConstantIndices(const Module& module, InstructionId id) {
  const absl::Span<const InstructionId> operands = module.operands(id);
  return std::all_of(operands.begin() + std::min<size_t>(2, operands.size()), operands.end(),
                     [&module](InstructionId index) {
                       return module.instruction(Resolve(module, index)).opcode ==
                              Opcode::kConstant;
                     });
}

bool FindFeedsRng(const Module& module, InstructionId id) {
  const hlo::Computation& computation = module.computation(module.instruction(id).computation);
  for (InstructionId user : computation.instructions) {
    if (module.instruction(user).opcode != Opcode::kRngBitGenerator) continue;
    for (InstructionId operand : module.operands(user)) {
      if (Resolve(module, operand) == id) return true;
    }
  }
  return false;
}

Neighbours FindNeighbours(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  Neighbours found;
  if (AsksForSlices(opcode)) {
    const auto joined = JoinedOperands(module, id);
    found.joins_slices = JoinsSlices(joined);
    found.joins_one_value = JoinsOneValue(joined);
  }
  if (AsksForConstantIndices(opcode)) found.constant_indices = FindConstantIndices(module, id);
  if (opcode == Opcode::kCustomCall && AsksForRng(opcode, hlo::GetCustomCallTarget(module, id))) {
    found.feeds_rng = FindFeedsRng(module, id);
  }
  return found;
}

}  // namespace

HloOpView::HloOpView(const Module& module, InstructionId id) {
  view_.opcode = module.instruction(id).opcode;
  for (InstructionId operand : module.operands(id)) AppendLeaves(module.shape(operand), &operands_);
  AppendLeaves(module.shape(id), &results_);
  const bool to_pred = view_.opcode == Opcode::kConvert && results_.size() == 1 &&
                       results_[0]->element_type() == layout::ElementType::kPred;
  if (to_pred && operands_.size() == 1) {
    view_.opcode = Opcode::kCompare;
    operands_.push_back(operands_[0]);
  }
  view_.module = &module;
  view_.instruction = id;
  view_.operands = operands_;
  view_.results = results_;
  view_.neighbours = FindNeighbours(module, id);
  // XLA copies attributes of an instruction to the get-tuple-elements of its result.
  view_.takes_attached_rule = WhyNoRule(module.instruction(id).opcode) == NoRule::kStopsPropagation;
}

}  // namespace tessera::sharding::rules
