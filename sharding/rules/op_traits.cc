#include "tessera/sharding/rules/op_traits.h"

#include <string>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/elementwise.h"

namespace tessera::sharding::rules {
namespace {

using hlo::Opcode;

// Element-wise with a rule of their own (rules.cc), or with none.
constexpr Opcode kOtherElementWise[] = {
    Opcode::kAcos,
    Opcode::kAcosh,
    Opcode::kAsin,
    Opcode::kAsinh,
    Opcode::kAtanh,
    Opcode::kClamp,
    Opcode::kCosh,
    Opcode::kErf,
    Opcode::kSelect,
    Opcode::kSinh,
    Opcode::kStochasticConvert,
};

bool MovesBetweenMemories(const OpView& op) {
  const std::string target = hlo::GetCustomCallTarget(*op.module, op.instruction);
  return target == "MoveToDevice" || target == "MoveToHost";
}

OpPriorityClass FlowOf(const OpView& op, bool element_wise) {
  if (element_wise) return OpPriorityClass::kPassThrough;
  switch (op.opcode) {
    case Opcode::kReshape:
    case Opcode::kTranspose:
      return OpPriorityClass::kPassThrough;
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
      return OpPriorityClass::kPassThroughForward;
    case Opcode::kBroadcast:
      return OpPriorityClass::kBroadcast;
    case Opcode::kCustomCall:
      return MovesBetweenMemories(op) ? OpPriorityClass::kPassThrough : OpPriorityClass::kOther;
    default:
      return OpPriorityClass::kOther;
  }
}

bool IsElementWise(const OpView& op) {
  if (op.opcode != Opcode::kBitcastConvert) return IsElementWiseOpcode(op.opcode);
  return op.operands.size() == 1 && op.results.size() == 1 &&
         op.operands[0]->dims() == op.results[0]->dims();
}

}  // namespace

bool IsPointwiseOpcode(Opcode opcode) {
  return IsElementWiseOpcode(opcode) && !absl::c_linear_search(kOtherElementWise, opcode);
}

// XLA's mulhi has no sharding rule.
bool IsElementWiseOpcode(Opcode opcode) {
  return opcode != Opcode::kMulhi && hlo::IsElementwise(opcode);
}

OpTraits TraitsOf(const OpView& op) {
  OpTraits traits;
  traits.element_wise = IsElementWise(op);
  traits.flow = FlowOf(op, traits.element_wise);
  return traits;
}

}  // namespace tessera::sharding::rules
