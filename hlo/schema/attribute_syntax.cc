// The syntax of each attribute's value: one row an attribute, turned into an array by the compiler.

#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {

using A = AttributeName;
using S = AttributeSyntax;

namespace {

struct SyntaxRow {
  AttributeName name;
  AttributeSyntax syntax;
};

constexpr SyntaxRow kSyntaxRows[] = {
    {A::kBatchGroupCount, S::kInt},
    {A::kChannelId, S::kInt},
    {A::kDelta, S::kInt},
    {A::kFeatureGroupCount, S::kInt},
    {A::kFeatureIndex, S::kInt},
    {A::kIndex, S::kInt},
    {A::kIndexVectorDim, S::kInt},
    {A::kInferredDimension, S::kInt},
    {A::kIotaDimension, S::kInt},
    {A::kK, S::kInt},
    {A::kNumCarries, S::kInt},
    {A::kCrossProgramPrefetchIndex, S::kInt32},
    {A::kExponentBits, S::kInt32},
    {A::kMantissaBits, S::kInt32},
    {A::kEpsilon, S::kFloat},
    {A::kConstrainLayout, S::kBool},
    {A::kCustomCallHasSideEffect, S::kBool},
    {A::kHasDynamicRoot, S::kBool},
    {A::kIndicesAreSorted, S::kBool},
    {A::kIsAssociative, S::kBool},
    {A::kIsComposite, S::kBool},
    {A::kIsHostTransfer, S::kBool},
    {A::kIsReverse, S::kBool},
    {A::kIsStable, S::kBool},
    {A::kLargest, S::kBool},
    {A::kLeftSide, S::kBool},
    {A::kLower, S::kBool},
    {A::kUniqueIndices, S::kBool},
    {A::kUnitDiagonal, S::kBool},
    {A::kUseGlobalDeviceIds, S::kBool},
    {A::kAsyncExecutionThread, S::kString},
    {A::kCustomCallTarget, S::kString},
    {A::kInfeedConfig, S::kString},
    {A::kOutfeedConfig, S::kString},
    {A::kCollapsedSliceDims, S::kInts},
    {A::kDimensions, S::kInts},
    {A::kDynamicSliceSizes, S::kInts},
    {A::kFftLength, S::kInts},
    {A::kInputBatchingDims, S::kInts},
    {A::kInsertedWindowDims, S::kInts},
    {A::kLhsBatchDims, S::kInts},
    {A::kLhsContractingDims, S::kInts},
    {A::kLhsRaggedDims, S::kInts},
    {A::kOffsetDims, S::kInts},
    {A::kOperandBatchingDims, S::kInts},
    {A::kRhsBatchDims, S::kInts},
    {A::kRhsContractingDims, S::kInts},
    {A::kRhsGroupDims, S::kInts},
    {A::kScatterDimsToOperandDims, S::kInts},
    {A::kScatterIndicesBatchingDims, S::kInts},
    {A::kSliceSizes, S::kInts},
    {A::kStartIndexMap, S::kInts},
    {A::kStartIndicesBatchingDims, S::kInts},
    {A::kUpdateWindowDims, S::kInts},
    {A::kSourceTargetPairs, S::kIntLists},
    {A::kParameterReplication, S::kBools},
    {A::kAlgorithm, S::kEnum},
    {A::kApiVersion, S::kEnum},
    {A::kConvolutionKind, S::kEnum},
    {A::kDirection, S::kEnum},
    {A::kDistribution, S::kEnum},
    {A::kFftType, S::kEnum},
    {A::kKind, S::kEnum},
    {A::kMode, S::kEnum},
    {A::kOrder, S::kEnum},
    {A::kPaddingType, S::kEnum},
    {A::kSchedule, S::kEnum},
    {A::kTransposeA, S::kEnum},
    {A::kType, S::kEnum},
    {A::kOperandPrecision, S::kWords},
    {A::kBody, S::kComputation},
    {A::kCalls, S::kComputation},
    {A::kCondition, S::kComputation},
    {A::kFalseComputation, S::kComputation},
    {A::kScatter, S::kComputation},
    {A::kSelect, S::kComputation},
    {A::kToApply, S::kComputation},
    {A::kTrueComputation, S::kComputation},
    {A::kBranchComputations, S::kComputations},
    {A::kCalledComputations, S::kComputations},
    {A::kControlPredecessors, S::kInstructions},
    {A::kOutfeedShape, S::kShape},
    {A::kOperandLayoutConstraints, S::kShapes},
    {A::kLiteral, S::kLiteral},
    {A::kSharding, S::kSharding},
    {A::kFrontendAttributes, S::kFrontendAttributes},
    {A::kStatistics, S::kStatistics},
    {A::kOrigin, S::kOrigin},
    {A::kMetadata, S::kMetadata},
    {A::kBackendConfig, S::kBackendConfig},
    {A::kWindow, S::kWindow},
    {A::kDimLabels, S::kDimLabels},
    {A::kPadding, S::kPadding},
    {A::kSlice, S::kSlice},
    {A::kReplicaGroups, S::kReplicaGroups},
    {A::kOutputToOperandAliasing, S::kAliasing},
    {A::kDomain, S::kDomain},
    {A::kResultAccuracy, S::kResultAccuracy},
    {A::kSparsityConfig, S::kSparsity},
};

struct Table {
  AttributeSyntax of[kNumAttributeNames] = {};
  constexpr Table() {
    for (const SyntaxRow& row : kSyntaxRows) of[static_cast<int>(row.name)] = row.syntax;
  }
};
constexpr Table kTable;

}  // namespace

AttributeSyntax SyntaxOf(AttributeName name, Opcode opcode) {
  if (name == A::kSliceSizes && opcode != Opcode::kGather) return S::kIntLists;
  return kTable.of[static_cast<int>(name)];
}

}  // namespace tessera::hlo
