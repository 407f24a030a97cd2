#include "tessera/testing/evaluator/kernel.h"

#include <algorithm>
#include <iterator>

#include "tessera/testing/evaluator/ops/arithmetic.h"

namespace tessera::testing::evaluator {
namespace {

struct Row {
  Opcode opcode;
  Kernel kernel;
};

// Unary and binary arithmetic have tables of their own (arithmetic.h).
constexpr Row kKernels[] = {
    {Opcode::kAddDependency, FirstOperand},
    {Opcode::kAfterAll, Zero},
    {Opcode::kAllGather, Collective},
    {Opcode::kAllGatherDone, Done},
    {Opcode::kAllGatherStart, CollectiveStart},
    {Opcode::kAllReduce, Collective},
    {Opcode::kAllReduceDone, FirstOperand},
    {Opcode::kAllReduceStart, CollectiveStart},
    {Opcode::kAllToAll, Collective},
    {Opcode::kAsyncDone, Done},
    {Opcode::kAsyncStart, AsyncStart},
    {Opcode::kAsyncUpdate, FirstOperand},
    {Opcode::kBatchNormGrad, BatchNormGrad},
    {Opcode::kBatchNormInference, BatchNormInference},
    {Opcode::kBatchNormTraining, BatchNormTraining},
    {Opcode::kBitcast, Bitcast},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kBroadcast, Broadcast},
    {Opcode::kCall, Call},
    {Opcode::kCholesky, Cholesky},
    {Opcode::kClamp, Clamp},
    {Opcode::kCollectiveBroadcast, Collective},
    {Opcode::kCollectivePermute, Collective},
    {Opcode::kCollectivePermuteDone, Done},
    {Opcode::kCollectivePermuteStart, CollectiveStart},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kConditional, Conditional},
    {Opcode::kConstant, Constant},
    {Opcode::kConvert, Convert},
    {Opcode::kConvolution, Convolution},
    {Opcode::kCopy, FirstOperand},
    {Opcode::kCopyDone, TupleElement},
    {Opcode::kCopyStart, StartCopy},
    {Opcode::kCustomCall, CustomCall},
    {Opcode::kDomain, FirstOperand},
    {Opcode::kDot, Dot},
    {Opcode::kDynamicReshape, Reshape},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kFft, Fft},
    {Opcode::kFusion, Call},
    {Opcode::kGather, Gather},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kGetTupleElement, TupleElement},
    {Opcode::kInfeed, Zero},
    {Opcode::kIota, Iota},
    {Opcode::kMap, Map},
    {Opcode::kOptBarrier, FirstOperand},
    {Opcode::kOutfeed, Zero},
    {Opcode::kPad, Pad},
    {Opcode::kPartitionId, Zero},
    {Opcode::kRaggedAllToAll, RaggedAllToAll},
    {Opcode::kRaggedDot, RaggedDot},
    {Opcode::kRecv, Zero},
    {Opcode::kRecvDone, ReceiveDone},
    {Opcode::kReduce, Reduce},
    {Opcode::kReducePrecision, ReducePrecision},
    {Opcode::kReduceScatter, Collective},
    {Opcode::kReduceWindow, ReduceWindow},
    {Opcode::kReplicaId, Zero},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kRng, Rng},
    {Opcode::kRngBitGenerator, RngBitGenerator},
    {Opcode::kRngGetAndUpdateState, RngState},
    {Opcode::kScaledDot, ScaledDot},
    {Opcode::kScan, Scan},
    {Opcode::kScatter, Scatter},
    {Opcode::kSelect, Select},
    {Opcode::kSelectAndScatter, SelectAndScatter},
    {Opcode::kSend, Send},
    {Opcode::kSendDone, Zero},
    {Opcode::kSetDimensionSize, FirstOperand},
    {Opcode::kSlice, Slice},
    {Opcode::kSort, Sort},
    {Opcode::kStochasticConvert, StochasticConvert},
    {Opcode::kTopk, TopK},
    {Opcode::kTranspose, Transpose},
    {Opcode::kTriangularSolve, TriangularSolve},
    {Opcode::kTuple, Tuple},
    {Opcode::kWhile, While},
};

constexpr Opcode kRunsComputations[] = {Opcode::kAsyncStart, Opcode::kCall, Opcode::kConditional,
                                        Opcode::kFusion,     Opcode::kScan, Opcode::kWhile};

}  // namespace

bool RunsComputations(Opcode opcode) {
  return std::find(std::begin(kRunsComputations), std::end(kRunsComputations), opcode) !=
         std::end(kRunsComputations);
}

Kernel KernelOf(Opcode opcode) {
  if (FindUnary(opcode) != nullptr) return Unary;
  if (FindBinary(opcode) != nullptr) return Binary;
  const Row* row = std::find_if(std::begin(kKernels), std::end(kKernels),
                                [&](const Row& r) { return r.opcode == opcode; });
  return row == std::end(kKernels) ? nullptr : row->kernel;
}

ZPoint IndexOf(int64_t linear, const ZPoint& dims) {
  ZPoint index = dims;
  for (int d = dims.rank() - 1; d >= 0; --d) {
    index[d] = linear % dims[d];
    linear /= dims[d];
  }
  return index;
}

ZPoint Pick(const ZPoint& p, const IntList& which) {
  ZPoint out;
  for (int64_t w : which) out.push_back(p[static_cast<int>(w)]);
  return out;
}

IntList Others(int rank, const IntList& taken) {
  IntList out;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(taken, d)) out.push_back(d);
  }
  return out;
}

std::vector<int64_t> AskedBatches(const Op& op, const ZPoint& dims, int minor) {
  const int major = dims.rank() - minor;
  const ZRange asked = op.Asked(dims);
  ZPoint start, end, outer;
  for (int d = 0; d < major; ++d) {
    start.push_back(asked.start()[d]);
    end.push_back(asked.end()[d]);
    outer.push_back(dims[d]);
  }
  std::vector<int64_t> batches;
  if (asked.empty()) return batches;
  projection::ForEachCell(*ZRange::Create(start, end), [&](const ZPoint& at) {
    batches.push_back(LinearOf(at, outer));
    return true;
  });
  return batches;
}

Array BatchOf(const Array& a, int64_t batch, int minor) {
  ZPoint dims;
  for (int d = a.rank() - minor; d < a.rank(); ++d) dims.push_back(a.dims[d]);
  Array out = MakeArray(a.type, dims);
  Cell* cells = out.cells.Data();
  for (int64_t i = 0; i < out.size(); ++i) cells[i] = a.cells[batch * out.size() + i];
  return out;
}

bool Contains(const IntList& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace tessera::testing::evaluator
