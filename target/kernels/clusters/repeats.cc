#include "tessera/target/kernels/clusters/repeats.h"

#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/roles.h"
#include "tessera/target/kernels/work_of_opcode.h"

namespace tessera::target {
namespace {

constexpr int kLongWay = 8;  // views and converts that are looked through

using hlo::InstructionId;
using hlo::Opcode;

constexpr Opcode kCheap[] = {Opcode::kBroadcast,     Opcode::kIota,   Opcode::kReshape,
                             Opcode::kConvert,       Opcode::kSlice,  Opcode::kTranspose,
                             Opcode::kCompare,       Opcode::kNegate, Opcode::kPad,
                             Opcode::kBitcastConvert};

bool IsHard(Opcode opcode) {
  const Work work = WorkOf(opcode).work;
  return work == kHard || work == kDivision;
}

using Operands = absl::InlinedVector<InstructionId, 2>;

// Those with as many elements as the result, but for repeated ones.
Operands FullOperands(const hlo::Module& module, InstructionId id) {
  const double elements = Elements(module.shape(id));
  Operands full;
  absl::c_copy_if(module.operands(id), std::back_inserter(full), [&](InstructionId operand) {
    return module.instruction(operand).opcode != Opcode::kBroadcast &&
           Elements(module.shape(operand)) == elements;
  });
  return full;
}

}  // namespace

bool IsCheap(Opcode opcode) { return absl::c_linear_search(kCheap, opcode); }

bool Widens(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kConvert &&
         ElementWidth(module.shape(id)) > ElementWidth(module.shape(module.operands(id)[0]));
}

bool IsOfSlice(const hlo::Module& module, InstructionId id) {
  for (int steps = 0; steps < kLongWay; ++steps) {
    const Opcode opcode = module.instruction(id).opcode;
    if (opcode == Opcode::kDynamicSlice) return Elements(module.shape(id)) > 1;
    if (!IsView(opcode) && opcode != Opcode::kConvert) return false;
    id = module.operands(id)[0];
  }
  return false;
}

bool TakesTwo(const hlo::Module& module, InstructionId id) {
  return FullOperands(module, id).size() > 1;
}

bool IsOfFewerBytes(const hlo::Module& module, InstructionId id) {
  for (int steps = 0; steps < kLongWay; ++steps) {
    if (Widens(module, id)) return true;
    const Opcode opcode = module.instruction(id).opcode;
    const Operands operands = FullOperands(module, id);
    if (!projection::IsElementwise(opcode) || IsHard(opcode) || operands.size() > 1) return false;
    if (operands.empty()) return true;  // of small arrays, repeated
    id = operands[0];
  }
  return false;
}

bool Narrows(const hlo::Module& module, InstructionId id) {
  const InstructionId operand = module.operands(id)[0];
  return RoleOf(module, operand) != Role::kFree &&
         ElementWidth(module.shape(id)) < ElementWidth(module.shape(operand));
}

bool IsAfterRowWindow(const hlo::Module& module, InstructionId id) {
  if (WorkOf(module.instruction(id).opcode).work != kHard) return false;
  const InstructionId difference = module.operands(id)[0];
  return module.instruction(difference).opcode == Opcode::kSubtract &&
         absl::c_any_of(module.operands(difference),
                        [&](InstructionId operand) { return IsRowWindow(module, operand); });
}

bool IsRepeated(const hlo::Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (!projection::IsElementwise(opcode)) return false;
  if (!IsHard(opcode)) return true;
  if (IsAfterRowWindow(module, id)) return false;
  return !TakesTwo(module, id);
}

}  // namespace tessera::target
