// The rules of all op families: the functions that the table in signature_of.cc names. One family a
// file.
#ifndef TESSERA_PROJECTION_SIGNATURES_RULES_H_
#define TESSERA_PROJECTION_SIGNATURES_RULES_H_

#include "tessera/projection/signatures/rule.h"

namespace tessera::projection {

// elementwise.cc
absl::Status ElementwiseRule(const OpContext& op, Signature* s);  // every operand cell by cell
absl::Status FirstOperandRule(const OpContext& op,
                              Signature* s);  // operand 0 leaf by leaf, others without cells
absl::Status SetDimensionSizeRule(const OpContext& op, Signature* s);  // and a scalar
absl::Status NothingRule(const OpContext& op, Signature* s);  // no operand, or only facts about one

// moving.cc
absl::Status BroadcastRule(const OpContext& op, Signature* s);
absl::Status TransposeRule(const OpContext& op, Signature* s);
absl::Status ReverseRule(const OpContext& op, Signature* s);
absl::Status SliceRule(const OpContext& op, Signature* s);
absl::Status PadRule(const OpContext& op, Signature* s);
absl::Status ConcatenateRule(const OpContext& op, Signature* s);

// reshape.cc, bitcast.cc
absl::Status ReshapeRule(const OpContext& op, Signature* s);
absl::Status BitcastConvertRule(const OpContext& op, Signature* s);
absl::Status BitcastRule(const OpContext& op, Signature* s);

// dot.cc, convolution.cc
absl::Status DotRule(const OpContext& op, Signature* s);
absl::Status ScaledDotRule(const OpContext& op, Signature* s);
absl::Status RaggedDotRule(const OpContext& op, Signature* s);
absl::Status ConvolutionRule(const OpContext& op, Signature* s);

// window.cc
absl::Status ReduceRule(const OpContext& op, Signature* s);
absl::Status ReduceWindowRule(const OpContext& op, Signature* s);
absl::Status SelectAndScatterRule(const OpContext& op, Signature* s);
absl::Status ScanRule(const OpContext& op, Signature* s);
absl::Status BatchNormRule(const OpContext& op, Signature* s);

// opaque.cc
absl::Status SortRule(const OpContext& op, Signature* s);
absl::Status TopKRule(const OpContext& op, Signature* s);
absl::Status FftRule(const OpContext& op, Signature* s);
absl::Status CholeskyRule(const OpContext& op, Signature* s);
absl::Status TriangularSolveRule(const OpContext& op, Signature* s);
absl::Status RngRule(const OpContext& op, Signature* s);
absl::Status OpaqueRule(const OpContext& op, Signature* s);  // everything of every operand
absl::Status CustomCallRule(const OpContext& op, Signature* s);

// dynamic.cc, gather.cc, scatter.cc
absl::Status DynamicSliceRule(const OpContext& op, Signature* s);
absl::Status DynamicUpdateSliceRule(const OpContext& op, Signature* s);
absl::Status GatherRule(const OpContext& op, Signature* s);
absl::Status ScatterRule(const OpContext& op, Signature* s);

// tuples.cc
absl::Status TupleRule(const OpContext& op, Signature* s);
absl::Status GetTupleElementRule(const OpContext& op, Signature* s);
absl::Status StartRule(const OpContext& op,
                       Signature* s);  // (operands, results, ..) of a collective or a copy
absl::Status DoneRule(const OpContext& op, Signature* s);

// calls.cc
absl::Status CallRule(const OpContext& op, Signature* s);
absl::Status WhileRule(const OpContext& op, Signature* s);
absl::Status ConditionalRule(const OpContext& op, Signature* s);

// collectives.cc
absl::Status AllGatherRule(const OpContext& op, Signature* s);
absl::Status ReduceScatterRule(const OpContext& op, Signature* s);
absl::Status AllToAllRule(const OpContext& op, Signature* s);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURES_RULES_H_
