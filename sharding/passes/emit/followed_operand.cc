#include "tessera/sharding/passes/emit/followed_operand.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

// Ops whose result has the sharding of the first operand.
constexpr Opcode kFollowFirst[] = {
    Opcode::kAbs,
    Opcode::kAcos,
    Opcode::kAcosh,
    Opcode::kAdd,
    Opcode::kAllReduce,
    Opcode::kAnd,
    Opcode::kAsin,
    Opcode::kAsinh,
    Opcode::kAtan2,
    Opcode::kAtanh,
    Opcode::kBatchNormInference,
    Opcode::kCbrt,
    Opcode::kCeil,
    Opcode::kCholesky,
    Opcode::kCollectiveBroadcast,
    Opcode::kCollectivePermute,
    Opcode::kCompare,
    Opcode::kComplex,
    Opcode::kConvert,
    Opcode::kCopy,
    Opcode::kCosh,
    Opcode::kCosine,
    Opcode::kCountLeadingZeros,
    Opcode::kDivide,
    Opcode::kDynamicUpdateSlice,
    Opcode::kErf,
    Opcode::kExponential,
    Opcode::kExponentialMinusOne,
    Opcode::kFft,
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
    Opcode::kReverse,
    Opcode::kRoundNearestAfz,
    Opcode::kRoundNearestEven,
    Opcode::kRsqrt,
    Opcode::kScatter,
    Opcode::kSelect,
    Opcode::kSelectAndScatter,
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

constexpr std::array<int8_t, hlo::kNumOpcodes> MakeTable() {
  std::array<int8_t, hlo::kNumOpcodes> table = {};
  for (int8_t& entry : table) entry = -1;
  for (Opcode opcode : kFollowFirst) table[static_cast<size_t>(opcode)] = 0;
  table[static_cast<size_t>(Opcode::kClamp)] = 1;
  table[static_cast<size_t>(Opcode::kTriangularSolve)] = 1;
  return table;
}
constexpr std::array<int8_t, hlo::kNumOpcodes> kFollowed = MakeTable();

}  // namespace

int FollowedOperand(Opcode opcode) { return kFollowed[static_cast<size_t>(opcode)]; }

}  // namespace tessera::sharding::passes
