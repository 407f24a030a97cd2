// The names of all attributes that an instruction can carry.
//
//   std::optional<AttributeName> name = AttributeNameFromText("to_apply");
//   AttributeText(AttributeName::kControlPredecessors);   // "control-predecessors"

#ifndef TESSERA_HLO_ATTRIBUTE_NAME_H_
#define TESSERA_HLO_ATTRIBUTE_NAME_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// The attributes that every opcode may have come first (kNumCommonAttributes).
#define TESSERA_HLO_ATTRIBUTES(V)                                \
  V(Sharding, "sharding")                                        \
  V(FrontendAttributes, "frontend_attributes")                   \
  V(ControlPredecessors, "control-predecessors")                 \
  V(Statistics, "statistics")                                    \
  V(Origin, "origin")                                            \
  V(Metadata, "metadata")                                        \
  V(BackendConfig, "backend_config")                             \
  V(ParameterReplication, "parameter_replication")               \
  V(Algorithm, "algorithm")                                      \
  V(ApiVersion, "api_version")                                   \
  V(AsyncExecutionThread, "async_execution_thread")              \
  V(BatchGroupCount, "batch_group_count")                        \
  V(Body, "body")                                                \
  V(BranchComputations, "branch_computations")                   \
  V(CalledComputations, "called_computations")                   \
  V(Calls, "calls")                                              \
  V(ChannelId, "channel_id")                                     \
  V(CollapsedSliceDims, "collapsed_slice_dims")                  \
  V(Condition, "condition")                                      \
  V(ConstrainLayout, "constrain_layout")                         \
  V(ConvolutionKind, "convolution_kind")                         \
  V(CrossProgramPrefetchIndex, "cross_program_prefetch_index")   \
  V(CustomCallHasSideEffect, "custom_call_has_side_effect")      \
  V(CustomCallTarget, "custom_call_target")                      \
  V(Delta, "delta")                                              \
  V(DimLabels, "dim_labels")                                     \
  V(Dimensions, "dimensions")                                    \
  V(Direction, "direction")                                      \
  V(Distribution, "distribution")                                \
  V(Domain, "domain")                                            \
  V(DynamicSliceSizes, "dynamic_slice_sizes")                    \
  V(Epsilon, "epsilon")                                          \
  V(ExponentBits, "exponent_bits")                               \
  V(FalseComputation, "false_computation")                       \
  V(FeatureGroupCount, "feature_group_count")                    \
  V(FeatureIndex, "feature_index")                               \
  V(FftLength, "fft_length")                                     \
  V(FftType, "fft_type")                                         \
  V(HasDynamicRoot, "has_dynamic_root")                          \
  V(Index, "index")                                              \
  V(IndexVectorDim, "index_vector_dim")                          \
  V(IndicesAreSorted, "indices_are_sorted")                      \
  V(InferredDimension, "inferred_dimension")                     \
  V(InfeedConfig, "infeed_config")                               \
  V(InputBatchingDims, "input_batching_dims")                    \
  V(InsertedWindowDims, "inserted_window_dims")                  \
  V(IotaDimension, "iota_dimension")                             \
  V(IsAssociative, "is_associative")                             \
  V(IsComposite, "is_composite")                                 \
  V(IsHostTransfer, "is_host_transfer")                          \
  V(IsReverse, "is_reverse")                                     \
  V(IsStable, "is_stable")                                       \
  V(K, "k")                                                      \
  V(Kind, "kind")                                                \
  V(Largest, "largest")                                          \
  V(LeftSide, "left_side")                                       \
  V(LhsBatchDims, "lhs_batch_dims")                              \
  V(LhsContractingDims, "lhs_contracting_dims")                  \
  V(LhsRaggedDims, "lhs_ragged_dims")                            \
  V(Literal, "literal")                                          \
  V(Lower, "lower")                                              \
  V(MantissaBits, "mantissa_bits")                               \
  V(Mode, "mode")                                                \
  V(NumCarries, "num_carries")                                   \
  V(OffsetDims, "offset_dims")                                   \
  V(OperandBatchingDims, "operand_batching_dims")                \
  V(OperandLayoutConstraints, "operand_layout_constraints")      \
  V(OperandPrecision, "operand_precision")                       \
  V(Order, "order")                                              \
  V(OutfeedConfig, "outfeed_config")                             \
  V(OutfeedShape, "outfeed_shape")                               \
  V(OutputToOperandAliasing, "output_to_operand_aliasing")       \
  V(Padding, "padding")                                          \
  V(PaddingType, "padding_type")                                 \
  V(ReplicaGroups, "replica_groups")                             \
  V(ResultAccuracy, "result_accuracy")                           \
  V(RhsBatchDims, "rhs_batch_dims")                              \
  V(RhsContractingDims, "rhs_contracting_dims")                  \
  V(RhsGroupDims, "rhs_group_dims")                              \
  V(Scatter, "scatter")                                          \
  V(ScatterDimsToOperandDims, "scatter_dims_to_operand_dims")    \
  V(ScatterIndicesBatchingDims, "scatter_indices_batching_dims") \
  V(Schedule, "schedule")                                        \
  V(Select, "select")                                            \
  V(Slice, "slice")                                              \
  V(SliceSizes, "slice_sizes")                                   \
  V(SourceTargetPairs, "source_target_pairs")                    \
  V(SparsityConfig, "sparsity_config")                           \
  V(StartIndexMap, "start_index_map")                            \
  V(StartIndicesBatchingDims, "start_indices_batching_dims")     \
  V(ToApply, "to_apply")                                         \
  V(TransposeA, "transpose_a")                                   \
  V(TrueComputation, "true_computation")                         \
  V(Type, "type")                                                \
  V(UniqueIndices, "unique_indices")                             \
  V(UnitDiagonal, "unit_diagonal")                               \
  V(UpdateWindowDims, "update_window_dims")                      \
  V(UseGlobalDeviceIds, "use_global_device_ids")                 \
  V(Window, "window")

enum class AttributeName : uint8_t {
#define TESSERA_HLO_DECLARE_ATTRIBUTE(id, name) k##id,
  TESSERA_HLO_ATTRIBUTES(TESSERA_HLO_DECLARE_ATTRIBUTE)
#undef TESSERA_HLO_DECLARE_ATTRIBUTE
};

#define TESSERA_HLO_COUNT_ATTRIBUTE(id, name) +1
inline constexpr int kNumAttributeNames = 0 TESSERA_HLO_ATTRIBUTES(TESSERA_HLO_COUNT_ATTRIBUTE);
#undef TESSERA_HLO_COUNT_ATTRIBUTE

// The first names are common to all opcodes: sharding .. parameter_replication.
inline constexpr int kNumCommonAttributes = 8;

inline constexpr bool IsCommonAttribute(AttributeName name) {
  return static_cast<int>(name) < kNumCommonAttributes;
}

absl::string_view AttributeText(AttributeName name);

// nullopt for a name that no opcode knows.
std::optional<AttributeName> AttributeNameFromText(absl::string_view text);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ATTRIBUTE_NAME_H_
