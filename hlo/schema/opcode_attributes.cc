// Which attributes each opcode has: one row an opcode. What the parser asks for every attribute is
// turned into arrays by the compiler.

#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
constexpr bool kRequired = true;
constexpr bool kOptional = false;

constexpr OpcodeAttribute kAllGatherOwn[] = {{A::kChannelId, kOptional},
                                             {A::kReplicaGroups, kOptional},
                                             {A::kConstrainLayout, kOptional},
                                             {A::kDimensions, kRequired},
                                             {A::kUseGlobalDeviceIds, kOptional}};
constexpr OpcodeAttribute kAllReduceOwn[] = {{A::kChannelId, kOptional},
                                             {A::kReplicaGroups, kOptional},
                                             {A::kConstrainLayout, kOptional},
                                             {A::kUseGlobalDeviceIds, kOptional},
                                             {A::kMode, kOptional},
                                             {A::kToApply, kRequired}};
constexpr OpcodeAttribute kAllToAllOwn[] = {{A::kChannelId, kOptional},
                                            {A::kReplicaGroups, kOptional},
                                            {A::kConstrainLayout, kOptional},
                                            {A::kDimensions, kOptional}};
constexpr OpcodeAttribute kAsyncDoneOwn[] = {{A::kCalls, kOptional},
                                             {A::kAsyncExecutionThread, kOptional}};
constexpr OpcodeAttribute kAsyncStartOwn[] = {{A::kAsyncExecutionThread, kOptional},
                                              {A::kOutputToOperandAliasing, kOptional},
                                              {A::kCalls, kRequired}};
constexpr OpcodeAttribute kBatchNormGradOwn[] = {{A::kEpsilon, kRequired},
                                                 {A::kFeatureIndex, kRequired}};
constexpr OpcodeAttribute kBroadcastOwn[] = {{A::kDimensions, kOptional}};
constexpr OpcodeAttribute kCallOwn[] = {{A::kToApply, kRequired}, {A::kIsComposite, kOptional}};
constexpr OpcodeAttribute kCholeskyOwn[] = {{A::kLower, kOptional}};
constexpr OpcodeAttribute kCollectiveBroadcastOwn[] = {
    {A::kChannelId, kOptional}, {A::kReplicaGroups, kOptional}, {A::kHasDynamicRoot, kOptional}};
constexpr OpcodeAttribute kCollectivePermuteOwn[] = {
    {A::kChannelId, kOptional}, {A::kSourceTargetPairs, kRequired}, {A::kSliceSizes, kOptional}};
constexpr OpcodeAttribute kCompareOwn[] = {
    {A::kDirection, kRequired}, {A::kType, kOptional}, {A::kOrder, kOptional}};
constexpr OpcodeAttribute kConcatenateOwn[] = {{A::kDimensions, kRequired}};
constexpr OpcodeAttribute kConditionalOwn[] = {{A::kTrueComputation, kOptional},
                                               {A::kFalseComputation, kOptional},
                                               {A::kBranchComputations, kOptional}};
constexpr OpcodeAttribute kConvolutionOwn[] = {{A::kWindow, kOptional},
                                               {A::kDimLabels, kRequired},
                                               {A::kFeatureGroupCount, kOptional},
                                               {A::kBatchGroupCount, kOptional},
                                               {A::kConvolutionKind, kOptional},
                                               {A::kOperandPrecision, kOptional},
                                               {A::kAlgorithm, kOptional},
                                               {A::kSparsityConfig, kOptional}};
constexpr OpcodeAttribute kCopyStartOwn[] = {{A::kCrossProgramPrefetchIndex, kOptional}};
constexpr OpcodeAttribute kCustomCallOwn[] = {{A::kWindow, kOptional},
                                              {A::kDimLabels, kOptional},
                                              {A::kFeatureGroupCount, kOptional},
                                              {A::kBatchGroupCount, kOptional},
                                              {A::kOperandPrecision, kOptional},
                                              {A::kPaddingType, kOptional},
                                              {A::kCustomCallTarget, kRequired},
                                              {A::kOperandLayoutConstraints, kOptional},
                                              {A::kCustomCallHasSideEffect, kOptional},
                                              {A::kLiteral, kOptional},
                                              {A::kOutputToOperandAliasing, kOptional},
                                              {A::kSchedule, kOptional},
                                              {A::kApiVersion, kOptional},
                                              {A::kToApply, kOptional},
                                              {A::kCalledComputations, kOptional}};
constexpr OpcodeAttribute kDomainOwn[] = {{A::kDomain, kRequired}};
constexpr OpcodeAttribute kDotOwn[] = {
    {A::kLhsBatchDims, kOptional},     {A::kLhsContractingDims, kOptional},
    {A::kRhsBatchDims, kOptional},     {A::kRhsContractingDims, kOptional},
    {A::kOperandPrecision, kOptional}, {A::kAlgorithm, kOptional}};
constexpr OpcodeAttribute kDynamicSliceOwn[] = {{A::kDynamicSliceSizes, kRequired}};
constexpr OpcodeAttribute kFftOwn[] = {{A::kFftType, kRequired}, {A::kFftLength, kRequired}};
constexpr OpcodeAttribute kFusionOwn[] = {
    {A::kKind, kRequired}, {A::kOutputToOperandAliasing, kOptional}, {A::kCalls, kRequired}};
constexpr OpcodeAttribute kGatherOwn[] = {{A::kOffsetDims, kRequired},
                                          {A::kCollapsedSliceDims, kRequired},
                                          {A::kStartIndexMap, kRequired},
                                          {A::kOperandBatchingDims, kOptional},
                                          {A::kStartIndicesBatchingDims, kOptional},
                                          {A::kIndexVectorDim, kRequired},
                                          {A::kSliceSizes, kRequired},
                                          {A::kIndicesAreSorted, kOptional}};
constexpr OpcodeAttribute kGetDimensionSizeOwn[] = {{A::kDimensions, kRequired}};
constexpr OpcodeAttribute kGetTupleElementOwn[] = {{A::kIndex, kRequired}};
constexpr OpcodeAttribute kInfeedOwn[] = {{A::kInfeedConfig, kOptional}};
constexpr OpcodeAttribute kIotaOwn[] = {{A::kIotaDimension, kRequired}};
constexpr OpcodeAttribute kMapOwn[] = {{A::kDimensions, kOptional}, {A::kToApply, kRequired}};
constexpr OpcodeAttribute kOutfeedOwn[] = {{A::kOutfeedShape, kOptional},
                                           {A::kOutfeedConfig, kOptional}};
constexpr OpcodeAttribute kPadOwn[] = {{A::kPadding, kRequired}};
constexpr OpcodeAttribute kRaggedAllToAllOwn[] = {
    {A::kChannelId, kOptional}, {A::kReplicaGroups, kOptional}, {A::kDimensions, kOptional}};
constexpr OpcodeAttribute kRaggedDotOwn[] = {
    {A::kLhsBatchDims, kOptional},    {A::kLhsContractingDims, kOptional},
    {A::kRhsBatchDims, kOptional},    {A::kRhsContractingDims, kOptional},
    {A::kLhsRaggedDims, kOptional},   {A::kRhsGroupDims, kOptional},
    {A::kOperandPrecision, kOptional}};
constexpr OpcodeAttribute kRecvOwn[] = {{A::kChannelId, kOptional},
                                        {A::kIsHostTransfer, kOptional}};
constexpr OpcodeAttribute kReduceOwn[] = {{A::kDimensions, kRequired}, {A::kToApply, kRequired}};
constexpr OpcodeAttribute kReducePrecisionOwn[] = {{A::kExponentBits, kRequired},
                                                   {A::kMantissaBits, kRequired}};
constexpr OpcodeAttribute kReduceScatterOwn[] = {
    {A::kChannelId, kOptional},       {A::kReplicaGroups, kOptional},
    {A::kConstrainLayout, kOptional}, {A::kUseGlobalDeviceIds, kOptional},
    {A::kDimensions, kRequired},      {A::kMode, kOptional},
    {A::kToApply, kRequired}};
constexpr OpcodeAttribute kReduceWindowOwn[] = {{A::kWindow, kOptional}, {A::kToApply, kRequired}};
constexpr OpcodeAttribute kReshapeOwn[] = {{A::kInferredDimension, kOptional}};
constexpr OpcodeAttribute kReverseOwn[] = {{A::kDimensions, kRequired}};
constexpr OpcodeAttribute kRngOwn[] = {{A::kDistribution, kRequired}};
constexpr OpcodeAttribute kRngBitGeneratorOwn[] = {{A::kAlgorithm, kRequired}};
constexpr OpcodeAttribute kRngGetAndUpdateStateOwn[] = {{A::kDelta, kRequired}};
constexpr OpcodeAttribute kScanOwn[] = {{A::kDimensions, kRequired},
                                        {A::kNumCarries, kRequired},
                                        {A::kIsReverse, kOptional},
                                        {A::kIsAssociative, kOptional},
                                        {A::kToApply, kRequired}};
constexpr OpcodeAttribute kScatterOwn[] = {{A::kUpdateWindowDims, kRequired},
                                           {A::kInsertedWindowDims, kRequired},
                                           {A::kScatterDimsToOperandDims, kRequired},
                                           {A::kInputBatchingDims, kOptional},
                                           {A::kScatterIndicesBatchingDims, kOptional},
                                           {A::kIndexVectorDim, kRequired},
                                           {A::kIndicesAreSorted, kOptional},
                                           {A::kUniqueIndices, kOptional},
                                           {A::kToApply, kRequired}};
constexpr OpcodeAttribute kSelectAndScatterOwn[] = {
    {A::kWindow, kOptional}, {A::kSelect, kRequired}, {A::kScatter, kRequired}};
constexpr OpcodeAttribute kSetDimensionSizeOwn[] = {{A::kDimensions, kRequired}};
constexpr OpcodeAttribute kSliceOwn[] = {{A::kSlice, kRequired}};
constexpr OpcodeAttribute kSortOwn[] = {
    {A::kDimensions, kRequired}, {A::kIsStable, kOptional}, {A::kToApply, kRequired}};
constexpr OpcodeAttribute kTopkOwn[] = {
    {A::kK, kRequired}, {A::kLargest, kOptional}, {A::kIsStable, kOptional}};
constexpr OpcodeAttribute kTransposeOwn[] = {{A::kDimensions, kRequired}};
constexpr OpcodeAttribute kTriangularSolveOwn[] = {{A::kLeftSide, kOptional},
                                                   {A::kLower, kOptional},
                                                   {A::kUnitDiagonal, kOptional},
                                                   {A::kTransposeA, kOptional}};
constexpr OpcodeAttribute kWhileOwn[] = {{A::kCondition, kRequired}, {A::kBody, kRequired}};
constexpr OpcodeAttribute kAccuracyOwn[] = {{A::kResultAccuracy, kOptional}};

struct OpcodeRow {
  Opcode opcode;
  const OpcodeAttribute* attributes;
  size_t size;
};

template <size_t N>
constexpr OpcodeRow Row(Opcode opcode, const OpcodeAttribute (&attributes)[N]) {
  return {opcode, attributes, N};
}

constexpr OpcodeRow kOpcodeRows[] = {
    Row(Opcode::kAcos, kAccuracyOwn),
    Row(Opcode::kAcosh, kAccuracyOwn),
    Row(Opcode::kAllGather, kAllGatherOwn),
    Row(Opcode::kAllGatherStart, kAllGatherOwn),
    Row(Opcode::kAllReduce, kAllReduceOwn),
    Row(Opcode::kAllReduceStart, kAllReduceOwn),
    Row(Opcode::kAllToAll, kAllToAllOwn),
    Row(Opcode::kAsin, kAccuracyOwn),
    Row(Opcode::kAsinh, kAccuracyOwn),
    Row(Opcode::kAsyncDone, kAsyncDoneOwn),
    Row(Opcode::kAsyncStart, kAsyncStartOwn),
    Row(Opcode::kAsyncUpdate, kAsyncDoneOwn),
    Row(Opcode::kAtanh, kAccuracyOwn),
    Row(Opcode::kBatchNormGrad, kBatchNormGradOwn),
    Row(Opcode::kBatchNormInference, kBatchNormGradOwn),
    Row(Opcode::kBatchNormTraining, kBatchNormGradOwn),
    Row(Opcode::kBroadcast, kBroadcastOwn),
    Row(Opcode::kCall, kCallOwn),
    Row(Opcode::kCbrt, kAccuracyOwn),
    Row(Opcode::kCholesky, kCholeskyOwn),
    Row(Opcode::kCollectiveBroadcast, kCollectiveBroadcastOwn),
    Row(Opcode::kCollectivePermute, kCollectivePermuteOwn),
    Row(Opcode::kCollectivePermuteStart, kCollectivePermuteOwn),
    Row(Opcode::kCompare, kCompareOwn),
    Row(Opcode::kConcatenate, kConcatenateOwn),
    Row(Opcode::kConditional, kConditionalOwn),
    Row(Opcode::kConvolution, kConvolutionOwn),
    Row(Opcode::kCopyStart, kCopyStartOwn),
    Row(Opcode::kCosh, kAccuracyOwn),
    Row(Opcode::kCosine, kAccuracyOwn),
    Row(Opcode::kCustomCall, kCustomCallOwn),
    Row(Opcode::kDomain, kDomainOwn),
    Row(Opcode::kDot, kDotOwn),
    Row(Opcode::kDynamicSlice, kDynamicSliceOwn),
    Row(Opcode::kErf, kAccuracyOwn),
    Row(Opcode::kExponential, kAccuracyOwn),
    Row(Opcode::kExponentialMinusOne, kAccuracyOwn),
    Row(Opcode::kFft, kFftOwn),
    Row(Opcode::kFusion, kFusionOwn),
    Row(Opcode::kGather, kGatherOwn),
    Row(Opcode::kGetDimensionSize, kGetDimensionSizeOwn),
    Row(Opcode::kGetTupleElement, kGetTupleElementOwn),
    Row(Opcode::kInfeed, kInfeedOwn),
    Row(Opcode::kIota, kIotaOwn),
    Row(Opcode::kLog, kAccuracyOwn),
    Row(Opcode::kLogPlusOne, kAccuracyOwn),
    Row(Opcode::kLogistic, kAccuracyOwn),
    Row(Opcode::kMap, kMapOwn),
    Row(Opcode::kOutfeed, kOutfeedOwn),
    Row(Opcode::kPad, kPadOwn),
    Row(Opcode::kRaggedAllToAll, kRaggedAllToAllOwn),
    Row(Opcode::kRaggedDot, kRaggedDotOwn),
    Row(Opcode::kRecv, kRecvOwn),
    Row(Opcode::kRecvDone, kRecvOwn),
    Row(Opcode::kReduce, kReduceOwn),
    Row(Opcode::kReducePrecision, kReducePrecisionOwn),
    Row(Opcode::kReduceScatter, kReduceScatterOwn),
    Row(Opcode::kReduceWindow, kReduceWindowOwn),
    Row(Opcode::kReshape, kReshapeOwn),
    Row(Opcode::kReverse, kReverseOwn),
    Row(Opcode::kRng, kRngOwn),
    Row(Opcode::kRngBitGenerator, kRngBitGeneratorOwn),
    Row(Opcode::kRngGetAndUpdateState, kRngGetAndUpdateStateOwn),
    Row(Opcode::kRsqrt, kAccuracyOwn),
    Row(Opcode::kScaledDot, kDotOwn),
    Row(Opcode::kScan, kScanOwn),
    Row(Opcode::kScatter, kScatterOwn),
    Row(Opcode::kSelectAndScatter, kSelectAndScatterOwn),
    Row(Opcode::kSend, kRecvOwn),
    Row(Opcode::kSendDone, kRecvOwn),
    Row(Opcode::kSetDimensionSize, kSetDimensionSizeOwn),
    Row(Opcode::kSine, kAccuracyOwn),
    Row(Opcode::kSinh, kAccuracyOwn),
    Row(Opcode::kSlice, kSliceOwn),
    Row(Opcode::kSort, kSortOwn),
    Row(Opcode::kSqrt, kAccuracyOwn),
    Row(Opcode::kTan, kAccuracyOwn),
    Row(Opcode::kTanh, kAccuracyOwn),
    Row(Opcode::kTopk, kTopkOwn),
    Row(Opcode::kTranspose, kTransposeOwn),
    Row(Opcode::kTriangularSolve, kTriangularSolveOwn),
    Row(Opcode::kWhile, kWhileOwn),
};

struct Tables {
  OpcodeRow rows[kNumOpcodes] = {};
  uint64_t allowed[kNumOpcodes][2] = {};

  constexpr Tables() {
    for (const OpcodeRow& row : kOpcodeRows) {
      const int opcode = static_cast<int>(row.opcode);
      rows[opcode] = row;
      for (size_t i = 0; i < row.size; ++i) Allow(opcode, row.attributes[i].name);
    }
    for (int opcode = 0; opcode < kNumOpcodes; ++opcode) {
      for (int i = 0; i < kNumCommonAttributes; ++i) Allow(opcode, static_cast<A>(i));
    }
  }
  constexpr void Allow(int opcode, AttributeName name) {
    const int bit = static_cast<int>(name);
    allowed[opcode][bit / 64] |= uint64_t{1} << (bit % 64);
  }
};

constexpr Tables kTables;

}  // namespace

absl::Span<const OpcodeAttribute> OpcodeAttributes(Opcode opcode) {
  const OpcodeRow& row = kTables.rows[static_cast<int>(opcode)];
  return absl::Span<const OpcodeAttribute>(row.attributes, row.size);
}

bool AllowsAttribute(Opcode opcode, AttributeName name) {
  const int bit = static_cast<int>(name);
  return (kTables.allowed[static_cast<int>(opcode)][bit / 64] >> (bit % 64)) & 1;
}

}  // namespace tessera::hlo
