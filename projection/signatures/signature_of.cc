#include "tessera/projection/signatures/signature_of.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signatures/flow.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/projection/signatures/rules.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using layout::Shape;

struct RuleRow {
  Opcode opcode;
  SignatureRule rule;
};

// Element-wise opcodes are a set of their own (opcode_sets.h); the test of this file asks that
// nothing is left out.
constexpr RuleRow kRules[] = {
    {Opcode::kAddDependency, FirstOperandRule},
    {Opcode::kAfterAll, NothingRule},
    {Opcode::kAllGather, AllGatherRule},
    {Opcode::kAllGatherDone, DoneRule},
    {Opcode::kAllGatherStart, AllGatherRule},
    {Opcode::kAllReduce, TupleRule},
    {Opcode::kAllReduceDone, DoneRule},
    {Opcode::kAllReduceStart, TupleRule},
    {Opcode::kAllToAll, AllToAllRule},
    {Opcode::kAsyncDone, DoneRule},
    {Opcode::kAsyncStart, CallRule},
    {Opcode::kAsyncUpdate, FirstOperandRule},
    {Opcode::kBatchNormGrad, BatchNormRule},
    {Opcode::kBatchNormInference, BatchNormRule},
    {Opcode::kBatchNormTraining, BatchNormRule},
    {Opcode::kBitcast, BitcastRule},
    {Opcode::kBitcastConvert, BitcastConvertRule},
    {Opcode::kBroadcast, BroadcastRule},
    {Opcode::kCall, CallRule},
    {Opcode::kCholesky, CholeskyRule},
    {Opcode::kCollectiveBroadcast, TupleRule},
    {Opcode::kCollectivePermute, TupleRule},
    {Opcode::kCollectivePermuteDone, DoneRule},
    {Opcode::kCollectivePermuteStart, StartRule},
    {Opcode::kConcatenate, ConcatenateRule},
    {Opcode::kConditional, ConditionalRule},
    {Opcode::kConstant, NothingRule},
    {Opcode::kConvolution, ConvolutionRule},
    {Opcode::kCopyDone, DoneRule},
    {Opcode::kCopyStart, StartRule},
    {Opcode::kCustomCall, CustomCallRule},
    {Opcode::kDomain, FirstOperandRule},
    {Opcode::kDot, DotRule},
    {Opcode::kDynamicReshape, OpaqueRule},
    {Opcode::kDynamicSlice, DynamicSliceRule},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSliceRule},
    {Opcode::kFft, FftRule},
    {Opcode::kFusion, CallRule},
    {Opcode::kGather, GatherRule},
    {Opcode::kGetDimensionSize, NothingRule},
    {Opcode::kGetTupleElement, GetTupleElementRule},
    {Opcode::kInfeed, OpaqueRule},
    {Opcode::kIota, NothingRule},
    {Opcode::kMap, ElementwiseRule},
    {Opcode::kOptBarrier, FirstOperandRule},
    {Opcode::kOutfeed, OpaqueRule},
    {Opcode::kPad, PadRule},
    {Opcode::kParameter, NothingRule},
    {Opcode::kPartitionId, NothingRule},
    {Opcode::kRaggedAllToAll, OpaqueRule},
    {Opcode::kRaggedDot, RaggedDotRule},
    {Opcode::kRecv, OpaqueRule},
    {Opcode::kRecvDone, OpaqueRule},
    {Opcode::kReduce, ReduceRule},
    {Opcode::kReduceScatter, ReduceScatterRule},
    {Opcode::kReduceWindow, ReduceWindowRule},
    {Opcode::kReplicaId, NothingRule},
    {Opcode::kReshape, ReshapeRule},
    {Opcode::kReverse, ReverseRule},
    {Opcode::kRng, RngRule},
    {Opcode::kRngBitGenerator, RngRule},
    {Opcode::kRngGetAndUpdateState, NothingRule},
    {Opcode::kScaledDot, ScaledDotRule},
    {Opcode::kScan, ScanRule},
    {Opcode::kScatter, ScatterRule},
    {Opcode::kSelectAndScatter, SelectAndScatterRule},
    {Opcode::kSend, OpaqueRule},
    {Opcode::kSendDone, OpaqueRule},
    {Opcode::kSetDimensionSize, SetDimensionSizeRule},
    {Opcode::kSlice, SliceRule},
    {Opcode::kSort, SortRule},
    {Opcode::kTopk, TopKRule},
    {Opcode::kTranspose, TransposeRule},
    {Opcode::kTriangularSolve, TriangularSolveRule},
    {Opcode::kTuple, TupleRule},
    {Opcode::kWhile, WhileRule},
};

SignatureRule RuleOf(const Module& module, InstructionId id) {
  const Opcode opcode = module.instruction(id).opcode;
  if (opcode == Opcode::kCopy && module.shape(id).is_tuple()) return FirstOperandRule;
  if (IsElementwise(opcode)) return ElementwiseRule;
  for (const RuleRow& row : kRules) {
    if (row.opcode == opcode) return row.rule;
  }
  return OpaqueRule;
}

absl::Status CheckBounded(const Shape& shape, absl::string_view name) {
  if (!shape.has_unbounded_dim()) return absl::OkStatus();
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat(name, " has a dimension without a bound"));
}

// Which arrays of the result share the index space of array `leaf`: all of its shape for operations
// with one map for all results.
bool ResultsShareIndex(Opcode opcode) {
  return opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow || opcode == Opcode::kSort ||
         opcode == Opcode::kScatter || opcode == Opcode::kTopk;
}

absl::Status Prepare(const Module& module, InstructionId id, int leaf, std::vector<int>* entries,
                     Signature* s) {
  const std::vector<const Shape*> leaves = ArrayLeaves(module.shape(id));
  if (leaf < 0 || (leaf > 0 && leaf >= static_cast<int>(leaves.size()))) {
    return MakeError(ErrorCode::kBadDim,
                     absl::StrCat(module.instruction(id).name, " has no result array ", leaf));
  }
  const ZPoint dims = leaves.empty() ? ZPoint() : ZPoint(leaves[static_cast<size_t>(leaf)]->dims());
  s->index = ZRange::FromShape(dims);
  for (int d = 0; d < dims.rank(); ++d)
    s->axes.push_back({absl::StrCat("d", d), AxisKind::kParallel, dims[d]});
  for (InstructionId operand : module.operands(id)) {
    entries->push_back(static_cast<int>(s->operands.size()));
    for (const Shape* array : ArrayLeaves(module.shape(operand))) {
      TESSERA_RETURN_IF_ERROR(CheckBounded(*array, module.instruction(operand).name));
      s->operands.push_back({"operand", ZPoint(array->dims()), {}});
    }
  }
  for (const Shape* array : leaves)
    TESSERA_RETURN_IF_ERROR(CheckBounded(*array, module.instruction(id).name));
  return absl::OkStatus();
}

// Each index writes its own cell of the results; axes beyond the result's add to one cell.
absl::Status AddResults(const Module& module, InstructionId id, int leaf, const ZPoint& dims,
                        Signature* s) {
  const std::vector<const Shape*> leaves = ArrayLeaves(module.shape(id));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const bool asked = static_cast<int>(i) == leaf;
    if (!asked &&
        (!ResultsShareIndex(module.instruction(id).opcode) || ZPoint(leaves[i]->dims()) != dims))
      continue;
    Rows rows(dims, s->index.rank());
    for (int d = 0; d < dims.rank(); ++d) rows.Follow(d, d);
    TESSERA_ASSIGN_OR_RETURN(ZProjection p, rows.Build());
    s->results.push_back(std::move(p));
    s->result_shapes.push_back(dims);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<const Shape*> ArrayLeaves(const Shape& shape) {
  std::vector<const Shape*> out;
  layout::ForEachLeaf(shape, [&out](const Shape& leaf) {
    if (leaf.is_array()) out.push_back(&leaf);
    if (leaf.is_buffer()) out.push_back(&leaf.array());
  });
  return out;
}

std::vector<int> ArrayStarts(const Shape& tuple) {
  std::vector<int> starts = {0};
  for (const Shape& element : tuple.tuple_elements()) {
    starts.push_back(starts.back() + static_cast<int>(ArrayLeaves(element).size()));
  }
  return starts;
}

absl::StatusOr<Signature> SignatureOf(const Module& module, InstructionId id,
                                      const SignatureOptions& options) {
  if (options.flows == nullptr && !module.called(id).empty()) {
    FlowMemo flows;
    SignatureOptions with_flows = options;
    with_flows.flows = &flows;
    return SignatureOf(module, id, with_flows);
  }
  Signature s;
  std::vector<int> entries;
  TESSERA_RETURN_IF_ERROR(Prepare(module, id, options.leaf, &entries, &s));
  const ZPoint dims = s.index.shape();
  if (!s.index.empty()) {
    const OpContext op{module, id, options, dims, std::move(entries)};
    TESSERA_RETURN_IF_ERROR(RuleOf(module, id)(op, &s));
    for (OperandAccess& operand : s.operands) {
      if (ZRange::FromShape(operand.shape).empty()) operand.maps.clear();
    }
  }
  TESSERA_RETURN_IF_ERROR(AddResults(module, id, options.leaf, dims, &s));
  return s;
}

}  // namespace tessera::projection
