// Which attributes each opcode has: one row an opcode. What the parser asks for every attribute is
// turned into arrays by the compiler.

#include "tessera/hlo/opcode_attributes.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
constexpr bool kRequired = true;
constexpr bool kOptional = false;

constexpr OwnAttribute kAllGatherOwn[] = {{A::kChannelId, kOptional},
                                          {A::kReplicaGroups, kOptional},
                                          {A::kConstrainLayout, kOptional},
                                          {A::kDimensions, kRequired},
                                          {A::kUseGlobalDeviceIds, kOptional}};
constexpr OwnAttribute kAllReduceOwn[] = {{A::kChannelId, kOptional},
                                          {A::kReplicaGroups, kOptional},
                                          {A::kConstrainLayout, kOptional},
                                          {A::kUseGlobalDeviceIds, kOptional},
                                          {A::kMode, kOptional},
                                          {A::kToApply, kRequired}};
constexpr OwnAttribute kAllToAllOwn[] = {{A::kChannelId, kOptional},
                                         {A::kReplicaGroups, kOptional},
                                         {A::kConstrainLayout, kOptional},
                                         {A::kDimensions, kOptional}};
constexpr OwnAttribute kAsyncDoneOwn[] = {{A::kCalls, kOptional},
                                          {A::kAsyncExecutionThread, kOptional}};
constexpr OwnAttribute kAsyncStartOwn[] = {{A::kAsyncExecutionThread, kOptional},
                                           {A::kOutputToOperandAliasing, kOptional},
                                           {A::kCalls, kRequired}};
constexpr OwnAttribute kBatchNormGradOwn[] = {{A::kEpsilon, kRequired},
                                              {A::kFeatureIndex, kRequired}};
constexpr OwnAttribute kBroadcastOwn[] = {{A::kDimensions, kOptional}};
constexpr OwnAttribute kCallOwn[] = {{A::kToApply, kRequired}, {A::kIsComposite, kOptional}};
constexpr OwnAttribute kCholeskyOwn[] = {{A::kLower, kOptional}};
constexpr OwnAttribute kCollectiveBroadcastOwn[] = {
    {A::kChannelId, kOptional}, {A::kReplicaGroups, kOptional}, {A::kHasDynamicRoot, kOptional}};
constexpr OwnAttribute kCollectivePermuteOwn[] = {
    {A::kChannelId, kOptional}, {A::kSourceTargetPairs, kRequired}, {A::kSliceSizes, kOptional}};
constexpr OwnAttribute kCompareOwn[] = {
    {A::kDirection, kRequired}, {A::kType, kOptional}, {A::kOrder, kOptional}};
constexpr OwnAttribute kConcatenateOwn[] = {{A::kDimensions, kRequired}};
constexpr OwnAttribute kConditionalOwn[] = {{A::kTrueComputation, kOptional},
                                            {A::kFalseComputation, kOptional},
                                            {A::kBranchComputations, kOptional}};
constexpr OwnAttribute kConvolutionOwn[] = {{A::kWindow, kOptional},
                                            {A::kDimLabels, kRequired},
                                            {A::kFeatureGroupCount, kOptional},
                                            {A::kBatchGroupCount, kOptional},
                                            {A::kConvolutionKind, kOptional},
                                            {A::kOperandPrecision, kOptional},
                                            {A::kAlgorithm, kOptional},
                                            {A::kSparsityConfig, kOptional}};
constexpr OwnAttribute kCopyStartOwn[] = {{A::kCrossProgramPrefetchIndex, kOptional}};
constexpr OwnAttribute kCustomCallOwn[] = {{A::kWindow, kOptional},
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
constexpr OwnAttribute kDomainOwn[] = {{A::kDomain, kRequired}};
constexpr OwnAttribute kDotOwn[] = {
    {A::kLhsBatchDims, kOptional},     {A::kLhsContractingDims, kOptional},
    {A::kRhsBatchDims, kOptional},     {A::kRhsContractingDims, kOptional},
    {A::kOperandPrecision, kOptional}, {A::kAlgorithm, kOptional}};
constexpr OwnAttribute kDynamicSliceOwn[] = {{A::kDynamicSliceSizes, kRequired}};
constexpr OwnAttribute kFftOwn[] = {{A::kFftType, kRequired}, {A::kFftLength, kRequired}};
constexpr OwnAttribute kFusionOwn[] = {
    {A::kKind, kRequired}, {A::kOutputToOperandAliasing, kOptional}, {A::kCalls, kRequired}};
constexpr OwnAttribute kGatherOwn[] = {{A::kOffsetDims, kRequired},
                                       {A::kCollapsedSliceDims, kRequired},
                                       {A::kStartIndexMap, kRequired},
                                       {A::kOperandBatchingDims, kOptional},
                                       {A::kStartIndicesBatchingDims, kOptional},
                                       {A::kIndexVectorDim, kRequired},
                                       {A::kSliceSizes, kRequired},
                                       {A::kIndicesAreSorted, kOptional}};
constexpr OwnAttribute kGetDimensionSizeOwn[] = {{A::kDimensions, kRequired}};
constexpr OwnAttribute kGetTupleElementOwn[] = {{A::kIndex, kRequired}};
constexpr OwnAttribute kInfeedOwn[] = {{A::kInfeedConfig, kOptional}};
constexpr OwnAttribute kIotaOwn[] = {{A::kIotaDimension, kRequired}};
constexpr OwnAttribute kMapOwn[] = {{A::kDimensions, kOptional}, {A::kToApply, kRequired}};
constexpr OwnAttribute kOutfeedOwn[] = {{A::kOutfeedShape, kOptional},
                                        {A::kOutfeedConfig, kOptional}};
constexpr OwnAttribute kPadOwn[] = {{A::kPadding, kRequired}};
constexpr OwnAttribute kRaggedAllToAllOwn[] = {
    {A::kChannelId, kOptional}, {A::kReplicaGroups, kOptional}, {A::kDimensions, kOptional}};
constexpr OwnAttribute kRaggedDotOwn[] = {
    {A::kLhsBatchDims, kOptional},    {A::kLhsContractingDims, kOptional},
    {A::kRhsBatchDims, kOptional},    {A::kRhsContractingDims, kOptional},
    {A::kLhsRaggedDims, kOptional},   {A::kRhsGroupDims, kOptional},
    {A::kOperandPrecision, kOptional}};
constexpr OwnAttribute kRecvOwn[] = {{A::kChannelId, kOptional}, {A::kIsHostTransfer, kOptional}};
constexpr OwnAttribute kReduceOwn[] = {{A::kDimensions, kRequired}, {A::kToApply, kRequired}};
constexpr OwnAttribute kReducePrecisionOwn[] = {{A::kExponentBits, kRequired},
                                                {A::kMantissaBits, kRequired}};
constexpr OwnAttribute kReduceScatterOwn[] = {
    {A::kChannelId, kOptional},       {A::kReplicaGroups, kOptional},
    {A::kConstrainLayout, kOptional}, {A::kUseGlobalDeviceIds, kOptional},
    {A::kDimensions, kRequired},      {A::kMode, kOptional},
    {A::kToApply, kRequired}};
constexpr OwnAttribute kReduceWindowOwn[] = {{A::kWindow, kOptional}, {A::kToApply, kRequired}};
constexpr OwnAttribute kReshapeOwn[] = {{A::kInferredDimension, kOptional}};
constexpr OwnAttribute kReverseOwn[] = {{A::kDimensions, kRequired}};
constexpr OwnAttribute kRngOwn[] = {{A::kDistribution, kRequired}};
constexpr OwnAttribute kRngBitGeneratorOwn[] = {{A::kAlgorithm, kRequired}};
constexpr OwnAttribute kRngGetAndUpdateStateOwn[] = {{A::kDelta, kRequired}};
constexpr OwnAttribute kScanOwn[] = {{A::kDimensions, kRequired},
                                     {A::kNumCarries, kRequired},
                                     {A::kIsReverse, kOptional},
                                     {A::kIsAssociative, kOptional},
                                     {A::kToApply, kRequired}};
constexpr OwnAttribute kScatterOwn[] = {{A::kUpdateWindowDims, kRequired},
                                        {A::kInsertedWindowDims, kRequired},
                                        {A::kScatterDimsToOperandDims, kRequired},
                                        {A::kInputBatchingDims, kOptional},
                                        {A::kScatterIndicesBatchingDims, kOptional},
                                        {A::kIndexVectorDim, kRequired},
                                        {A::kIndicesAreSorted, kOptional},
                                        {A::kUniqueIndices, kOptional},
                                        {A::kToApply, kRequired}};
constexpr OwnAttribute kSelectAndScatterOwn[] = {
    {A::kWindow, kOptional}, {A::kSelect, kRequired}, {A::kScatter, kRequired}};
constexpr OwnAttribute kSetDimensionSizeOwn[] = {{A::kDimensions, kRequired}};
constexpr OwnAttribute kSliceOwn[] = {{A::kSlice, kRequired}};
constexpr OwnAttribute kSortOwn[] = {
    {A::kDimensions, kRequired}, {A::kIsStable, kOptional}, {A::kToApply, kRequired}};
constexpr OwnAttribute kTopkOwn[] = {
    {A::kK, kRequired}, {A::kLargest, kOptional}, {A::kIsStable, kOptional}};
constexpr OwnAttribute kTransposeOwn[] = {{A::kDimensions, kRequired}};
constexpr OwnAttribute kTriangularSolveOwn[] = {{A::kLeftSide, kOptional},
                                                {A::kLower, kOptional},
                                                {A::kUnitDiagonal, kOptional},
                                                {A::kTransposeA, kOptional}};
constexpr OwnAttribute kWhileOwn[] = {{A::kCondition, kRequired}, {A::kBody, kRequired}};
constexpr OwnAttribute kAccuracyOwn[] = {{A::kResultAccuracy, kOptional}};

struct OpcodeRow {
  Opcode opcode;
  const OwnAttribute* attributes;
  size_t size;
};

template <size_t N>
constexpr OpcodeRow Row(Opcode opcode, const OwnAttribute (&attributes)[N]) {
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

absl::Span<const OwnAttribute> OwnAttributes(Opcode opcode) {
  const OpcodeRow& row = kTables.rows[static_cast<int>(opcode)];
  return absl::Span<const OwnAttribute>(row.attributes, row.size);
}

bool AllowsAttribute(Opcode opcode, AttributeName name) {
  const int bit = static_cast<int>(name);
  return (kTables.allowed[static_cast<int>(opcode)][bit / 64] >> (bit % 64)) & 1;
}

}  // namespace tessera::hlo
