#include "tessera/pipeline/verbs/costs/input/device_arrays.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/leaves.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

bool IsPath(Opcode opcode) {
  return opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement;
}

// The computations that a device goes through: the entry, and what loops, branches and calls run.
// Reducers and fusions are part of the instruction that names them.
std::vector<bool> FindRun(const hlo::Module& module,
                          const std::vector<hlo::ComputationId>& callees_first) {
  std::vector<bool> is_run(module.num_computations(), false);
  is_run[module.entry_id()] = true;
  for (size_t k = callees_first.size(); k-- > 0;) {
    if (!is_run[callees_first[k]]) continue;
    for (const InstructionId id : module.computation(callees_first[k]).instructions) {
      const Opcode opcode = module.instruction(id).opcode;
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCall) {
        continue;
      }
      for (const hlo::ComputationId c : module.called(id)) is_run[c] = true;
    }
  }
  return is_run;
}

void SortOnce(ArrayPlaces* places) {
  std::sort(places->begin(), places->end());
  places->erase(std::unique(places->begin(), places->end()), places->end());
}

// From arrays of the partitioner's input to the tensors that they are.
class TensorFinder {
 public:
  explicit TensorFinder(const PartitionerInput& input) : input_(input) {
    if (input.sharded == nullptr) return;
    has_own_opcode_.resize(input.sharded->module.num_instructions(), false);
    for (InstructionId id = 0; id < input.sources.size(); ++id) {
      if (HasOpcodeOfSource(id)) has_own_opcode_[input.sources[id]] = true;
    }
  }

  // Is it the tensor, and no copy of it in another sharding? Of several instructions with one source
  // those with its opcode are.
  bool IsTensor(InstructionId id) const {
    if (IsPath(input_.module.instruction(id).opcode)) return false;
    if (input_.sharded == nullptr || input_.sources[id] == hlo::kNoId) return true;
    return HasOpcodeOfSource(id) || !has_own_opcode_[input_.sources[id]];
  }

  size_t CountOf(InstructionId id) { return numbers_.Count(input_.module.shape(id)); }

  // Tuples are looked through. None for what propagation inserted.
  void Add(ArrayPlace place, ArrayPlaces* tensors) {
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

  // The number of the first array of element `index` of a tuple shape.
  int LeafAt(const layout::Shape& tuple, int64_t index) {
    const int64_t path[] = {index};
    return static_cast<int>(numbers_.Of(tuple, path));
  }

 private:
  bool HasOpcodeOfSource(InstructionId id) const {
    const InstructionId source = input_.sources[id];
    return source != hlo::kNoId && input_.sharded->module.instruction(source).opcode ==
                                       input_.module.instruction(id).opcode;
  }

  using Elements = std::vector<absl::InlinedVector<int, 1>>;  // leaves of the source, by array

  ArrayPlace ThroughTuples(ArrayPlace place) {
    for (;;) {
      const InstructionId id = place.instruction;
      const auto operands = input_.module.operands(id);
      const Opcode opcode = input_.module.instruction(id).opcode;
      if (!IsPath(opcode) || operands.empty()) return place;
      if (opcode == Opcode::kGetTupleElement) {
        place.leaf +=
            LeafAt(input_.module.shape(operands[0]), hlo::GetTupleIndex(input_.module, id));
        place.instruction = operands[0];
        continue;
      }
      const auto [k, inside] =
          numbers_.ElementOf(input_.module.shape(id), static_cast<size_t>(place.leaf));
      if (k >= operands.size()) return place;
      place = {operands[k], static_cast<int>(inside)};
    }
  }

  const Elements& ElementsOf(InstructionId id, const std::vector<std::pair<int, int>>& leaves) {
    const auto [known, is_new] = elements_.try_emplace(id);
    if (!is_new) return known->second;
    known->second.resize(CountOf(id));
    for (const auto& [element, leaf] : leaves) {
      const size_t k = static_cast<size_t>(element);
      if (k < known->second.size()) known->second[k].push_back(leaf);
    }
    return known->second;
  }

  const PartitionerInput& input_;
  std::vector<bool> has_own_opcode_;  // by instruction of the naming module
  layout::LeafNumbers numbers_;
  absl::flat_hash_map<InstructionId, Elements> elements_;
};

class Tracer {
 public:
  Tracer(const TracedDevice& device, const PartitionerInput& input)
      : device_(device),
        module_(device.module),
        input_(input.module),
        finder_(input),
        known_(module_.num_instructions()) {}

  std::vector<DeviceArray> List() {
    const std::vector<hlo::ComputationId> computations = hlo::ComputationPostOrder(module_);
    const std::vector<bool> is_run = FindRun(module_, computations);
    hlo::PostOrderWalk order(module_);
    for (const hlo::ComputationId c : computations) {
      for (const InstructionId id : order.Of(c)) {
        Trace(id, is_run[c]);
        if (!IsPath(module_.instruction(id).opcode)) AddArrays(id);
      }
    }
    return std::move(arrays_);
  }

 private:
  struct Known {
    absl::InlinedVector<InstructionId, 1> values;  // of the input, with the same arrays
    ArrayPlaces made_for;
    bool has_data = false;  // depends on more than the number of the device
  };

  void Trace(InstructionId id, bool is_run) {
    Known& known = known_[id];
    const DeviceOrigin& origin = device_.origins[id];
    const size_t count = layout::NumLeaves(module_.shape(id));
    for (const InstructionId source : origin.value_of) {
      const bool is_tensor = finder_.IsTensor(source) && finder_.CountOf(source) == count;
      if (is_tensor) known.values.push_back(source);
    }
    known.values.insert(known.values.end(), origin.elements.begin(), origin.elements.end());
    const InstructionId data = OperandWithData(id);
    known.has_data = !origin.value_of.empty() || !known.values.empty() || data != hlo::kNoId ||
                     module_.instruction(id).opcode == Opcode::kParameter;
    if (is_run && known.has_data) AddCauses(id, origin, data);
    SortOnce(&known.made_for);
  }

  InstructionId OperandWithData(InstructionId id) const {
    for (const InstructionId operand : module_.operands(id)) {
      if (known_[operand].has_data) return operand;
    }
    return hlo::kNoId;
  }

  void AddCauses(InstructionId id, const DeviceOrigin& origin, InstructionId data) {
    Known& known = known_[id];
    for (const InstructionId source : origin.value_of) {
      if (!finder_.IsTensor(source)) finder_.Add({source, 0}, &known.made_for);
    }
    for (const InstructionId cause : origin.made_for) {
      const bool is_one = !IsPath(input_.instruction(cause).opcode) && finder_.CountOf(cause) == 1;
      if (is_one) finder_.Add({cause, 0}, &known.made_for);
    }
    if (!known.made_for.empty() || !ValuesAt(id, 0).empty()) return;
    if (data != hlo::kNoId) known.made_for = TensorReadAt(id, data);
    for (size_t k = 0; k < origin.made_for.size() && known.made_for.empty(); ++k) {
      finder_.Add({origin.made_for[k], 0}, &known.made_for);
    }
  }

  ArrayPlaces ValuesAt(InstructionId id, int leaf) {
    ArrayPlaces tensors;
    for (const InstructionId value : known_[id].values) finder_.Add({value, leaf}, &tensors);
    SortOnce(&tensors);
    return tensors;
  }

  // One tensor that the operand comes from, or none. An element of a tuple is one of its arrays.
  ArrayPlaces TensorReadAt(InstructionId id, InstructionId operand) {
    const bool is_element = module_.instruction(id).opcode == Opcode::kGetTupleElement;
    const int leaf =
        is_element ? finder_.LeafAt(module_.shape(operand), hlo::GetTupleIndex(module_, id)) : 0;
    ArrayPlaces tensors = ValuesAt(operand, leaf);
    if (tensors.empty()) tensors = known_[operand].made_for;
    if (tensors.size() > 1) tensors.resize(1);
    return tensors;
  }

  void AddArrays(InstructionId id) {
    const auto shapes = layout::LeafShapes(module_.shape(id));
    for (size_t k = 0; k < shapes.size(); ++k) {
      if (!shapes[k]->is_array()) continue;
      const int leaf = static_cast<int>(k);
      arrays_.push_back({{id, leaf}, shapes[k], ValuesAt(id, leaf), known_[id].made_for});
    }
  }

  const TracedDevice& device_;
  const hlo::Module& module_;
  const hlo::Module& input_;
  TensorFinder finder_;
  std::vector<Known> known_;
  std::vector<DeviceArray> arrays_;
};

}  // namespace

std::vector<DeviceArray> ListDeviceArrays(const TracedDevice& device,
                                          const PartitionerInput& input) {
  return Tracer(device, input).List();
}

const hlo::Module& NamingModule(const PartitionerInput& input) {
  return input.sharded == nullptr ? input.module : input.sharded->module;
}

std::string ArrayNames::Of(ArrayPlace place) {
  const absl::string_view name = module_.instruction(place.instruction).name;
  const bool is_one = numbers_.Count(module_.shape(place.instruction)) == 1;
  return is_one ? std::string(name) : absl::StrCat(name, "{", place.leaf, "}");
}

}  // namespace tessera::pipeline
