// The opcodes of HLO and the facts about each that do not depend on an instruction.
//
//   std::optional<Opcode> op = OpcodeFromName("all-reduce");   // Opcode::kAllReduce
//   OpcodeName(*op);                                           // "all-reduce"
//   GetOpcodeInfo(Opcode::kAdd).operand_count;                 // 2

#ifndef TESSERA_HLO_OPCODE_H_
#define TESSERA_HLO_OPCODE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// Operand count of an opcode that takes any number, or whose number the reader does not check.
inline constexpr int kVariadicOperands = -1;

// Every opcode: enumerator, name in the text, number of operands, whether the text may leave out
// the result shape.
#define TESSERA_HLO_OPCODES(V)                                                    \
  V(Abs, "abs", 1, true)                                                          \
  V(Acos, "acos", 1, true)                                                        \
  V(Acosh, "acosh", 1, true)                                                      \
  V(Add, "add", 2, true)                                                          \
  V(AddDependency, "add-dependency", 2, true)                                     \
  V(AfterAll, "after-all", kVariadicOperands, true)                               \
  V(AllGather, "all-gather", kVariadicOperands, false)                            \
  V(AllGatherDone, "all-gather-done", 1, false)                                   \
  V(AllGatherStart, "all-gather-start", kVariadicOperands, false)                 \
  V(AllReduce, "all-reduce", kVariadicOperands, false)                            \
  V(AllReduceDone, "all-reduce-done", 1, false)                                   \
  V(AllReduceStart, "all-reduce-start", kVariadicOperands, false)                 \
  V(AllToAll, "all-to-all", kVariadicOperands, false)                             \
  V(And, "and", 2, true)                                                          \
  V(Asin, "asin", 1, true)                                                        \
  V(Asinh, "asinh", 1, true)                                                      \
  V(AsyncDone, "async-done", kVariadicOperands, false)                            \
  V(AsyncStart, "async-start", kVariadicOperands, false)                          \
  V(AsyncUpdate, "async-update", kVariadicOperands, false)                        \
  V(Atan2, "atan2", 2, true)                                                      \
  V(Atanh, "atanh", 1, true)                                                      \
  V(BatchNormGrad, "batch-norm-grad", 5, true)                                    \
  V(BatchNormInference, "batch-norm-inference", 5, true)                          \
  V(BatchNormTraining, "batch-norm-training", 3, true)                            \
  V(Bitcast, "bitcast", 1, false)                                                 \
  V(BitcastConvert, "bitcast-convert", 1, false)                                  \
  V(Broadcast, "broadcast", 1, true)                                              \
  V(Call, "call", kVariadicOperands, true)                                        \
  V(Cbrt, "cbrt", 1, true)                                                        \
  V(Ceil, "ceil", 1, true)                                                        \
  V(Cholesky, "cholesky", 1, true)                                                \
  V(Clamp, "clamp", 3, true)                                                      \
  V(CollectiveBroadcast, "collective-broadcast", kVariadicOperands, false)        \
  V(CollectivePermute, "collective-permute", kVariadicOperands, false)            \
  V(CollectivePermuteDone, "collective-permute-done", 1, false)                   \
  V(CollectivePermuteStart, "collective-permute-start", kVariadicOperands, false) \
  V(Compare, "compare", 2, true)                                                  \
  V(Complex, "complex", 2, true)                                                  \
  V(Concatenate, "concatenate", kVariadicOperands, true)                          \
  V(Conditional, "conditional", kVariadicOperands, true)                          \
  V(Constant, "constant", kVariadicOperands, false)                               \
  V(Convert, "convert", 1, false)                                                 \
  V(Convolution, "convolution", 2, true)                                          \
  V(Copy, "copy", 1, true)                                                        \
  V(CopyDone, "copy-done", 1, false)                                              \
  V(CopyStart, "copy-start", 1, false)                                            \
  V(Cosh, "cosh", 1, true)                                                        \
  V(Cosine, "cosine", 1, true)                                                    \
  V(CountLeadingZeros, "count-leading-zeros", 1, true)                            \
  V(CustomCall, "custom-call", kVariadicOperands, false)                          \
  V(Divide, "divide", 2, true)                                                    \
  V(Domain, "domain", 1, true)                                                    \
  V(Dot, "dot", kVariadicOperands, true)                                          \
  V(DynamicReshape, "dynamic-reshape", kVariadicOperands, false)                  \
  V(DynamicSlice, "dynamic-slice", kVariadicOperands, false)                      \
  V(DynamicUpdateSlice, "dynamic-update-slice", kVariadicOperands, false)         \
  V(Erf, "erf", 1, true)                                                          \
  V(Exponential, "exponential", 1, true)                                          \
  V(ExponentialMinusOne, "exponential-minus-one", 1, true)                        \
  V(Fft, "fft", 1, true)                                                          \
  V(Floor, "floor", 1, true)                                                      \
  V(Fusion, "fusion", kVariadicOperands, false)                                   \
  V(Gather, "gather", 2, true)                                                    \
  V(GetDimensionSize, "get-dimension-size", 1, true)                              \
  V(GetTupleElement, "get-tuple-element", 1, true)                                \
  V(Imag, "imag", 1, true)                                                        \
  V(Infeed, "infeed", 1, false)                                                   \
  V(Iota, "iota", 0, false)                                                       \
  V(IsFinite, "is-finite", 1, true)                                               \
  V(Log, "log", 1, true)                                                          \
  V(LogPlusOne, "log-plus-one", 1, true)                                          \
  V(Logistic, "logistic", 1, true)                                                \
  V(Map, "map", kVariadicOperands, true)                                          \
  V(Maximum, "maximum", 2, true)                                                  \
  V(Minimum, "minimum", 2, true)                                                  \
  V(Mulhi, "mulhi", 2, true)                                                      \
  V(Multiply, "multiply", 2, true)                                                \
  V(Negate, "negate", 1, true)                                                    \
  V(Not, "not", 1, true)                                                          \
  V(OptBarrier, "opt-barrier", 1, true)                                           \
  V(Or, "or", 2, true)                                                            \
  V(Outfeed, "outfeed", 2, false)                                                 \
  V(Pad, "pad", 2, true)                                                          \
  V(Parameter, "parameter", kVariadicOperands, false)                             \
  V(PartitionId, "partition-id", 0, true)                                         \
  V(Popcnt, "popcnt", 1, true)                                                    \
  V(Power, "power", 2, true)                                                      \
  V(RaggedAllToAll, "ragged-all-to-all", kVariadicOperands, false)                \
  V(RaggedDot, "ragged-dot", 3, true)                                             \
  V(Real, "real", 1, true)                                                        \
  V(Recv, "recv", 1, false)                                                       \
  V(RecvDone, "recv-done", 1, false)                                              \
  V(Reduce, "reduce", kVariadicOperands, true)                                    \
  V(ReducePrecision, "reduce-precision", 1, false)                                \
  V(ReduceScatter, "reduce-scatter", kVariadicOperands, false)                    \
  V(ReduceWindow, "reduce-window", kVariadicOperands, true)                       \
  V(Remainder, "remainder", 2, true)                                              \
  V(ReplicaId, "replica-id", 0, true)                                             \
  V(Reshape, "reshape", 1, false)                                                 \
  V(Reverse, "reverse", 1, true)                                                  \
  V(Rng, "rng", kVariadicOperands, false)                                         \
  V(RngBitGenerator, "rng-bit-generator", kVariadicOperands, false)               \
  V(RngGetAndUpdateState, "rng-get-and-update-state", 0, false)                   \
  V(RoundNearestAfz, "round-nearest-afz", 1, true)                                \
  V(RoundNearestEven, "round-nearest-even", 1, true)                              \
  V(Rsqrt, "rsqrt", 1, true)                                                      \
  V(ScaledDot, "scaled-dot", 4, true)                                             \
  V(Scan, "scan", kVariadicOperands, true)                                        \
  V(Scatter, "scatter", kVariadicOperands, true)                                  \
  V(Select, "select", 3, true)                                                    \
  V(SelectAndScatter, "select-and-scatter", 3, true)                              \
  V(Send, "send", 2, false)                                                       \
  V(SendDone, "send-done", 1, false)                                              \
  V(SetDimensionSize, "set-dimension-size", 2, true)                              \
  V(ShiftLeft, "shift-left", 2, true)                                             \
  V(ShiftRightArithmetic, "shift-right-arithmetic", 2, true)                      \
  V(ShiftRightLogical, "shift-right-logical", 2, true)                            \
  V(Sign, "sign", 1, true)                                                        \
  V(Sine, "sine", 1, true)                                                        \
  V(Sinh, "sinh", 1, true)                                                        \
  V(Slice, "slice", 1, false)                                                     \
  V(Sort, "sort", kVariadicOperands, true)                                        \
  V(Sqrt, "sqrt", 1, true)                                                        \
  V(StochasticConvert, "stochastic-convert", 2, false)                            \
  V(Subtract, "subtract", 2, true)                                                \
  V(Tan, "tan", 1, true)                                                          \
  V(Tanh, "tanh", 1, true)                                                        \
  V(Topk, "topk", 1, true)                                                        \
  V(Transpose, "transpose", 1, true)                                              \
  V(TriangularSolve, "triangular-solve", 2, true)                                 \
  V(Tuple, "tuple", kVariadicOperands, true)                                      \
  V(While, "while", 1, true)                                                      \
  V(Xor, "xor", 2, true)

enum class Opcode : uint8_t {
#define TESSERA_HLO_DECLARE_OPCODE(id, name, operands, infer) k##id,
  TESSERA_HLO_OPCODES(TESSERA_HLO_DECLARE_OPCODE)
#undef TESSERA_HLO_DECLARE_OPCODE
};

#define TESSERA_HLO_COUNT_OPCODE(id, name, operands, infer) +1
inline constexpr int kNumOpcodes = 0 TESSERA_HLO_OPCODES(TESSERA_HLO_COUNT_OPCODE);
#undef TESSERA_HLO_COUNT_OPCODE

struct OpcodeInfo {
  absl::string_view name;
  int operand_count;           // kVariadicOperands when the reader does not fix it
  bool shape_can_be_inferred;  // the text may leave out the result shape
};

const OpcodeInfo& GetOpcodeInfo(Opcode opcode);

inline absl::string_view OpcodeName(Opcode opcode) { return GetOpcodeInfo(opcode).name; }

// The instructions of the computations that it names run one by one, unlike those of a reducer or a
// fusion. XLA: CallContext::kControlFlow.
constexpr bool IsControlFlow(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

// Products of elements are added along contracting dimensions. The result may have another type than the operands.
constexpr bool IsContraction(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kConvolution || opcode == Opcode::kRaggedDot ||
         opcode == Opcode::kScaledDot;
}

// Data moves between devices, in one instruction: not the starts and ends of asynchronous ones, nor send and recv.
constexpr bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

// The opcode of exactly this name (case matters); nullopt for anything else, the async short forms
// such as "add-start" included.
std::optional<Opcode> OpcodeFromName(absl::string_view name);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_OPCODE_H_
