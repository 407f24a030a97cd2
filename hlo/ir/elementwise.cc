#include "tessera/hlo/elementwise.h"

#include <array>
#include <cstddef>

namespace tessera::hlo {
namespace {

constexpr Opcode kElementwise[] = {
    Opcode::kAbs,
    Opcode::kAcos,
    Opcode::kAcosh,
    Opcode::kAdd,
    Opcode::kAnd,
    Opcode::kAsin,
    Opcode::kAsinh,
    Opcode::kAtan2,
    Opcode::kAtanh,
    Opcode::kCbrt,
    Opcode::kCeil,
    Opcode::kClamp,
    Opcode::kCompare,
    Opcode::kComplex,
    Opcode::kConvert,
    Opcode::kCopy,
    Opcode::kCosh,
    Opcode::kCosine,
    Opcode::kCountLeadingZeros,
    Opcode::kDivide,
    Opcode::kErf,
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
    Opcode::kMulhi,
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
    Opcode::kSelect,
    Opcode::kShiftLeft,
    Opcode::kShiftRightArithmetic,
    Opcode::kShiftRightLogical,
    Opcode::kSign,
    Opcode::kSine,
    Opcode::kSinh,
    Opcode::kSqrt,
    Opcode::kStochasticConvert,
    Opcode::kSubtract,
    Opcode::kTan,
    Opcode::kTanh,
    Opcode::kXor,
};

constexpr std::array<bool, kNumOpcodes> MakeSet() {
  std::array<bool, kNumOpcodes> set = {};
  for (const Opcode opcode : kElementwise) set[static_cast<size_t>(opcode)] = true;
  return set;
}
constexpr std::array<bool, kNumOpcodes> kSet = MakeSet();

}  // namespace

bool IsElementwise(Opcode opcode) { return kSet[static_cast<size_t>(opcode)]; }

}  // namespace tessera::hlo
