#include "tessera/sharding/rules/op_traits.h"

#include <array>
#include <iterator>
#include <string>

#include "tessera/hlo/attributes.h"

namespace tessera::sharding::rules {
namespace {

using hlo::Opcode;

constexpr Opcode kPointwise[] = {
    Opcode::kAbs,
    Opcode::kAdd,
    Opcode::kAnd,
    Opcode::kAtan2,
    Opcode::kCbrt,
    Opcode::kCeil,
    Opcode::kCountLeadingZeros,
    Opcode::kCompare,
    Opcode::kComplex,
    Opcode::kConvert,
    Opcode::kCopy,
    Opcode::kCosine,
    Opcode::kDivide,
    Opcode::kExponential,
    Opcode::kExponentialMinusOne,
    Opcode::kFloor,
    Opcode::kImag,
    Opcode::kIsFinite,
    Opcode::kLog,
    Opcode::kLogPlusOne,
    Opcode::kLogistic,
    Opcode::kMaximum,
    Opcode::kMinimum,
    Opcode::kMultiply,
    Opcode::kNegate,
    Opcode::kNot,
    Opcode::kOr,
    Opcode::kPopcnt,
    Opcode::kPower,
    Opcode::kReal,
    Opcode::kReducePrecision,
    Opcode::kRemainder,
    Opcode::kRoundNearestAfz,
    Opcode::kRoundNearestEven,
    Opcode::kRsqrt,
    Opcode::kShiftLeft,
    Opcode::kShiftRightArithmetic,
    Opcode::kShiftRightLogical,
    Opcode::kSign,
    Opcode::kSine,
    Opcode::kSqrt,
    Opcode::kSubtract,
    Opcode::kTan,
    Opcode::kTanh,
    Opcode::kXor,
};

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

using OpcodeSet = std::array<bool, hlo::kNumOpcodes>;

template <size_t n>
constexpr OpcodeSet With(OpcodeSet set, const Opcode (&list)[n]) {
  for (Opcode opcode : list) set[static_cast<size_t>(opcode)] = true;
  return set;
}

constexpr OpcodeSet kPointwiseSet = With({}, kPointwise);
constexpr OpcodeSet kElementWiseSet = With(kPointwiseSet, kOtherElementWise);

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

bool IsPointwiseOpcode(Opcode opcode) { return kPointwiseSet[static_cast<size_t>(opcode)]; }

bool IsElementWiseOpcode(Opcode opcode) { return kElementWiseSet[static_cast<size_t>(opcode)]; }

OpTraits TraitsOf(const OpView& op) {
  OpTraits traits;
  traits.element_wise = IsElementWise(op);
  traits.flow = FlowOf(op, traits.element_wise);
  return traits;
}

}  // namespace tessera::sharding::rules
