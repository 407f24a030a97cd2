#include "tessera/testing/evaluator/interpreter.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {

using hlo::InstructionId;

absl::Status Interpreter::Spend(int64_t steps) {
  steps_ += steps;
  if (steps_ <= budget_.steps) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("more than ", budget_.steps, " steps"));
}

absl::StatusOr<Value> Interpreter::Run(hlo::ComputationId computation, Values arguments) {
  return RunWith([this](InstructionId id, Values operands) { return Apply(id, operands); },
                 computation, arguments);
}

absl::StatusOr<Value> Interpreter::RunWith(const Step& step, hlo::ComputationId computation,
                                           Values arguments) {
  const hlo::Computation& body = module_.computation(computation);
  if (arguments.size() != body.parameters.size())
    return absl::InvalidArgumentError(absl::StrCat("wrong number of arguments of ", body.name));
  absl::flat_hash_map<InstructionId, Value> made;
  absl::flat_hash_map<InstructionId, const Value*> known;
  made.reserve(body.instructions.size());  // so that pointers into it stay good
  for (InstructionId id : body.instructions) {
    const hlo::Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) {
      known[id] = arguments[instruction.parameter_number];
      continue;
    }
    std::vector<const Value*> operands;
    for (InstructionId operand : module_.operands(id)) {
      const auto found = known.find(operand);
      if (found == known.end()) return absl::InvalidArgumentError("used before it is made");
      operands.push_back(found->second);
    }
    TESSERA_ASSIGN_OR_RETURN(Value value, step(id, operands));
    known[id] = &(made[id] = std::move(value));
  }
  return *known[body.root];
}

absl::StatusOr<Value> Interpreter::Apply(InstructionId id, Values operands) {
  const hlo::Instruction& instruction = module_.instruction(id);
  int64_t cells = 1;
  for (const layout::Shape* array : projection::ArrayLeaves(module_.shape(id))) {
    const std::optional<int64_t> size = array->NumElements();
    if (!size.has_value() || *size > budget_.cells_of_array)
      return absl::ResourceExhaustedError(absl::StrCat("too large an array: ", instruction.name));
    cells += *size;
  }
  TESSERA_RETURN_IF_ERROR(Spend(cells));
  const Kernel kernel = KernelOf(instruction.opcode);
  if (kernel == nullptr)
    return absl::UnimplementedError(absl::StrCat("no kernel: ", OpcodeName(instruction.opcode)));
  return kernel(Op{*this, module_, id, operands});
}

}  // namespace tessera::testing::evaluator
