#include "tessera/testing/evaluator/interpreter.h"

#include <optional>
#include <utility>

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

absl::StatusOr<const Interpreter::Plan*> Interpreter::PlanOf(hlo::ComputationId computation) {
  std::unique_ptr<Plan>& plan = plans_[computation];
  if (plan != nullptr) return plan.get();
  auto made = std::make_unique<Plan>();
  const hlo::Computation& body = module_.computation(computation);
  absl::flat_hash_map<InstructionId, int> slots;
  std::vector<int> last(body.instructions.size(), -1);
  for (InstructionId id : body.instructions) {
    const hlo::Instruction& instruction = module_.instruction(id);
    const int at = static_cast<int>(made->lines.size());
    Line line{id, -1, {}, {}};
    if (instruction.opcode == Opcode::kParameter)
      line.parameter = static_cast<int>(instruction.parameter_number);
    for (InstructionId operand : module_.operands(id)) {
      const auto found = slots.find(operand);
      if (found == slots.end()) return absl::InvalidArgumentError("used before it is made");
      line.operands.push_back(found->second);
      last[static_cast<size_t>(found->second)] = at;
    }
    slots[id] = at;
    made->lines.push_back(std::move(line));
  }
  made->root = slots[body.root];
  for (int slot = 0; slot < static_cast<int>(last.size()); ++slot) {
    if (last[slot] >= 0 && slot != made->root) made->lines[last[slot]].last_use_of.push_back(slot);
  }
  plan = std::move(made);
  return plan.get();
}

absl::StatusOr<Value> Interpreter::Run(hlo::ComputationId computation,
                                       std::vector<Value> arguments) {
  return RunWith(step_ ? &step_ : nullptr, computation, std::move(arguments));
}

absl::StatusOr<Value> Interpreter::RunOnCells(hlo::ComputationId computation,
                                              std::vector<Value> arguments) {
  return RunWith(nullptr, computation, std::move(arguments));
}

absl::StatusOr<Value> Interpreter::RunWith(const Step* step, hlo::ComputationId computation,
                                           std::vector<Value> arguments) {
  TESSERA_ASSIGN_OR_RETURN(const Plan* plan, PlanOf(computation));
  if (arguments.size() != module_.computation(computation).parameters.size())
    return absl::InvalidArgumentError("wrong number of arguments");
  std::vector<Value> slots(plan->lines.size());
  std::vector<const Value*> operands;
  for (size_t at = 0; at < plan->lines.size(); ++at) {
    const Line& line = plan->lines[at];
    if (line.parameter >= 0) {
      slots[at] = std::move(arguments[static_cast<size_t>(line.parameter)]);
      continue;
    }
    operands.clear();
    for (int slot : line.operands) operands.push_back(&slots[static_cast<size_t>(slot)]);
    TESSERA_ASSIGN_OR_RETURN(
        slots[at], step == nullptr ? Apply(line.id, operands) : (*step)(line.id, operands));
    for (int slot : line.last_use_of) slots[static_cast<size_t>(slot)] = Value();
  }
  return std::move(slots[static_cast<size_t>(plan->root)]);
}

absl::StatusOr<Value> Interpreter::Apply(InstructionId id, Values operands, const Part* part) {
  const hlo::Instruction& instruction = module_.instruction(id);
  int64_t cells = 1;
  for (const layout::Shape* array : projection::ArrayLeaves(module_.shape(id))) {
    const std::optional<int64_t> size = array->NumElements();
    if (!size.has_value() || *size > budget_.cells_of_array)
      return absl::ResourceExhaustedError(
          absl::StrCat("an array of more than ", budget_.cells_of_array, " cells"));
    cells += *size;
  }
  TESSERA_RETURN_IF_ERROR(Spend(cells));
  const Kernel kernel = KernelOf(instruction.opcode);
  if (kernel == nullptr)
    return absl::UnimplementedError(absl::StrCat("no kernel: ", OpcodeName(instruction.opcode)));
  return kernel(Op{*this, module_, id, operands, part});
}

}  // namespace tessera::testing::evaluator
