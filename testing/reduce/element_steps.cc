#include <algorithm>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/testing/reduce/step.h"

namespace tessera::testing::reduce {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

bool Is(const Module& module, InstructionId id, Opcode opcode) {
  return module.instruction(id).opcode == opcode;
}

// --- elements of the result ---------------------------------------------------------------------

std::vector<Candidate> FindResults(const Module& module) {
  const InstructionId root = module.entry().root;
  std::vector<Candidate> found;
  if (!Is(module, root, Opcode::kTuple)) return found;
  for (uint32_t k = 0; k < module.operands(root).size(); ++k) found.push_back({root, k});
  return found;
}

// A tuple without its element `k`.
void DropOperand(Module& module, InstructionId tuple, uint32_t k) {
  std::vector<InstructionId> kept(module.operands(tuple).begin(), module.operands(tuple).end());
  kept.erase(kept.begin() + k);
  std::vector<layout::Shape> shapes;
  for (InstructionId id : kept) shapes.push_back(module.shape(id));
  module.SetOperands(tuple, kept);
  module.SetShape(tuple, layout::Shape::Tuple(std::move(shapes)));
  module.RemoveAttribute(tuple, AttributeName::kSharding);
}

void DropResult(hlo::Builder& builder, Candidate c) { DropOperand(builder.module(), c.id, c.part); }

// --- elements of the state of a loop ------------------------------------------------------------

// A loop whose state is a tuple. It is put together before the loop and at the end of its body, and
// taken apart wherever it is read.
struct Loop {
  InstructionId loop, init, result;
  InstructionId body_state, condition_state;
};

bool IsOnlyTakenApart(const Module& module, InstructionId tuple) {
  const hlo::Computation& c = module.computation(module.instruction(tuple).computation);
  if (c.root == tuple && tuple != module.entry().root) return false;
  return std::all_of(c.instructions.begin(), c.instructions.end(), [&](InstructionId id) {
    const auto operands = module.operands(id);
    return Is(module, id, Opcode::kGetTupleElement) ||
           std::find(operands.begin(), operands.end(), tuple) == operands.end();
  });
}

bool IsOnlyReadBy(const Module& module, InstructionId value, InstructionId user) {
  const hlo::Computation& c = module.computation(module.instruction(value).computation);
  if (c.root == value) return false;
  return std::all_of(c.instructions.begin(), c.instructions.end(), [&](InstructionId id) {
    const auto operands = module.operands(id);
    return id == user || std::find(operands.begin(), operands.end(), value) == operands.end();
  });
}

Loop PartsOf(const Module& module, InstructionId loop) {
  const hlo::Computation& body = module.computation(module.called(loop)[0]);
  const hlo::Computation& condition = module.computation(module.called(loop)[1]);
  return {loop, module.operands(loop)[0], body.root, body.parameters[0], condition.parameters[0]};
}

bool IsInput(const Module& module, InstructionId id) {
  return Is(module, id, Opcode::kParameter) &&
         module.instruction(id).computation == module.entry_id();
}

bool CanDrop(const Module& module, const Loop& l) {
  return (Is(module, l.init, Opcode::kTuple) || IsInput(module, l.init)) &&
         Is(module, l.result, Opcode::kTuple) && IsOnlyReadBy(module, l.init, l.loop) &&
         IsOnlyTakenApart(module, l.loop) && IsOnlyTakenApart(module, l.body_state) &&
         IsOnlyTakenApart(module, l.condition_state);
}

std::vector<Candidate> FindLoopElements(const Module& module) {
  std::vector<Candidate> found;
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    for (InstructionId id : module.computation(c).instructions) {
      if (!Is(module, id, Opcode::kWhile) || !CanDrop(module, PartsOf(module, id))) continue;
      const auto& elements = module.shape(id).tuple_elements();
      for (uint32_t k = 0; k < elements.size(); ++k) {
        if (elements[k].is_array()) found.push_back({id, k});
      }
    }
  }
  return found;
}

void SetState(Module& module, InstructionId state, const layout::Shape& shape) {
  module.SetShape(state, shape);
  module.RemoveAttribute(state, AttributeName::kSharding);
}

// Readers of element `k` read zeros; the elements after it move up.
void DropRead(hlo::Builder& builder, InstructionId state, uint32_t k, const layout::Shape& shape) {
  Module& module = builder.module();
  const hlo::ComputationId c = module.instruction(state).computation;
  const std::vector<InstructionId> instructions = module.computation(c).instructions;
  for (InstructionId id : instructions) {
    if (!Is(module, id, Opcode::kGetTupleElement) || module.operands(id)[0] != state) continue;
    uint32_t index = 0;
    const auto text = module.FindAttribute(id, AttributeName::kIndex);
    if (!text.has_value() || !absl::SimpleAtoi(*text, &index) || index < k) continue;
    if (index > k) {
      module.SetAttribute(id, AttributeName::kIndex, absl::StrCat(index - 1));
    } else {
      const layout::Shape element = module.shape(id);
      builder.ReplaceUses(id, AddZeros(builder, c, element));
      module.RemoveInstruction(id);
    }
  }
  SetState(module, state, shape);
}

void DropLoopElement(hlo::Builder& builder, Candidate c) {
  Module& module = builder.module();
  const Loop l = PartsOf(module, c.id);
  if (!CanDrop(module, l)) return;
  DropOperand(module, l.result, c.part);
  const layout::Shape shape = module.shape(l.result);
  if (IsInput(module, l.init)) {
    SetState(module, l.init, shape);
  } else {
    DropOperand(module, l.init, c.part);
  }
  for (InstructionId state : {l.loop, l.body_state, l.condition_state}) {
    DropRead(builder, state, c.part, shape);
  }
}

// --- parameters ---------------------------------------------------------------------------------

std::vector<Candidate> FindUnusedParameters(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : module.entry().parameters) {
    if (IsOnlyReadBy(module, id, hlo::kNoId)) found.push_back({id, 0});
  }
  return found;
}

void DropParameter(hlo::Builder& builder, Candidate c) {
  Module& module = builder.module();
  auto& open = module.mutable_header().spmd_propagation_to_parameters;
  const uint32_t number = module.instruction(c.id).parameter_number;
  if (open.size() == module.entry().parameters.size() && open.size() > 1) {
    open.erase(open.begin() + number);
  }
  module.RemoveInstruction(c.id);
  const std::vector<InstructionId> left = module.entry().parameters;
  for (uint32_t k = 0; k < left.size(); ++k) {
    module.mutable_instruction(left[k]).parameter_number = k;
  }
}

}  // namespace

std::vector<Step> ElementSteps() {
  return {{"results", FindResults, DropResult},
          {"loop elements", FindLoopElements, DropLoopElement},
          {"parameters", FindUnusedParameters, DropParameter}};
}

}  // namespace tessera::testing::reduce
