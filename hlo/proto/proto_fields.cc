#include "tessera/hlo/proto/proto_fields.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
using O = Opcode;

// Rows of one opcode come before the row of all others.
constexpr FieldRow kRows[] = {
    {A::kAlgorithm, "rng_algorithm", 0, O::kRngBitGenerator},
    {A::kAlgorithm, "precision_config.algorithm"},
    {A::kApiVersion, "custom_call_api_version", 1},
    {A::kAsyncExecutionThread, "async_execution_thread"},
    {A::kBatchGroupCount, "batch_group_count", 1},
    {A::kChannelId, "channel_id"},
    {A::kCollapsedSliceDims, "gather_dimension_numbers.collapsed_slice_dims"},
    {A::kConstrainLayout, "constrain_layout"},
    {A::kConvolutionKind, "conv_kind"},
    {A::kCrossProgramPrefetchIndex, "cross_program_prefetch_index", -1},
    {A::kCustomCallHasSideEffect, "custom_call_has_side_effect"},
    {A::kCustomCallTarget, "custom_call_target"},
    {A::kDelta, "delta"},
    {A::kDimensions, "dimensions"},
    {A::kDirection, "comparison_direction"},
    {A::kDistribution, "distribution"},
    {A::kDynamicSliceSizes, "dynamic_slice_sizes"},
    {A::kEpsilon, "epsilon"},
    {A::kExponentBits, "exponent_bits"},
    {A::kFeatureGroupCount, "feature_group_count", 1},
    {A::kFeatureIndex, "feature_index"},
    {A::kFftLength, "fft_length"},
    {A::kFftType, "fft_type"},
    {A::kHasDynamicRoot, "has_dynamic_root"},
    {A::kIndex, "tuple_index"},
    {A::kIndexVectorDim, "gather_dimension_numbers.index_vector_dim", 0, O::kGather},
    {A::kIndexVectorDim, "scatter_dimension_numbers.index_vector_dim"},
    {A::kIndicesAreSorted, "indices_are_sorted"},
    {A::kInfeedConfig, "infeed_config"},
    {A::kInferredDimension, "dimensions", -1},
    {A::kInputBatchingDims, "scatter_dimension_numbers.input_batching_dims"},
    {A::kInsertedWindowDims, "scatter_dimension_numbers.inserted_window_dims"},
    {A::kIotaDimension, "dimensions"},
    {A::kIsAssociative, "is_associative"},
    {A::kIsComposite, "is_composite"},
    {A::kIsHostTransfer, "is_host_transfer"},
    {A::kIsReverse, "is_reverse"},
    {A::kIsStable, "is_stable"},
    {A::kK, "k"},
    {A::kKind, "fusion_kind"},
    {A::kLargest, "largest"},
    {A::kLeftSide, "triangular_solve_options.left_side"},
    {A::kLhsBatchDims, "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions", 0,
     O::kRaggedDot},
    {A::kLhsBatchDims, "dot_dimension_numbers.lhs_batch_dimensions"},
    {A::kLhsContractingDims,
     "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_contracting_dimensions", 0,
     O::kRaggedDot},
    {A::kLhsContractingDims, "dot_dimension_numbers.lhs_contracting_dimensions"},
    {A::kLhsRaggedDims, "ragged_dot_dimension_numbers.lhs_ragged_dimensions"},
    {A::kLower, "cholesky_options.lower", 0, O::kCholesky},
    {A::kLower, "triangular_solve_options.lower"},
    {A::kMantissaBits, "mantissa_bits"},
    {A::kNumCarries, "num_carries"},
    {A::kOffsetDims, "gather_dimension_numbers.offset_dims"},
    {A::kOperandBatchingDims, "gather_dimension_numbers.operand_batching_dims"},
    {A::kOperandPrecision, "precision_config.operand_precision"},
    {A::kOutfeedConfig, "outfeed_config"},
    {A::kPaddingType, "padding_type"},
    {A::kParameterReplication, "parameter_replication.replicated_at_leaf_buffers"},
    {A::kRhsBatchDims, "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_batch_dimensions", 0,
     O::kRaggedDot},
    {A::kRhsBatchDims, "dot_dimension_numbers.rhs_batch_dimensions"},
    {A::kRhsContractingDims,
     "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_contracting_dimensions", 0,
     O::kRaggedDot},
    {A::kRhsContractingDims, "dot_dimension_numbers.rhs_contracting_dimensions"},
    {A::kRhsGroupDims, "ragged_dot_dimension_numbers.rhs_group_dimensions"},
    {A::kScatterDimsToOperandDims, "scatter_dimension_numbers.scatter_dims_to_operand_dims"},
    {A::kScatterIndicesBatchingDims, "scatter_dimension_numbers.scatter_indices_batching_dims"},
    {A::kSchedule, "custom_call_schedule"},
    {A::kSliceSizes, "gather_slice_sizes", 0, O::kGather},
    {A::kStartIndexMap, "gather_dimension_numbers.start_index_map"},
    {A::kStartIndicesBatchingDims, "gather_dimension_numbers.start_indices_batching_dims"},
    {A::kTransposeA, "triangular_solve_options.transpose_a"},
    {A::kType, "comparison_type"},
    {A::kOrder, "comparison_order"},
    {A::kUniqueIndices, "unique_indices"},
    {A::kUnitDiagonal, "triangular_solve_options.unit_diagonal"},
    {A::kUpdateWindowDims, "scatter_dimension_numbers.update_window_dims"},
    {A::kUseGlobalDeviceIds, "use_global_device_ids"},
};

}  // namespace

const FieldRow* FindFieldRow(AttributeName name, Opcode opcode) {
  for (const FieldRow& row : kRows) {
    if (row.name == name && (!row.opcode.has_value() || *row.opcode == opcode)) return &row;
  }
  return nullptr;
}

}  // namespace tessera::hlo
