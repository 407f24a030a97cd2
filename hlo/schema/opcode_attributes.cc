// Which attributes each opcode has: one row an opcode. What the parser asks for every attribute is
// turned into arrays by the compiler.

#include "tessera/hlo/schema/opcode_attributes.h"

#include "tessera/hlo/schema/opcode_table.h"

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

constexpr OpcodeTable<absl::Span<const OpcodeAttribute>> kOwn({
    {Opcode::kAcos, kAccuracyOwn},
    {Opcode::kAcosh, kAccuracyOwn},
    {Opcode::kAllGather, kAllGatherOwn},
    {Opcode::kAllGatherStart, kAllGatherOwn},
    {Opcode::kAllReduce, kAllReduceOwn},
    {Opcode::kAllReduceStart, kAllReduceOwn},
    {Opcode::kAllToAll, kAllToAllOwn},
    {Opcode::kAsin, kAccuracyOwn},
    {Opcode::kAsinh, kAccuracyOwn},
    {Opcode::kAsyncDone, kAsyncDoneOwn},
    {Opcode::kAsyncStart, kAsyncStartOwn},
    {Opcode::kAsyncUpdate, kAsyncDoneOwn},
    {Opcode::kAtanh, kAccuracyOwn},
    {Opcode::kBatchNormGrad, kBatchNormGradOwn},
    {Opcode::kBatchNormInference, kBatchNormGradOwn},
    {Opcode::kBatchNormTraining, kBatchNormGradOwn},
    {Opcode::kBroadcast, kBroadcastOwn},
    {Opcode::kCall, kCallOwn},
    {Opcode::kCbrt, kAccuracyOwn},
    {Opcode::kCholesky, kCholeskyOwn},
    {Opcode::kCollectiveBroadcast, kCollectiveBroadcastOwn},
    {Opcode::kCollectivePermute, kCollectivePermuteOwn},
    {Opcode::kCollectivePermuteStart, kCollectivePermuteOwn},
    {Opcode::kCompare, kCompareOwn},
    {Opcode::kConcatenate, kConcatenateOwn},
    {Opcode::kConditional, kConditionalOwn},
    {Opcode::kConvolution, kConvolutionOwn},
    {Opcode::kCopyStart, kCopyStartOwn},
    {Opcode::kCosh, kAccuracyOwn},
    {Opcode::kCosine, kAccuracyOwn},
    {Opcode::kCustomCall, kCustomCallOwn},
    {Opcode::kDomain, kDomainOwn},
    {Opcode::kDot, kDotOwn},
    {Opcode::kDynamicSlice, kDynamicSliceOwn},
    {Opcode::kErf, kAccuracyOwn},
    {Opcode::kExponential, kAccuracyOwn},
    {Opcode::kExponentialMinusOne, kAccuracyOwn},
    {Opcode::kFft, kFftOwn},
    {Opcode::kFusion, kFusionOwn},
    {Opcode::kGather, kGatherOwn},
    {Opcode::kGetDimensionSize, kGetDimensionSizeOwn},
    {Opcode::kGetTupleElement, kGetTupleElementOwn},
    {Opcode::kInfeed, kInfeedOwn},
    {Opcode::kIota, kIotaOwn},
    {Opcode::kLog, kAccuracyOwn},
    {Opcode::kLogPlusOne, kAccuracyOwn},
    {Opcode::kLogistic, kAccuracyOwn},
    {Opcode::kMap, kMapOwn},
    {Opcode::kOutfeed, kOutfeedOwn},
    {Opcode::kPad, kPadOwn},
    {Opcode::kRaggedAllToAll, kRaggedAllToAllOwn},
    {Opcode::kRaggedDot, kRaggedDotOwn},
    {Opcode::kRecv, kRecvOwn},
    {Opcode::kRecvDone, kRecvOwn},
    {Opcode::kReduce, kReduceOwn},
    {Opcode::kReducePrecision, kReducePrecisionOwn},
    {Opcode::kReduceScatter, kReduceScatterOwn},
    {Opcode::kReduceWindow, kReduceWindowOwn},
    {Opcode::kReshape, kReshapeOwn},
    {Opcode::kReverse, kReverseOwn},
    {Opcode::kRng, kRngOwn},
    {Opcode::kRngBitGenerator, kRngBitGeneratorOwn},
    {Opcode::kRngGetAndUpdateState, kRngGetAndUpdateStateOwn},
    {Opcode::kRsqrt, kAccuracyOwn},
    {Opcode::kScaledDot, kDotOwn},
    {Opcode::kScan, kScanOwn},
    {Opcode::kScatter, kScatterOwn},
    {Opcode::kSelectAndScatter, kSelectAndScatterOwn},
    {Opcode::kSend, kRecvOwn},
    {Opcode::kSendDone, kRecvOwn},
    {Opcode::kSetDimensionSize, kSetDimensionSizeOwn},
    {Opcode::kSine, kAccuracyOwn},
    {Opcode::kSinh, kAccuracyOwn},
    {Opcode::kSlice, kSliceOwn},
    {Opcode::kSort, kSortOwn},
    {Opcode::kSqrt, kAccuracyOwn},
    {Opcode::kTan, kAccuracyOwn},
    {Opcode::kTanh, kAccuracyOwn},
    {Opcode::kTopk, kTopkOwn},
    {Opcode::kTranspose, kTransposeOwn},
    {Opcode::kTriangularSolve, kTriangularSolveOwn},
    {Opcode::kWhile, kWhileOwn},
});

struct AllowedAttributes {
  uint64_t of[kNumOpcodes][2] = {};

  constexpr AllowedAttributes() {
    for (int opcode = 0; opcode < kNumOpcodes; ++opcode) {
      for (int i = 0; i < kNumCommonAttributes; ++i) Allow(opcode, static_cast<A>(i));
      for (const OpcodeAttribute& own : kOwn[static_cast<Opcode>(opcode)]) Allow(opcode, own.name);
    }
  }
  constexpr void Allow(int opcode, AttributeName name) {
    const int bit = static_cast<int>(name);
    of[opcode][bit / 64] |= uint64_t{1} << (bit % 64);
  }
};
constexpr AllowedAttributes kAllowed;

}  // namespace

absl::Span<const OpcodeAttribute> OpcodeAttributes(Opcode opcode) { return kOwn[opcode]; }

bool AllowsAttribute(Opcode opcode, AttributeName name) {
  const int bit = static_cast<int>(name);
  return (kAllowed.of[static_cast<int>(opcode)][bit / 64] >> (bit % 64)) & 1;
}

}  // namespace tessera::hlo
