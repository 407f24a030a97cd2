#include "tessera/pipeline/verbs/costs/input/device_arrays.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/leaves.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

// The computations that a device goes through: the entry, and what loops, branches and calls run.
// Reducers and fusions are part of the instruction that names them.
std::vector<bool> FindRun(const hlo::Module& module,
                          const std::vector<hlo::ComputationId>& callees_first) {
  std::vector<bool> is_run(module.num_computations(), false);
  is_run[module.entry_id()] = true;
  for (size_t k = callees_first.size(); k-- > 0;) {
    if (!is_run[callees_first[k]]) continue;
    for (const InstructionId id : module.computation(callees_first[k]).instructions) {
      if (!hlo::IsControlFlow(module.instruction(id).opcode)) continue;
      for (const hlo::ComputationId c : module.called(id)) is_run[c] = true;
    }
  }
  return is_run;
}

void SortOnce(ArrayPlaces* places) {
  std::sort(places->begin(), places->end());
  places->erase(std::unique(places->begin(), places->end()), places->end());
}

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

}  // namespace tessera::pipeline
