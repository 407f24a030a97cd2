#include "tessera/projection/signatures/opcode_sets.h"

#include <array>
#include <cstddef>

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

using Set = std::array<bool, hlo::kNumOpcodes>;

template <size_t n>
constexpr void Put(const Opcode (&list)[n], Set* set) {
  for (const Opcode opcode : list) (*set)[static_cast<size_t>(opcode)] = true;
}

constexpr Set TranscendentalSet() {
  Set set = {};
  Put(kTranscendental, &set);
  return set;
}

constexpr Set ElementwiseSet() {
  Set set = TranscendentalSet();
  Put(kOtherElementwise, &set);
  return set;
}

constexpr Set kTranscendentalSet = TranscendentalSet(), kElementwiseSet = ElementwiseSet();

}  // namespace

bool IsTranscendental(Opcode opcode) { return kTranscendentalSet[static_cast<size_t>(opcode)]; }

bool IsElementwise(Opcode opcode) { return kElementwiseSet[static_cast<size_t>(opcode)]; }

}  // namespace tessera::projection
