#include "tessera/sharding/rules/rules.h"

#include <algorithm>
#include <array>

#include "tessera/sharding/rules/families.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::rules {
namespace {

using hlo::AttributeName;
using hlo::Opcode;

struct Entry {
  Opcode opcode;
  MaybeRule (*rule)(const OpView& op, const RuleMode& mode);
  // At least so many operands and results are there when `rule` is called.
  size_t operands;
  size_t results;
  absl::Span<const AttributeName> attributes;
};

constexpr AttributeName kDimensions[] = {AttributeName::kDimensions};
constexpr AttributeName kPadding[] = {AttributeName::kPadding};
constexpr AttributeName kWindow[] = {AttributeName::kWindow};
constexpr AttributeName kDot[] = {AttributeName::kLhsBatchDims, AttributeName::kLhsContractingDims,
                                  AttributeName::kRhsBatchDims, AttributeName::kRhsContractingDims};
constexpr AttributeName kRaggedDot[] = {
    AttributeName::kLhsBatchDims,  AttributeName::kLhsContractingDims,
    AttributeName::kRhsBatchDims,  AttributeName::kRhsContractingDims,
    AttributeName::kLhsRaggedDims, AttributeName::kRhsGroupDims};
constexpr AttributeName kConvolution[] = {
    AttributeName::kDimLabels, AttributeName::kBatchGroupCount, AttributeName::kFeatureGroupCount};
constexpr AttributeName kGather[] = {AttributeName::kOffsetDims, AttributeName::kCollapsedSliceDims,
                                     AttributeName::kOperandBatchingDims,
                                     AttributeName::kStartIndicesBatchingDims,
                                     AttributeName::kIndexVectorDim};
constexpr AttributeName kScatter[] = {
    AttributeName::kUpdateWindowDims,  AttributeName::kInsertedWindowDims,
    AttributeName::kInputBatchingDims, AttributeName::kScatterIndicesBatchingDims,
    AttributeName::kIndexVectorDim,    AttributeName::kToApply};
constexpr AttributeName kTriangularSolve[] = {AttributeName::kLeftSide, AttributeName::kTransposeA};
constexpr AttributeName kBatchNorm[] = {AttributeName::kFeatureIndex};
constexpr AttributeName kFft[] = {AttributeName::kFftLength};
constexpr AttributeName kScan[] = {AttributeName::kDimensions, AttributeName::kNumCarries,
                                   AttributeName::kIsAssociative, AttributeName::kToApply};
constexpr AttributeName kCustomCall[] = {AttributeName::kCustomCallTarget,
                                         AttributeName::kSchedule};

// Every opcode with a rule, but for the pointwise ones (IsPointwiseOpcode of op_traits.h), which share one row.
constexpr Entry kEntries[] = {
    {Opcode::kAcos, HyperbolicRule, 1, 1, {}},
    {Opcode::kAcosh, HyperbolicRule, 1, 1, {}},
    {Opcode::kAllGather, GatherAlongRule, 1, 1, kDimensions},
    {Opcode::kAllReduce, PointwiseOp, 1, 1, {}},
    {Opcode::kAllToAll, AllToAllRule, 1, 1, kDimensions},
    {Opcode::kAsin, HyperbolicRule, 1, 1, {}},
    {Opcode::kAsinh, HyperbolicRule, 1, 1, {}},
    {Opcode::kAtanh, HyperbolicRule, 1, 1, {}},
    {Opcode::kBatchNormInference, BatchNormInferenceRule, 5, 1, kBatchNorm},
    {Opcode::kBitcastConvert, BitcastConvertRule, 1, 1, {}},
    {Opcode::kBroadcast, BroadcastRule, 1, 1, kDimensions},
    {Opcode::kCholesky, CholeskyRule, 1, 1, {}},
    {Opcode::kClamp, ClampRule, 3, 1, {}},
    {Opcode::kCollectiveBroadcast, PointwiseOp, 1, 1, {}},
    {Opcode::kCollectivePermute, PointwiseOp, 1, 1, {}},
    {Opcode::kConcatenate, ConcatenateRule, 1, 1, kDimensions},
    {Opcode::kConvolution, ConvolutionRule, 2, 1, kConvolution},
    {Opcode::kCosh, HyperbolicRule, 1, 1, {}},
    {Opcode::kCustomCall, CustomCallRule, 0, 1, kCustomCall},
    {Opcode::kDot, DotRule, 2, 1, kDot},
    {Opcode::kDynamicSlice, DynamicSliceRule, 1, 1, {}},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSliceRule, 2, 1, {}},
    {Opcode::kErf, HyperbolicRule, 1, 1, {}},
    {Opcode::kFft, FftRule, 1, 1, kFft},
    {Opcode::kGather, GatherRule, 2, 1, kGather},
    {Opcode::kPad, PadRule, 2, 1, kPadding},
    {Opcode::kRaggedDot, RaggedDotRule, 3, 1, kRaggedDot},
    {Opcode::kReduce, ReduceRule, 2, 1, kDimensions},
    {Opcode::kReduceScatter, GatherAlongRule, 1, 1, kDimensions},
    {Opcode::kReduceWindow, ReduceWindowRule, 2, 1, kWindow},
    {Opcode::kReshape, ReshapeRule, 1, 1, {}},
    {Opcode::kReverse, ReverseRule, 1, 1, kDimensions},
    {Opcode::kRngBitGenerator, RngBitGeneratorRule, 1, 1, {}},
    {Opcode::kScan, ScanRule, 0, 1, kScan},
    {Opcode::kScatter, ScatterRule, 3, 1, kScatter},
    {Opcode::kSelect, SelectRule, 3, 1, {}},
    {Opcode::kSelectAndScatter, SelectAndScatterRule, 3, 1, kWindow},
    {Opcode::kSinh, HyperbolicRule, 1, 1, {}},
    {Opcode::kSlice, SliceRule, 1, 1, {}},
    {Opcode::kSort, SortRule, 1, 1, kDimensions},
    {Opcode::kTopk, TopkRule, 1, 1, {}},
    {Opcode::kTranspose, TransposeRule, 1, 1, kDimensions},
    {Opcode::kTriangularSolve, TriangularSolveRule, 2, 1, kTriangularSolve},
};
constexpr Entry kPointwise = {Opcode::kAdd, PointwiseOp, 0, 1, {}};

using Index = std::array<const Entry*, hlo::kNumOpcodes>;

Index MakeIndex() {
  Index index = {};
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    if (IsPointwiseOpcode(static_cast<Opcode>(i))) index[i] = &kPointwise;
  }
  for (const Entry& entry : kEntries) index[static_cast<int>(entry.opcode)] = &entry;
  return index;
}

// Null for an opcode without rule.
const Entry* EntryOf(Opcode opcode) {
  static const Index& index = *new Index(MakeIndex());
  return index[static_cast<int>(opcode)];
}

bool IsStatic(absl::Span<const layout::Shape* const> shapes) {
  return std::none_of(shapes.begin(), shapes.end(),
                      [](const layout::Shape* shape) { return shape->has_dynamic_dim(); });
}

bool Fits(const OpView& op, const Entry& entry) {
  const bool has_attributes =
      entry.attributes.empty() || op.instruction != hlo::kNoId || op.dimensions != nullptr;
  return op.operands.size() >= entry.operands && op.results.size() >= entry.results &&
         has_attributes && IsStatic(op.operands) && IsStatic(op.results);
}

}  // namespace

std::optional<OpShardingRule> DeriveRule(const OpView& op, const RuleMode& mode) {
  const Entry* const entry = EntryOf(op.opcode);
  if (entry == nullptr || !Fits(op, *entry)) return std::nullopt;
  return entry->rule(op, mode);
}

std::optional<OpShardingRule> PointwiseRule(absl::Span<const layout::Shape* const> operands,
                                            absl::Span<const layout::Shape* const> results) {
  return Pointwise(operands, results);
}

absl::Span<const AttributeName> AttributesRead(Opcode opcode) {
  const Entry* const entry = EntryOf(opcode);
  return entry == nullptr ? absl::Span<const AttributeName>() : entry->attributes;
}

}  // namespace tessera::sharding::rules
