#include "tessera/hlo/shape_inference.h"

#include <utility>

#include "tessera/hlo/schema/opcode_table.h"
#include "tessera/hlo/verify/inference_context.h"
#include "tessera/text/status_macros.h"

namespace tessera::hlo {
namespace {

constexpr OpcodeTable<Infer> kInfer({
    {Opcode::kAbs, InferAbs},
    {Opcode::kAcos, InferUnary},
    {Opcode::kAcosh, InferUnary},
    {Opcode::kAdd, InferBinary},
    {Opcode::kAddDependency, InferSame},
    {Opcode::kAfterAll, InferToken},
    {Opcode::kAnd, InferBinary},
    {Opcode::kAsin, InferUnary},
    {Opcode::kAsinh, InferUnary},
    {Opcode::kAtan2, InferBinary},
    {Opcode::kAtanh, InferUnary},
    {Opcode::kBatchNormGrad, InferBatchNormTraining},
    {Opcode::kBatchNormInference, InferSame},
    {Opcode::kBatchNormTraining, InferBatchNormTraining},
    {Opcode::kBroadcast, InferBroadcast},
    {Opcode::kCall, InferCall},
    {Opcode::kCbrt, InferUnary},
    {Opcode::kCeil, InferUnary},
    {Opcode::kCholesky, InferCholesky},
    {Opcode::kClamp, InferClamp},
    {Opcode::kCompare, InferCompare},
    {Opcode::kComplex, InferComplex},
    {Opcode::kConcatenate, InferConcatenate},
    {Opcode::kConditional, InferCall},
    {Opcode::kConvolution, InferConvolution},
    {Opcode::kCopy, InferSame},
    {Opcode::kCosh, InferUnary},
    {Opcode::kCosine, InferUnary},
    {Opcode::kCountLeadingZeros, InferUnary},
    {Opcode::kDivide, InferBinary},
    {Opcode::kDomain, InferSame},
    {Opcode::kDot, InferDot},
    {Opcode::kErf, InferUnary},
    {Opcode::kExponential, InferUnary},
    {Opcode::kExponentialMinusOne, InferUnary},
    {Opcode::kFft, InferFft},
    {Opcode::kFloor, InferUnary},
    {Opcode::kGather, InferGather},
    {Opcode::kGetDimensionSize, InferGetDimensionSize},
    {Opcode::kGetTupleElement, InferGetTupleElement},
    {Opcode::kImag, InferAbs},
    {Opcode::kIsFinite, InferIsFinite},
    {Opcode::kLog, InferUnary},
    {Opcode::kLogPlusOne, InferUnary},
    {Opcode::kLogistic, InferUnary},
    {Opcode::kMap, InferMap},
    {Opcode::kMaximum, InferBinary},
    {Opcode::kMinimum, InferBinary},
    {Opcode::kMulhi, InferBinary},
    {Opcode::kMultiply, InferBinary},
    {Opcode::kNegate, InferUnary},
    {Opcode::kNot, InferUnary},
    {Opcode::kOr, InferBinary},
    {Opcode::kPad, InferPad},
    {Opcode::kPartitionId, InferId},
    {Opcode::kPopcnt, InferUnary},
    {Opcode::kPower, InferBinary},
    {Opcode::kRaggedDot, InferRaggedDot},
    {Opcode::kReal, InferAbs},
    {Opcode::kReduce, InferReduce},
    {Opcode::kReduceWindow, InferReduceWindow},
    {Opcode::kRemainder, InferBinary},
    {Opcode::kReplicaId, InferId},
    {Opcode::kReverse, InferReverse},
    {Opcode::kRoundNearestAfz, InferUnary},
    {Opcode::kRoundNearestEven, InferUnary},
    {Opcode::kRsqrt, InferUnary},
    {Opcode::kScaledDot, InferDot},
    {Opcode::kScan, InferScan},
    {Opcode::kScatter, InferScatter},
    {Opcode::kSelect, InferSelect},
    {Opcode::kSelectAndScatter, InferSame},
    {Opcode::kSetDimensionSize, InferSetDimensionSize},
    {Opcode::kShiftLeft, InferBinary},
    {Opcode::kShiftRightArithmetic, InferBinary},
    {Opcode::kShiftRightLogical, InferBinary},
    {Opcode::kSign, InferUnary},
    {Opcode::kSine, InferUnary},
    {Opcode::kSinh, InferUnary},
    {Opcode::kSort, InferSort},
    {Opcode::kSqrt, InferUnary},
    {Opcode::kSubtract, InferBinary},
    {Opcode::kTan, InferUnary},
    {Opcode::kTanh, InferUnary},
    {Opcode::kTopk, InferTopK},
    {Opcode::kTranspose, InferTranspose},
    {Opcode::kTriangularSolve, InferTriangularSolve},
    {Opcode::kTuple, InferTuple},
    {Opcode::kWhile, InferWhile},
    {Opcode::kXor, InferBinary},
});

}  // namespace

Infer InferenceOf(Opcode opcode) { return kInfer[opcode]; }

absl::StatusOr<layout::Shape> InferResultShape(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  const Infer infer = InferenceOf(opcode);
  if (infer == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the shape of ", OpcodeName(opcode), " does not follow from its operands"));
  }
  ConvolutionValues convolutions;
  TESSERA_ASSIGN_OR_RETURN(InferredShape shape, infer(InferenceContext{module, id, convolutions}));
  return std::move(shape).Take();
}

}  // namespace tessera::hlo
