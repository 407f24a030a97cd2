#include "tessera/target/dataflow/op_kinds.h"

#include <array>

namespace tessera::target {
namespace {

using hlo::Opcode;

constexpr Opcode kElementwise[] = {Opcode::kAbs,
                                   Opcode::kAcos,
                                   Opcode::kAcosh,
                                   Opcode::kAdd,
                                   Opcode::kAnd,
                                   Opcode::kAsin,
                                   Opcode::kAsinh,
                                   Opcode::kAtan2,
                                   Opcode::kAtanh,
                                   Opcode::kBitcastConvert,
                                   Opcode::kCbrt,
                                   Opcode::kCeil,
                                   Opcode::kClamp,
                                   Opcode::kCompare,
                                   Opcode::kComplex,
                                   Opcode::kConvert,
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
                                   Opcode::kMap,
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
                                   Opcode::kXor};

constexpr Opcode kMoves[] = {Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kDynamicSlice,
                             Opcode::kPad,       Opcode::kReverse,     Opcode::kSlice};

constexpr Opcode kViews[] = {Opcode::kBitcast, Opcode::kOptBarrier, Opcode::kReshape,
                             Opcode::kTranspose};

constexpr Opcode kFree[] = {Opcode::kAfterAll, Opcode::kConstant, Opcode::kIota,
                            Opcode::kPartitionId, Opcode::kReplicaId};

constexpr Opcode kMessages[] = {Opcode::kAllGather,
                                Opcode::kAllReduce,
                                Opcode::kAllToAll,
                                Opcode::kCollectiveBroadcast,
                                Opcode::kCollectivePermute,
                                Opcode::kRaggedAllToAll,
                                Opcode::kReduceScatter,
                                Opcode::kSend,
                                Opcode::kRecv};

struct Row {
  OpKind kind = OpKind::kHeavy;
  bool message = false;
};

std::array<Row, hlo::kNumOpcodes> MakeTable() {
  std::array<Row, hlo::kNumOpcodes> table;
  const auto row = [&](Opcode opcode) -> Row& { return table[static_cast<size_t>(opcode)]; };
  for (const Opcode opcode : kElementwise) row(opcode).kind = OpKind::kElementwise;
  for (const Opcode opcode : kMoves) row(opcode).kind = OpKind::kMove;
  for (const Opcode opcode : kViews) row(opcode).kind = OpKind::kView;
  for (const Opcode opcode : kFree) row(opcode).kind = OpKind::kFree;
  for (const Opcode opcode : kMessages) row(opcode).message = true;
  return table;
}

const Row& RowOf(Opcode opcode) {
  static const std::array<Row, hlo::kNumOpcodes> table = MakeTable();
  return table[static_cast<size_t>(opcode)];
}

}  // namespace

OpKind KindOf(Opcode opcode) { return RowOf(opcode).kind; }
bool IsMessage(Opcode opcode) { return RowOf(opcode).message; }

bool IsProduct(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kConvolution || opcode == Opcode::kRaggedDot ||
         opcode == Opcode::kScaledDot;
}

bool IsReduction(Opcode opcode) {
  return opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow;
}

bool FusesOperand(Opcode opcode, uint32_t operand) {
  switch (opcode) {
    case Opcode::kDynamicSlice:
      return operand == 0;
    case Opcode::kDynamicUpdateSlice:
      return operand == 1;
    case Opcode::kScatter:
      return operand != 0;
    case Opcode::kSelectAndScatter:
      return true;
    default:
      return KindOf(opcode) == OpKind::kElementwise || KindOf(opcode) == OpKind::kMove ||
             IsProduct(opcode) || IsReduction(opcode);
  }
}

}  // namespace tessera::target
