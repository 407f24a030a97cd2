#include "tessera/pipeline/verbs/costs/input/tensor_finder.h"

#include "tessera/hlo/attributes.h"

namespace tessera::pipeline {

using hlo::InstructionId;
using hlo::Opcode;

const hlo::Module& NamingModule(const PartitionerInput& input) {
  return input.sharded == nullptr ? input.module : input.sharded->module;
}

TensorFinder::TensorFinder(const PartitionerInput& input) : input_(input) {
  if (input.sharded == nullptr) return;
  has_own_opcode_.resize(input.sharded->module.num_instructions(), false);
  for (InstructionId id = 0; id < input.sources.size(); ++id) {
    if (HasOpcodeOfSource(id)) has_own_opcode_[input.sources[id]] = true;
  }
}

bool TensorFinder::HasOpcodeOfSource(InstructionId id) const {
  const InstructionId source = input_.sources[id];
  return source != hlo::kNoId &&
         input_.sharded->module.instruction(source).opcode == input_.module.instruction(id).opcode;
}

bool TensorFinder::IsTensor(InstructionId id) const {
  if (IsPath(input_.module.instruction(id).opcode)) return false;
  if (input_.sharded == nullptr || input_.sources[id] == hlo::kNoId) return true;
  return HasOpcodeOfSource(id) || !has_own_opcode_[input_.sources[id]];
}

int TensorFinder::LeafAt(const layout::Shape& tuple, int64_t index) {
  const int64_t path[] = {index};
  return static_cast<int>(numbers_.Of(tuple, path));
}

ArrayPlace TensorFinder::ThroughTuples(ArrayPlace place) {
  for (;;) {
    const InstructionId id = place.instruction;
    const auto operands = input_.module.operands(id);
    const Opcode opcode = input_.module.instruction(id).opcode;
    if (!IsPath(opcode) || operands.empty()) return place;
    if (opcode == Opcode::kGetTupleElement) {
      place.leaf += LeafAt(input_.module.shape(operands[0]), hlo::GetTupleIndex(input_.module, id));
      place.instruction = operands[0];
      continue;
    }
    const auto [k, inside] =
        numbers_.ElementOf(input_.module.shape(id), static_cast<size_t>(place.leaf));
    if (k >= operands.size()) return place;
    place = {operands[k], static_cast<int>(inside)};
  }
}

const TensorFinder::Elements& TensorFinder::ElementsOf(
    InstructionId id, const std::vector<std::pair<int, int>>& leaves) {
  const auto [known, is_new] = elements_.try_emplace(id);
  if (!is_new) return known->second;
  known->second.resize(CountOf(id));
  for (const auto& [element, leaf] : leaves) {
    const size_t k = static_cast<size_t>(element);
    if (k < known->second.size()) known->second[k].push_back(leaf);
  }
  return known->second;
}

void TensorFinder::Add(ArrayPlace place, ArrayPlaces* tensors) {
  place = ThroughTuples(place);
  if (input_.sharded == nullptr) return tensors->push_back(place);
  const InstructionId source = input_.sources[place.instruction];
  if (source == hlo::kNoId) return;
  const auto leaves = input_.leaves.find(place.instruction);
  if (leaves != input_.leaves.end()) {
    const auto& elements = ElementsOf(place.instruction, leaves->second);
    const size_t element = static_cast<size_t>(place.leaf);
    if (element >= elements.size()) return;
    for (const int leaf : elements[element]) tensors->push_back({source, leaf});
  } else if (numbers_.Count(input_.sharded->module.shape(source)) == CountOf(place.instruction)) {
    tensors->push_back({source, place.leaf});
  }
}

}  // namespace tessera::pipeline
