#include "tessera/projection/signatures/opcode_sets.h"

#include <algorithm>
#include <iterator>

namespace tessera::projection {
namespace {

using hlo::Opcode;

constexpr Opcode kTranscendental[] = {
    Opcode::kAcos,     Opcode::kAcosh, Opcode::kAsin,        Opcode::kAsinh,
    Opcode::kAtan2,    Opcode::kAtanh, Opcode::kCbrt,        Opcode::kCosine,
    Opcode::kCosh,     Opcode::kErf,   Opcode::kLog,         Opcode::kLogPlusOne,
    Opcode::kLogistic, Opcode::kPower, Opcode::kExponential, Opcode::kRsqrt,
    Opcode::kSine,     Opcode::kSinh,  Opcode::kSqrt,        Opcode::kExponentialMinusOne,
    Opcode::kTan,      Opcode::kTanh,
};

constexpr Opcode kOtherElementwise[] = {
    Opcode::kAbs,       Opcode::kAdd,
    Opcode::kAnd,       Opcode::kCeil,
    Opcode::kClamp,     Opcode::kCompare,
    Opcode::kComplex,   Opcode::kConvert,
    Opcode::kCopy,      Opcode::kCountLeadingZeros,
    Opcode::kDivide,    Opcode::kFloor,
    Opcode::kImag,      Opcode::kIsFinite,
    Opcode::kMaximum,   Opcode::kMinimum,
    Opcode::kMulhi,     Opcode::kMultiply,
    Opcode::kNegate,    Opcode::kNot,
    Opcode::kOr,        Opcode::kPopcnt,
    Opcode::kReal,      Opcode::kReducePrecision,
    Opcode::kRemainder, Opcode::kRoundNearestAfz,
    Opcode::kSelect,    Opcode::kRoundNearestEven,
    Opcode::kShiftLeft, Opcode::kShiftRightArithmetic,
    Opcode::kSign,      Opcode::kShiftRightLogical,
    Opcode::kSubtract,  Opcode::kStochasticConvert,
    Opcode::kXor,
};

template <size_t n>
bool Has(const Opcode (&list)[n], Opcode opcode) {
  return std::find(std::begin(list), std::end(list), opcode) != std::end(list);
}

}  // namespace

bool IsTranscendental(Opcode opcode) { return Has(kTranscendental, opcode); }

bool IsElementwise(Opcode opcode) {
  return IsTranscendental(opcode) || Has(kOtherElementwise, opcode);
}

}  // namespace tessera::projection
